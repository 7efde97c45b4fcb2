import type { Note } from '../../../src/protocol/envelope.ts';
import { ERRORS, type ErrorCode } from '../../../src/protocol/errors.ts';
import type { WireJob } from '../../../src/protocol/job.ts';
import type { Skin } from '../../../src/protocol/skin.ts';
import { type Answer, note, success } from './answers.ts';
import type { Duplicate } from './intake.ts';
import { type HostedJob, statusOf } from './job-book.ts';

/** A job as lists have it: an `eta` is in the answer to its submission alone. */
export function jobView(job: HostedJob, now: number): WireJob {
  const status = statusOf(job, now);
  const { id, acceptedAt: timestamp, skinUuid } = job;
  return { id, status, timestamp, ...(status === 'completed' && { result: skinUuid }) };
}

/** `lateness`: milliseconds by which the eta is off; false: none is told. */
export function acceptedAnswer(job: HostedJob, lateness: false | number): Answer {
  const { id, acceptedAt: timestamp, endsAt } = job;
  const eta = lateness === false || !Number.isFinite(endsAt) ? {} : { eta: endsAt + lateness };
  const messages = [note('job_queued', 'Job queued')];
  const content = { job: { id, status: 'waiting', timestamp, ...eta }, usage: {} };
  return success(content, { status: 202, messages, links: jobLinks(id) });
}

/** One job: HTTP 200 and `success` even when it failed, because the request did not. */
export async function jobAnswer(job: HostedJob, now: number): Promise<Answer> {
  const view = jobView(job, now);
  if (view.status === 'completed')
    return withSkin(view, await job.skin, note('job_completed', 'Job completed'));
  const links = jobLinks(job.id);
  if (view.status !== 'failed')
    return success({ job: view }, { messages: [note('job_pending', 'Job pending')], links });
  return success(
    { job: view },
    { messages: [note('job_failed', 'Job failed')], errors: [failureOf(job)], links },
  );
}

/** A duplicate: the answer to its submission, or to a look at its made-up job. */
export function duplicateAnswer({ id, timestamp, skin }: Duplicate): Answer {
  const view: WireJob = { id, status: 'completed', timestamp, result: skin.uuid };
  return withSkin(view, skin, note('skin_found', 'Found existing skin'));
}

export function failureOf({ fate }: HostedJob): Note & { code: ErrorCode } {
  const code = fate?.kind === 'fails' ? fate.code : 'job_failed';
  return { code, message: ERRORS[code].message };
}

export function jobLinks(id: string): { job: string; self: string } {
  return { job: `/v2/queue/${id}`, self: `/v2/queue/${id}` };
}

function withSkin(job: WireJob, skin: Skin, message: Note): Answer {
  const links = { ...jobLinks(job.id), skin: `/v2/skins/${skin.uuid}` };
  return success({ job, skin, usage: {} }, { messages: [message], links });
}
