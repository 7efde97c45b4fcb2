import type { Note } from '../../protocol/envelope.ts';
import type { JobWithSkin } from '../queue/lists.ts';
import type { JobRow } from '../store/schema/tables.ts';
import { envelope, jobErrors, jobView, skinView } from './views.ts';

const MESSAGES = {
  waiting: { code: 'job_pending', message: 'The job is pending.' },
  processing: { code: 'job_pending', message: 'The job is pending.' },
  completed: { code: 'job_completed', message: 'The job is completed.' },
  failed: { code: 'job_failed', message: 'The job failed.' },
} as const satisfies Record<JobRow['status'], Note>;

/** Link to the events of the caller's jobs. */
export const EVENTS_LINK = { events: '/v2/queue/events' } as const;

/** A job in its current state: with its skin if it is completed, with the reason if it has failed. */
export function jobBody({ job, skin }: JobWithSkin, warnings: readonly Note[]): Record<string, unknown> {
  const notes = { warnings, errors: jobErrors(job), messages: [MESSAGES[job.status]], links: jobLinks(job) };
  return { ...envelope(notes), job: jobView(job), ...(skin && { skin: skinView(skin) }) };
}

export function jobLinks(job: JobRow): Record<string, string> {
  const self = `/v2/queue/${job.uuid}`;
  const skin = job.skin_uuid !== null && { skin: `/v2/skins/${job.skin_uuid}` };
  return { self, job: self, ...skin, ...EVENTS_LINK };
}
