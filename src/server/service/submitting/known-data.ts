import type { Clock } from '../../../base/clock.ts';
import { newUuid } from '../../../base/text.ts';
import { EvictingMap, MINUTE, roomAt, type Spent, spendOne, stillSpent } from '../../fairness.ts';
import { type KnownData, type KnownFacts, lookUp } from '../../queue/known.ts';
import type { NewJob } from '../../queue/port.ts';
import { recallCaller } from '../../store/callers.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import { ensureSkin, findSkin, oldestPublicOf, type SkinWithData, someSkinOf } from '../../store/skins.ts';
import { ANONYMOUS_OWNERS } from '../callers.ts';
import {
  type LimitedRequest,
  rateLimitOf,
  type SpendingContext,
  type StoreCeiling,
  spendGeneration,
} from '../limits.ts';
import { Refusal } from '../refusal.ts';
import { ownIdentity, shareData, sharedOf } from '../skins/identity.ts';
import type { GenerationRequest } from './generation-request.ts';

/** A request with the data that may answer it. */
export interface AnswerableRequest {
  readonly request: Pick<GenerationRequest, 'caller' | 'via' | 'checkOnly'>;
  readonly known: readonly KnownData[];
}

export interface KnownDataContext extends DuplicatesContext, SpendingContext {
  readonly ceiling: StoreCeiling;
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
  context: KnownDataContext,
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
  readonly #tallies = new EvictingMap<{ spent: Spent }>(MANY_CALLERS);

  /** Counts one. @returns when the next one is allowed, milliseconds since the epoch; `now`: this one is allowed */
  count({ owner, limit, now }: { owner: string; limit: number; now: number }): number {
    const isIdle = ({ spent }: { spent: Spent }) => stillSpent(spent, MINUTE, now).length === 0;
    const tally = this.#tallies.ensure(owner, () => ({ spent: [] }), isIdle);
    tally.spent = stillSpent(tally.spent, MINUTE, now);
    const at = roomAt(tally.spent, MINUTE, limit, now);
    if (at <= now) tally.spent = spendOne(tally.spent, MINUTE, now);
    return at;
  }
}

export interface DuplicatesContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly duplicates: Duplicates;
}

/** @throws Refusal `rate_limit` for a caller with too many duplicates */
export async function countDuplicate(
  { db, clock, duplicates }: DuplicatesContext,
  { caller, via }: LimitedRequest,
): Promise<void> {
  const now = clock.now();
  const { owner, plan } = caller;
  const limit = TIMES * plan.perMinute;
  const absolute = duplicates.count({ owner, limit, now });
  if (absolute <= now) return;
  const rateLimit = rateLimitOf(await recallCaller(db, owner, now), caller, now, via);
  throw new Refusal('rate_limit', {
    message: `You may request at most ${limit} existing skins per minute.`,
    rateLimit: { ...rateLimit, next: { absolute, relative: absolute - now } },
  });
}
