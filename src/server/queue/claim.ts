import { type Expression, type ExpressionBuilder, type ExpressionWrapper, type SqlBool, sql } from 'kysely';
import { type Db, PreparedQuery } from '../store/db.ts';
import { type JobRow, PROCESSING, type Tables, WAITING } from '../store/schema/tables.ts';
import { type LeaseEnd, leaseEnd } from './leases.ts';
import type { ClaimBounds, Lease } from './port.ts';
import { updateState } from './states.ts';

/** The clock of claims, and the ends of their leases. */
export interface ClaimTimes {
  now(): number;
  end(): LeaseEnd;
  /** Milliseconds that a claim waits for the owner whose turn it is. */
  readonly patience: number;
}

/** How the workers of one process get their jobs. */
export type Claim = (owner: string, bounds: ClaimBounds) => Promise<Lease | undefined>;

/** For SQLite, which has one writer at a time, so a claim is a single statement. */
export function claimsAlone(db: Db, times: ClaimTimes): Claim {
  return async (owner, bounds) => {
    // Even a claim that finds nothing would take the lock and wait for other processes' writes.
    if ((await ANY_DUE.first(db, { now: times.now() })) === undefined) return undefined;
    if (Object.keys(bounds).length > 0)
      return await claimNext(db, owner, { times, bounds, choose: firstInTurn });
    const row = await CLAIM_FIRST.first(db, { owner, now: times.now(), ...times.end() });
    return row && leaseOf(row, owner);
  };
}

/** A waiting job that may run now if there is room for it. */
const ANY_DUE = new PreparedQuery((db, { now }: { readonly now: number }) =>
  db.selectFrom('jobs').select('id').where(WAITING).where('run_at', '<=', now).limit(sql.lit(1)),
);

const CLAIM_FIRST = new PreparedQuery(
  (db, { owner, now, ...end }: { readonly owner: string; readonly now: number } & LeaseEnd) =>
    claiming(db, { owner, now, end }, firstInTurn(db, now, {})),
);

/** Selects the number of the job to take. */
export type Choose = (db: Db, now: number, restrictions: Restrictions) => Expression<number | null>;

/** Takes the chosen job under a lease for `owner`. */
export async function claimNext(
  db: Db,
  owner: string,
  { times, bounds, choose }: { times: ClaimTimes; bounds: ClaimBounds; choose: Choose },
): Promise<Lease | undefined> {
  const now = times.now();
  let claim = claiming(db, { owner, now, end: times.end() }, choose(db, now, bounds));
  const { processing } = bounds;
  if (processing !== undefined) claim = claim.where((eb) => eb(countProcessing(eb), '<', processing));
  const row = await claim.executeTakeFirst();
  return row && leaseOf(row, owner);
}

function claiming(
  db: Db,
  { owner, now, end }: { owner: string; now: number; end: LeaseEnd },
  chosen: Expression<number | null>,
) {
  return updateState(db, 'waiting', 'processing')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .set({ lease_owner: owner, lease_until: leaseEnd(end), started_at: now })
    .where('id', '=', chosen)
    .returningAll()
    .returning(dataOfJob);
}

function leaseOf({ known, ...job }: JobRow & { readonly known: string | null }, owner: string): Lease {
  return { owner, job, hasData: known !== null };
}

export type Restrictions = Pick<ClaimBounds, 'onePerIdentity' | 'owners'>;

/** The limit of its owner that a job must fit into; `burst` is for otherwise idle capacity. */
export type ClaimLimit = 'concurrency' | 'burst';

/** The first job whose owner is below its concurrency; without one, so that the worker is not idle, below its burst. */
function firstInTurn(db: Db, now: number, restrictions: Restrictions): Expression<number | null> {
  const first = (room: ClaimLimit) => firstWaiting(db, { room, now, restrictions });
  return sql<number | null>`coalesce(${first('concurrency')}, ${first('burst')})`;
}

/** Iterates over the waiting jobs in turn order, skipping those that cannot run yet. */
function firstWaiting(
  db: Db,
  { room, now, restrictions }: { room: ClaimLimit; now: number; restrictions: Restrictions },
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
    .limit(sql.lit(1));
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
 * When the first job may run: of those due later, and of those due now that neither their owner's other jobs nor the
 * global limits hold back.
 */
export async function nextRunAt(db: Db, now: number, bounds: ClaimBounds): Promise<number | undefined> {
  const { onePerIdentity = false, owners, processing, until = Number.POSITIVE_INFINITY } = bounds;
  if (processing !== undefined && (await countAllProcessing(db)) >= processing) return undefined;
  let waiting = db
    .selectFrom('jobs')
    .select((eb) => eb.fn.min('run_at').as('at'))
    .where(WAITING)
    .where((eb) => eb.or([eb('run_at', '>', now), hasRoom('concurrency')(eb), hasRoom('burst')(eb)]));
  if (onePerIdentity) waiting = waiting.where(hasNoTwin);
  if (owners) waiting = waiting.where(isOf(owners));
  const row = await waiting.executeTakeFirst();
  const at = Math.min(row?.at ?? Number.POSITIVE_INFINITY, until);
  return Number.isFinite(at) ? at : undefined;
}

/** The number of jobs in progress on all nodes. */
async function countAllProcessing(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(PROCESSING)
    .executeTakeFirstOrThrow();
  return count;
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
function hasRoom(limit: ClaimLimit) {
  return (eb: ExpressionBuilder<Tables, 'jobs'>): ExpressionWrapper<Tables, 'jobs', SqlBool> => {
    const processing = eb
      .selectFrom('jobs as other')
      .select((inner) => inner.fn.countAll<number>().as('count'))
      .whereRef('other.owner', '=', 'jobs.owner')
      .where(PROCESSING);
    return eb(processing, '<', eb.ref(`jobs.${limit}`));
  };
}

/** Whether no other job is making the same skin data. Once that exists, this job needs no work. */
function hasNoTwin(eb: ExpressionBuilder<Tables, 'jobs'>): ExpressionWrapper<Tables, 'jobs', SqlBool> {
  const twin = eb
    .selectFrom('jobs as other')
    .select('other.id')
    .whereRef('other.identity', '=', 'jobs.identity')
    .where(PROCESSING);
  return eb.not(eb.exists(twin));
}
