import type { Note } from '../../protocol/envelope.ts';
import { isPending } from '../../protocol/job.ts';
import type { NewJob, Repeated } from '../queue/port.ts';
import type { SkinWithData } from '../store/skins.ts';
import type { JobRow } from '../store/tables.ts';
import type { ServiceContext } from './context.ts';
import type { GenerationRequest } from './generation-request.ts';
import { withSkin } from './jobs.ts';
import { recordOfKnownData } from './known-data.ts';
import { Refusal } from './refusal.ts';

export type Found = { readonly job: JobRow } & (
  | { readonly kind: 'known'; readonly skin: SkinWithData }
  | { readonly kind: 'pending'; readonly eta: number | undefined }
  /** The job of an earlier request, or one that was done at once; `skin` is there when it was completed. */
  | { readonly kind: 'ended'; readonly skin: SkinWithData | undefined }
);

/** What a submission is answered with. */
export type Submitted = Found & { readonly warnings: readonly Note[] };

/** A look before anything is written; two at once with the same key are told apart by the queue. */
export async function answerRepeated(context: ServiceContext, job: NewJob): Promise<Found | undefined> {
  const repeated = await context.queue.findRepeated(job);
  return repeated && (await answerAgain(context, repeated));
}

export async function answerAgain(context: ServiceContext, repeated: Repeated): Promise<Found> {
  if (repeated.kind === 'key_taken') {
    throw new Refusal(
      'invalid_request',
      'This Idempotency-Key was sent before, with another picture or other options: use a new key.',
    );
  }
  if (isPending(repeated.job.status)) return await awaited(context, repeated.job);
  return { kind: 'ended', ...(await withSkin(context.db, repeated.job)) };
}

/**
 * Existing data costs nothing: the caller gets a record of its own of it, and a job born completed.
 * @throws Refusal `rate_limit` for a caller with far too many of them
 */
export async function answerKnown(
  context: ServiceContext,
  job: NewJob,
  request: Pick<GenerationRequest, 'caller' | 'via' | 'checkOnly'>,
): Promise<Found | undefined> {
  const skin = await recordOfKnownData(context, job, request);
  if (!skin) return undefined;
  const found = await recordDone(context, job, skin);
  if (found.kind === 'known') context.observer.duplicateAnswered();
  return found;
}

/** A job that is born completed, for a skin that is there. */
export async function recordDone(context: ServiceContext, job: NewJob, skin: SkinWithData): Promise<Found> {
  const recorded = await context.queue.recordKnown(job, skin.uuid);
  if (recorded.kind !== 'recorded') return await answerAgain(context, recorded);
  context.signals.accepted(job.owner);
  return { kind: 'known', job: recorded.job, skin };
}

/** A job that has not ended, and when it is expected to. */
export async function awaited(context: ServiceContext, job: JobRow): Promise<Found> {
  context.onAccepted(job.uuid);
  const ahead = await context.queue.waitingBefore(job);
  return { kind: 'pending', job, eta: await expectedEnd(context, job, ahead) };
}

/** By how long the last ones took, and not before the generator can begin with it. */
async function expectedEnd(
  { clock, generator, expectedWait }: ServiceContext,
  { uuid }: JobRow,
  ahead: number,
): Promise<number | undefined> {
  const now = clock.now();
  const wait = expectedWait(uuid, ahead);
  const start = (await generator.startsAt?.(ahead)) ?? now;
  return wait === undefined && start <= now ? undefined : Math.ceil(Math.max(now + (wait ?? 0), start));
}
