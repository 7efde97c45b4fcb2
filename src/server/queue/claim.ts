import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import { type Db, inTransaction } from '../store/db.ts';
import { lockQueue } from '../store/locks.ts';
import { prepare } from '../store/prepared.ts';
import { PROCESSING, WAITING } from '../store/schema/job-conditions.ts';
import type { JobRow } from '../store/schema/job-tables.ts';
import type { Tables } from '../store/schema/tables.ts';
import { lockNextJob } from './claim-postgres.ts';
import { type LeaseEnd, leaseEnd } from './lease-time.ts';
import type { ClaimBounds, Lease } from './port.ts';
import { updateState } from './states.ts';

/**
 * Takes the next job under a lease for `owner`: the first one whose owner is below its concurrency. If there is none, the
 * worker would be idle: then the first one whose owner is below its burst. A single statement, which is safe by itself
 * where there is only one writer at a time.
 */
export async function claimNext(db: Db, owner: string, terms: ClaimTerms): Promise<Lease | undefined> {
  const { onePerIdentity, processing } = terms.bounds ?? {};
  const concernsOthers = onePerIdentity || processing !== undefined;
  if (!concernsOthers || !db.store.isShared) return await claimAlone(db, owner, terms);
  return await inTransaction(db, async (tx) => {
    await lockQueue(tx);
    return await claimAlone(tx, owner, terms);
  });
}

interface ClaimTerms {
  readonly now: number;
  readonly until: LeaseEnd;
  readonly bounds?: ClaimBounds;
}

async function claimAlone(
  db: Db,
  owner: string,
  { now, until, bounds = {} }: ClaimTerms,
): Promise<Lease | undefined> {
  const { onePerIdentity = false, owners, processing } = bounds;
  const claim: Claim = { owner, now, ...until, ...(processing !== undefined && { processing }) };
  const next = onePerIdentity ? CLAIM_WITHOUT_TWIN : CLAIM;
  const row = owners
    ? await claiming(db, claim, { onePerIdentity, owners }).executeTakeFirst()
    : await next.first(db, claim);
  if (!row) return undefined;
  const { known, ...job } = row;
  return { owner, job, hasData: known !== null };
}

type Claim = LeaseEnd & {
  readonly owner: string;
  readonly now: number;
  /** Maximum number of jobs in progress. */
  readonly processing?: number;
};

type Restrictions = Pick<ClaimBounds, 'onePerIdentity' | 'owners'>;

/** The limit of its owner that a job must fit into; `burst` is for otherwise idle capacity. */
type Room = 'concurrency' | 'burst';

function claiming(db: Db, { owner, now, processing, ...until }: Claim, restrictions: Restrictions) {
  const first = (room: Room) => firstWaiting(db, { room, now, restrictions });
  const firstOf = (eb: ExpressionBuilder<Tables, 'jobs'>) =>
    db.store.isShared ? lockNextJob(now, restrictions) : eb.fn.coalesce(first('concurrency'), first('burst'));
  const claim = updateState(db, 'waiting', 'processing')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .set({ lease_owner: owner, lease_until: leaseEnd(until), started_at: now })
    .where('id', '=', firstOf)
    .returningAll()
    .returning(dataOfJob);
  return processing === undefined ? claim : claim.where((eb) => eb(countProcessing(eb), '<', processing));
}

const CLAIM = prepare((db, claim: Claim) => claiming(db, claim, {}));
const CLAIM_WITHOUT_TWIN = prepare((db, claim: Claim) => claiming(db, claim, { onePerIdentity: true }));

/** Iterates over the waiting jobs in turn order, skipping those that cannot run yet. */
function firstWaiting(
  db: Db,
  { room, now, restrictions }: { room: Room; now: number; restrictions: Restrictions },
) {
  const { onePerIdentity = false, owners } = restrictions;
  let waiting = db
    .selectFrom('jobs')
    .select('jobs.id')
    .where(WAITING)
    .where('run_at', '<=', now)
    .where(hasRoom(room))
    .orderBy('turn')
    .orderBy('id')
    .limit(1);
  if (onePerIdentity) waiting = waiting.where(hasNoTwin);
  return owners ? waiting.where(isOf(owners)) : waiting;
}

/** The identity of the job's data, if the store has it. */
function dataOfJob(eb: ExpressionBuilder<Tables, 'jobs'>) {
  return eb
    .selectFrom('texture_data')
    .select('texture_data.identity')
    .whereRef('texture_data.identity', '=', 'jobs.identity')
    .as('known');
}

function countProcessing(eb: ExpressionBuilder<Tables, 'jobs'>) {
  return eb
    .selectFrom('jobs')
    .select((inner) => inner.fn.countAll<number>().as('count'))
    .where(PROCESSING);
}

/**
 * When the first job may run, of those that will be due later and those that are and are not held back by their owner's
 * other jobs or the global limits.
 */
export async function nextRunAt(db: Db, now: number, bounds: ClaimBounds): Promise<number | undefined> {
  const { onePerIdentity = false, owners, processing, until = Number.POSITIVE_INFINITY } = bounds;
  if (processing !== undefined && (await PROCESSED.only(db, {})).count >= processing) return undefined;
  const next = onePerIdentity ? NEXT_RUN_WITHOUT_TWIN : NEXT_RUN;
  const row = owners
    ? await nextRun(db, now, { onePerIdentity, owners }).executeTakeFirst()
    : await next.first(db, { now });
  const at = Math.min(row?.at ?? Number.POSITIVE_INFINITY, until);
  return Number.isFinite(at) ? at : undefined;
}

function nextRun(db: Db, now: number, { onePerIdentity, owners }: Restrictions) {
  let waiting = db
    .selectFrom('jobs')
    .select((eb) => eb.fn.min('run_at').as('at'))
    .where(WAITING)
    .where((eb) => eb.or([eb('run_at', '>', now), hasRoom('concurrency')(eb), hasRoom('burst')(eb)]));
  if (onePerIdentity) waiting = waiting.where(hasNoTwin);
  return owners ? waiting.where(isOf(owners)) : waiting;
}

// Idle workers ask whenever another process has written.
const NEXT_RUN = prepare((db, { now }: { now: number }) => nextRun(db, now, {}));
const NEXT_RUN_WITHOUT_TWIN = prepare((db, { now }: { now: number }) =>
  nextRun(db, now, { onePerIdentity: true }),
);

/** How many jobs are in progress, over all processes. */
const PROCESSED = prepare((db) =>
  db
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(PROCESSING),
);

const COUNT_BEFORE = prepare((db, { turn, id }: Pick<JobRow, 'turn' | 'id'>) =>
  db
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(WAITING)
    .where((eb) => eb(eb.refTuple('turn', 'id'), '<', eb.tuple(turn, id))),
);

/** How many waiting jobs come before this one. */
export async function countWaitingBefore(db: Db, { turn, id }: Pick<JobRow, 'turn' | 'id'>): Promise<number> {
  return (await COUNT_BEFORE.only(db, { turn, id })).count;
}

/** Whether the job belongs to one of these owners, or to none of them. */
function isOf(owners: NonNullable<ClaimBounds['owners']>) {
  return (eb: ExpressionBuilder<Tables, 'jobs'>): ExpressionWrapper<Tables, 'jobs', SqlBool> => {
    const names = 'only' in owners ? owners.only : owners.except;
    const isNamed = eb.or(names.map((name) => eb('jobs.owner', '=', name)));
    return 'only' in owners ? isNamed : eb.not(isNamed);
  };
}

/** Whether the job's owner has fewer jobs in progress than allowed. */
function hasRoom(limit: Room) {
  return (eb: ExpressionBuilder<Tables, 'jobs'>): ExpressionWrapper<Tables, 'jobs', SqlBool> => {
    const processing = eb
      .selectFrom('jobs as other')
      .select((inner) => inner.fn.countAll<number>().as('count'))
      .whereRef('other.owner', '=', 'jobs.owner')
      .where(PROCESSING);
    return eb(processing, '<', eb.ref(`jobs.${limit}`));
  };
}

/** Whether no other job is producing the same skin data: once that exists, this job needs no work at all. */
function hasNoTwin(eb: ExpressionBuilder<Tables, 'jobs'>): ExpressionWrapper<Tables, 'jobs', SqlBool> {
  const twin = eb
    .selectFrom('jobs as other')
    .select('other.id')
    .whereRef('other.identity', '=', 'jobs.identity')
    .where(PROCESSING);
  return eb.not(eb.exists(twin));
}
