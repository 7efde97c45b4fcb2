import { type ErrorCode, isErrorCode } from '../../../protocol/errors.ts';
import { DEFAULT_WAIT_SECONDS, MAX_TOTAL_WAIT_SECONDS } from '../../../protocol/generate.ts';
import type { Db } from '../../store/db.ts';
import type { JobRow } from '../../store/schema/tables.ts';
import { findSkin, type SkinWithData } from '../../store/skins.ts';
import type { Caller } from '../callers/caller.ts';
import { Refusal } from '../refusal.ts';
import { type JobPatience, skinAsSent, type WaitContext, waitForEnd } from './jobs.ts';

/** For a caller who does not say how long to wait. */
export const DEFAULT_PATIENCE: JobPatience = {
  total: MAX_TOTAL_WAIT_SECONDS * 1000,
  atWork: DEFAULT_WAIT_SECONDS * 1000,
};

/**
 * The skin of a job, for a request that waits for it within the limits of `patience`.
 * @throws Refusal with the reason of a failed job; `generator_timeout`: the job continues
 */
export async function awaitSkin(
  context: WaitContext & { readonly db: Db },
  { caller, job }: { readonly caller: Caller; readonly job: JobRow },
  patience: JobPatience,
): Promise<SkinWithData> {
  const ended = await waitForEnd(context, job.uuid, patience);
  const links = { job: `/v2/queue/${job.uuid}` };
  if (ended.status === 'failed') throw failure(ended, links);
  if (ended.status !== 'completed' || ended.skin_uuid === null)
    throw new Refusal('generator_timeout', { links });
  const skin = await findSkin(context.db, ended.skin_uuid);
  if (!skin) throw new Refusal('skin_not_found', { links });
  return skinAsSent(caller, job, skin);
}

function failure(job: JobRow, links: Record<string, string>): Refusal {
  const code: ErrorCode =
    job.error_code !== null && isErrorCode(job.error_code) ? job.error_code : 'job_failed';
  return new Refusal(code, { links, ...(job.error_message !== null && { message: job.error_message }) });
}
