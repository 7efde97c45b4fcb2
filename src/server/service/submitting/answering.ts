import type { Note, RateLimit } from '../../../protocol/envelope.ts';
import { isPending } from '../../../protocol/job.ts';
import type { JobSignals, ServiceEvents } from '../../events.ts';
import { findRepeated } from '../../queue/idempotency.ts';
import { knownRow, recordKnown } from '../../queue/known.ts';
import type { NewJob, Repeated } from '../../queue/port.ts';
import type { CallerMemory } from '../../store/callers.ts';
import type { JobRow } from '../../store/schema/tables.ts';
import type { SkinWithData } from '../../store/skins.ts';
import { type Caller, hasScope } from '../callers.ts';
import { expectedEnd } from '../forecast.ts';
import { skinAsSent, withSkin } from '../jobs/jobs.ts';
import { rateLimitOf, readRateLimit } from '../limits.ts';
import { Refusal } from '../refusal.ts';
import { type AnswerableRequest, type KnownDataContext, lookUpJob, recordOfKnownData } from './known-data.ts';

export type FoundAnswer = { readonly job: JobRow; readonly usage?: CallerMemory } & (
  | { readonly kind: 'known'; readonly skin: SkinWithData }
  /** `opensIn`: milliseconds until a slot of the caller is expected to be free; 0 if one is. */
  | { readonly kind: 'pending'; readonly eta: number | undefined; readonly opensIn?: number }
  /** The job of an earlier request, or one completed at once; `skin` is present if it was completed. */
  | { readonly kind: 'ended'; readonly skin: SkinWithData | undefined }
);

/** The answer to a submission; `usage`: the caller's after it, if known. */
export type Submitted = FoundAnswer & { readonly warnings: readonly Note[] };

export interface AnswerContext extends KnownDataContext {
  readonly signals: JobSignals;
  readonly events: ServiceEvents;
  /** Called with each pending job that this process returns for a submission. */
  readonly onAccepted: (uuid: string) => void;
}

/**
 * The answer to a repeated request, or one whose skin data exists. This is an early check before anything is written;
 * the queue decides between simultaneous requests.
 * @throws Refusal
 */
export async function answerFromStore(
  context: AnswerContext,
  job: NewJob,
  request: AnswerableRequest['request'],
): Promise<FoundAnswer | undefined> {
  const { isKeyUsed, isBlocked, known, memory } = await lookUpJob(context.db, job, context.clock.now());
  if (isBlocked) throw new Refusal('blocked_image');
  const repeated = isKeyUsed ? await findRepeated(context.db, job) : undefined;
  if (repeated) return await answerAgain(context, repeated);
  const found = await answerKnown(context, job, { request, known });
  // The record of a caller without a key may have counted towards the limits since.
  return found && (request.caller.kind === 'user' ? { ...found, usage: memory } : found);
}

export async function answerAgain(context: AnswerContext, repeated: Repeated): Promise<FoundAnswer> {
  if (repeated.kind === 'key_taken') {
    throw new Refusal(
      'invalid_request',
      'This Idempotency-Key was already used with another picture or other options. Use a new key.',
    );
  }
  if (isPending(repeated.job.status)) return await awaited(context, repeated.job);
  return { kind: 'ended', ...(await withSkin(context.db, repeated.job)) };
}

/**
 * Existing data is free if there is a record for the caller, who gets a completed job.
 * @throws Refusal as `recordOfKnownData` does
 */
async function answerKnown(
  context: AnswerContext,
  job: NewJob,
  answerable: AnswerableRequest,
): Promise<FoundAnswer | undefined> {
  const skin = await recordOfKnownData(context, job, answerable);
  if (!skin) return undefined;
  const found = await recordDone(context, job, skin);
  if (found.kind === 'known') context.events.emit('duplicateAnswered');
  return found;
}

/** A completed job for an existing skin. If the store is full, the job is not kept. */
export async function recordDone(
  context: AnswerContext,
  job: NewJob,
  skin: SkinWithData,
): Promise<FoundAnswer> {
  if (context.ceiling.isReached) {
    if (job.callback) throw new Refusal('store_full');
    return { kind: 'known', job: unkeptJob(job, skin, context.clock.now()), skin };
  }
  const recorded = await recordKnown(context.db, job, {
    skinUuid: skin.uuid,
    now: context.clock.now(),
  });
  if (recorded.kind !== 'recorded') return await answerAgain(context, recorded);
  context.signals.accepted(job.owner, recorded.job);
  return { kind: 'known', job: recorded.job, skin };
}

function unkeptJob(job: NewJob, { uuid }: SkinWithData, now: number): JobRow {
  return { ...knownRow(job, { skinUuid: uuid, now }), id: 0 };
}

/** Removes what the caller may not read. */
export function forCaller(caller: Caller, submitted: Submitted): Submitted {
  if (submitted.kind === 'pending' || !submitted.skin) return submitted;
  return { ...submitted, skin: skinAsSent(hasScope(caller, 'read'), submitted.job, submitted.skin) };
}

/** A pending job with its expected end. */
export async function awaited(
  context: AnswerContext,
  job: JobRow,
): Promise<Extract<FoundAnswer, { kind: 'pending' }>> {
  context.onAccepted(job.uuid);
  return { kind: 'pending', job, eta: await expectedEnd(context, job) };
}

/** The caller's rate limit after submissions. The next one is possible once limits and slots allow it. */
export async function rateLimitAfter(
  { db, clock }: Pick<AnswerContext, 'db' | 'clock'>,
  caller: Caller,
  submitted: readonly Submitted[],
): Promise<RateLimit> {
  const now = clock.now();
  const { usage } = submitted.length === 1 ? submitted[0]! : {};
  const rateLimit = usage ? rateLimitOf(usage, caller, now) : await readRateLimit(db, caller, now);
  const last = submitted.findLast((one) => one.kind === 'pending');
  const relative = Math.max(rateLimit.next.relative, last?.opensIn ?? 0);
  return { ...rateLimit, next: { absolute: now + relative, relative } };
}
