import { newUuid } from '../../../base/text.ts';
import type { Note, RateLimit } from '../../../protocol/envelope.ts';
import { isPending } from '../../../protocol/job.ts';
import type { JobSignals, ServiceEvents } from '../../events.ts';
import { EvictingMap, MinuteTally } from '../../fairness.ts';
import {
  findRepeated,
  type KnownData,
  type KnownFacts,
  knownRow,
  lookUp,
  recordKnown,
} from '../../queue/enqueue.ts';
import type { NewJob, Repeated } from '../../queue/port.ts';
import type { CallerMemory } from '../../store/callers.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import type { JobRow } from '../../store/schema/tables.ts';
import { ensureSkin, findSkin, oldestPublicOf, type SkinWithData, someSkinOf } from '../../store/skins.ts';
import { ANONYMOUS_OWNERS, type Caller, hasScope, type StoreContext } from '../callers.ts';
import { expectedEnd, type ForecastContext } from '../forecast.ts';
import { skinAsSent, withSkin } from '../jobs/jobs.ts';
import {
  type LimitedRequest,
  rateLimitOf,
  readRateLimit,
  type StoreCeiling,
  spendGeneration,
  withWait,
} from '../limits.ts';
import { Refusal } from '../refusal.ts';
import { ownIdentity, shareData, sharedOf } from '../skins/identity.ts';
import type { GenerationRequest } from './generation-request.ts';

/** A request with the data that may answer it. */
interface AnswerableRequest {
  readonly request: Pick<GenerationRequest, 'caller' | 'via' | 'checkOnly'>;
  readonly known: readonly KnownData[];
}

/**
 * The caller's record of existing data, created if necessary; undefined if there is no data that this caller may use. A
 * caller may use shared data, and data made for its own private skins. A request that only checks for data gets another
 * record of the caller's, if there is one: a check must not publish what is private.
 *
 * Callers without a key share one public record, under whatever name each of them sends: otherwise a single known
 * picture could fill the store and the gallery. A new record of theirs costs as much as a generation.
 * @throws Refusal `rate_limit` for a caller with far too many records, `anonymous_limit`; `store_full`; `blocked_image`
 */
export async function recordOfKnownData(
  context: AnswerContext,
  job: NewJob,
  { request, known }: AnswerableRequest,
): Promise<SkinWithData | undefined> {
  if (known.length === 0) return undefined;
  await countDuplicate(context, request);
  const own = known.find((data) => data.own)?.own;
  if (own) return own;
  const other = request.checkOnly ? await anyOwnSkin(context.db, job.owner, known) : undefined;
  if (other) return other;
  const common = await commonRecord(context.db, job, { request, known });
  if (common) return { ...common, name: job.name };
  context.ceiling.verifyRoom();
  if (request.caller.kind === 'anonymous')
    await spendGeneration(context, { caller: request.caller, via: 'queue' }); // without the delay of version 1
  return await inTransaction(context.db, async (tx) => {
    // Check again: the data may have been deleted or become private in the meantime.
    const now = context.clock.now();
    const { isBlocked, known } = await lookUpJob(tx, job, now);
    if (isBlocked) throw new Refusal('blocked_image');
    const [data] = known;
    return data && (await addRecord(tx, { ...job, identity: data.identity }, now));
  });
}

/** Any skin of the caller with the data, regardless of name and visibility. */
async function anyOwnSkin(
  db: Db,
  owner: string,
  known: readonly KnownData[],
): Promise<SkinWithData | undefined> {
  for (const { identity } of known) {
    const skin = await someSkinOf(db, identity, owner);
    if (skin) return await findSkin(db, skin.uuid);
  }
  return undefined;
}

/** The oldest public record that a caller without a key made of the data, for others without one. */
async function commonRecord(
  db: Db,
  { visibility }: NewJob,
  { request, known }: AnswerableRequest,
): Promise<SkinWithData | undefined> {
  if (request.caller.kind !== 'anonymous' || visibility !== 'public') return undefined;
  return await oldestPublicOf(
    db,
    known.map(({ identity }) => identity),
    ANONYMOUS_OWNERS,
  );
}

/** What the store knows about the job's request. Its owner's private data comes first. */
export async function lookUpJob(db: Db, job: NewJob, now: number): Promise<KnownFacts> {
  const { identity, owner } = job;
  const identities = [identity, sharedOf(identity) ?? ownIdentity(identity, owner)] as const;
  return await lookUp(db, { ...job, identities }, now);
}

async function addRecord(tx: Db, job: NewJob, created_at: number): Promise<SkinWithData> {
  const { owner, identity, name, visibility } = job;
  const uuid = newUuid();
  const skin = await ensureSkin(tx, { uuid, owner, identity, name, visibility, created_at });
  // The owner may publish data that was made for a private skin.
  return visibility === 'private' ? skin : { ...skin, identity: await shareData(tx, identity) };
}

/** Maximum duplicates per minute, for each generation that a caller may make in one. */
const TIMES = 10;
/** Callers remembered before inactive ones are removed. */
const MANY_CALLERS = 1_000;

/**
 * Counts duplicates per caller. They do not count against the limits, but each adds a job and, under another name, a
 * record in the public list, so their number is limited. Counted per process.
 */
export class Duplicates {
  readonly #tallies = new EvictingMap<MinuteTally>(MANY_CALLERS);

  /** Counts one. @returns when the next one is allowed, milliseconds since the epoch; `now`: this one is allowed */
  count({ owner, limit, now }: { owner: string; limit: number; now: number }): number {
    const isIdle = (other: MinuteTally) => other.isIdle(now);
    const tally = this.#tallies.ensure(owner, () => new MinuteTally(), isIdle);
    const at = tally.roomAt(limit, now);
    if (at <= now) tally.spend(now);
    return at;
  }
}

/** @throws Refusal `rate_limit` for a caller with too many duplicates */
export async function countDuplicate(
  { db, clock, duplicates }: StoreContext & Pick<AnswerContext, 'duplicates'>,
  { caller, via }: LimitedRequest,
): Promise<void> {
  const now = clock.now();
  const { owner, plan } = caller;
  const limit = TIMES * plan.perMinute;
  const absolute = duplicates.count({ owner, limit, now });
  if (absolute <= now) return;
  const rateLimit = await readRateLimit(db, caller, now, via);
  throw new Refusal('rate_limit', {
    message: `You may request at most ${limit} existing skins per minute.`,
    rateLimit: withWait(rateLimit, absolute - now, now),
  });
}

export type FoundAnswer = { readonly job: JobRow; readonly usage?: CallerMemory } & (
  | { readonly kind: 'known'; readonly skin: SkinWithData }
  /** `opensIn`: milliseconds until a slot of the caller is expected to be free; 0 if one is. */
  | { readonly kind: 'pending'; readonly eta: number | undefined; readonly opensIn?: number }
  /** The job of an earlier request, or one completed at once; `skin` is present if it was completed. */
  | { readonly kind: 'ended'; readonly skin: SkinWithData | undefined }
);

/** The answer to a submission; `usage`: the caller's after it, if known. */
export type Submitted = FoundAnswer & { readonly warnings: readonly Note[] };

export interface AnswerContext extends ForecastContext {
  readonly ceiling: StoreCeiling;
  readonly duplicates: Duplicates;
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
    const row = knownRow(job, { skinUuid: skin.uuid, now: context.clock.now() });
    return { kind: 'known', job: { ...row, id: 0 }, skin };
  }
  const recorded = await recordKnown(context.db, job, { skinUuid: skin.uuid, now: context.clock.now() });
  if (recorded.kind !== 'recorded') return await answerAgain(context, recorded);
  context.signals.accepted(job.owner, recorded.job);
  return { kind: 'known', job: recorded.job, skin };
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
  { db, clock }: StoreContext,
  caller: Caller,
  submitted: readonly Submitted[],
): Promise<RateLimit> {
  const now = clock.now();
  const { usage } = submitted.length === 1 ? submitted[0]! : {};
  const rateLimit = usage ? rateLimitOf(usage, caller, now) : await readRateLimit(db, caller, now);
  const last = submitted.findLast((one) => one.kind === 'pending');
  const relative = Math.max(rateLimit.next.relative, last?.opensIn ?? 0);
  return withWait(rateLimit, relative, now);
}
