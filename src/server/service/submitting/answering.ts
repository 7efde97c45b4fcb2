import type { Note } from '../../../protocol/envelope.ts';
import { isPending } from '../../../protocol/job.ts';
import type { JobSignals } from '../../events/job-signals.ts';
import type { Observer } from '../../events/observer.ts';
import type { NewJob, Repeated } from '../../queue/port.ts';
import type { JobRow } from '../../store/schema/tables.ts';
import type { SkinWithData } from '../../store/skins.ts';
import { expectedEnd, type ForecastContext } from '../forecast/expected-end.ts';
import { withSkin } from '../jobs/jobs.ts';
import type { DuplicatesContext } from '../limits/duplicates.ts';
import { Refusal } from '../refusals/refusal.ts';
import type { GenerationRequest } from './generation-request.ts';
import { recordOfKnownData } from './known-data.ts';

export type Found = { readonly job: JobRow } & (
  | { readonly kind: 'known'; readonly skin: SkinWithData }
  | { readonly kind: 'pending'; readonly eta: number | undefined }
  /** The job of an earlier request, or one completed at once; `skin` is present if it was completed. */
  | { readonly kind: 'ended'; readonly skin: SkinWithData | undefined }
);

/** The answer to a submission. */
export type Submitted = Found & { readonly warnings: readonly Note[] };

export interface AnswerContext extends ForecastContext, DuplicatesContext {
  readonly signals: JobSignals;
  readonly observer: Pick<Observer, 'duplicateAnswered'>;
  /** Called with each pending job that this process returns for a submission. */
  readonly onAccepted: (uuid: string) => void;
}

/** An early check before anything is written; the queue decides between simultaneous requests with the same key. */
export async function answerRepeated(context: AnswerContext, job: NewJob): Promise<Found | undefined> {
  const repeated = await context.queue.findRepeated(job);
  return repeated && (await answerAgain(context, repeated));
}

export async function answerAgain(context: AnswerContext, repeated: Repeated): Promise<Found> {
  if (repeated.kind === 'key_taken') {
    throw new Refusal(
      'invalid_request',
      'This Idempotency-Key was already used with another picture or other options: use a new key.',
    );
  }
  if (isPending(repeated.job.status)) return await awaited(context, repeated.job);
  return { kind: 'ended', ...(await withSkin(context.db, repeated.job)) };
}

/**
 * Existing data costs nothing: the caller gets a record of its own for it, and a completed job.
 * @throws Refusal `rate_limit` for a caller with too many duplicates
 */
export async function answerKnown(
  context: AnswerContext,
  job: NewJob,
  request: Pick<GenerationRequest, 'caller' | 'via' | 'checkOnly'>,
): Promise<Found | undefined> {
  const skin = await recordOfKnownData(context, job, request);
  if (!skin) return undefined;
  const found = await recordDone(context, job, skin);
  if (found.kind === 'known') context.observer.duplicateAnswered();
  return found;
}

/** A completed job for an existing skin. */
export async function recordDone(context: AnswerContext, job: NewJob, skin: SkinWithData): Promise<Found> {
  const recorded = await context.queue.recordKnown(job, skin.uuid);
  if (recorded.kind !== 'recorded') return await answerAgain(context, recorded);
  context.signals.accepted(job.owner);
  return { kind: 'known', job: recorded.job, skin };
}

/** A pending job, and when it is expected to end. */
export async function awaited(context: AnswerContext, job: JobRow): Promise<Found> {
  context.onAccepted(job.uuid);
  return { kind: 'pending', job, eta: await expectedEnd(context, job) };
}
