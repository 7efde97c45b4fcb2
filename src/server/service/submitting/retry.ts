import { findJob } from '../../queue/lists.ts';
import { findPublicCapeOf } from '../../store/capes.ts';
import type { Db } from '../../store/db.ts';
import type { JobRow } from '../../store/schema/tables.ts';
import { findTexture } from '../../store/textures.ts';
import type { Caller } from '../callers/caller.ts';
import { Refusal } from '../refusal.ts';
import { forCaller, type Submitted } from './answering.ts';
import type { JobRequest } from './generation-request.ts';
import { type SubmitContext, submitTexture, verifyMaySubmit } from './submit.ts';

/**
 * Submits a failed job of the caller again: a new job for the same picture and options, under the limits of now, or the
 * skin if it exists by now.
 * @throws Refusal `job_not_found`; `invalid_request` for a job that has not failed; otherwise as `submit` does
 */
export async function retryJob(
  context: SubmitContext,
  caller: Caller,
  { uuid, ...rest }: { readonly uuid: string } & Pick<JobRequest, 'idempotencyKey' | 'visitor'>,
): Promise<Submitted> {
  const job = await failedJob(context, caller, uuid);
  const { name, visibility, variant, texture_hash: textureHash, source } = job;
  verifyMaySubmit(context, { caller, visibility });
  const cape = await capeOf(context.db, job);
  const picture = await findTexture(context.db, textureHash);
  const request = { caller, name, visibility, cape, via: 'queue', checkOnly: false, ...rest } as const;
  const texture = { textureHash, variant, source: source ?? undefined };
  const found = await submitTexture(context, request, texture, () => picture);
  return forCaller(caller, { ...found, warnings: [] });
}

async function failedJob(
  { db }: Pick<SubmitContext, 'db'>,
  { owner }: Caller,
  uuid: string,
): Promise<JobRow> {
  const job = await findJob(db, uuid);
  if (job?.owner !== owner) throw new Refusal('job_not_found');
  if (job.status === 'failed') return job;
  throw new Refusal('invalid_request', `Only failed jobs can be submitted again; this one is ${job.status}.`);
}

/** UUID of the job's cape. @throws Refusal `invalid_cape` if it is gone, or hidden by now */
async function capeOf(db: Db, { cape_hash }: JobRow): Promise<string | undefined> {
  if (cape_hash === null) return undefined;
  const cape = await findPublicCapeOf(db, cape_hash);
  if (!cape) throw new Refusal('invalid_cape', 'The cape of this job is no longer available.');
  return cape.uuid;
}
