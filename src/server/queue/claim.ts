import {
  type Expression,
  type ExpressionBuilder,
  type ExpressionWrapper,
  type RawBuilder,
  type Simplify,
  type SqlBool,
  sql,
} from 'kysely';
import { countRows, type Db, inTransaction } from '../store/db.ts';
import { isLockTimeout } from '../store/failures.ts';
import { lockQueue } from '../store/locks.ts';
import { PreparedQuery } from '../store/prepared-query.ts';
import { type JobRow, PROCESSING, type Tables, WAITING } from '../store/schema/tables.ts';
import { type LeaseEnd, leaseEnd } from './leases.ts';
import type { ClaimBounds, Lease } from './port.ts';
import { updateState } from './states.ts';

/** Workers that get jobs with one statement. */
const MAX_TOGETHER = 32;

interface Waiting {
  readonly owner: string;
  readonly resolve: (lease: Lease | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * For PostgreSQL: one statement at a time takes jobs for all workers of a process that wait for one. Concurrent
 * statements would skip the jobs of owners whose rows are locked, and hinder each other.
 */
export class ClaimsInTurn {
  readonly #db: Db;
  readonly #times: ClaimTimes;
  #last: Promise<unknown> = Promise.resolve();
  #waiting: Waiting[] = [];

  constructor(db: Db, times: ClaimTimes) {
    this.#db = db;
    this.#times = times;
  }

  readonly claim: Claim = async (owner, bounds) => {
    // Limits over all owners are checked for each job, under a lock of the queue.
    if (Object.keys(bounds).length > 0) return await this.#inOrder(() => this.#claimOne(owner, bounds));
    const { promise, resolve, reject } = Promise.withResolvers<Lease | undefined>();
    this.#waiting.push({ owner, resolve, reject });
    if (this.#waiting.length === 1) void this.#inOrder(() => this.#claimForWaiting());
    return await promise;
  };

  /** Runs tasks one after the other in order of arrival. */
  async #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => {});
    return await done;
  }

  async #claimOne(owner: string, bounds: ClaimBounds): Promise<Lease | undefined> {
    const terms = { times: this.#times, bounds, choose: lockNextJob };
    const concernsOthers = bounds.onePerIdentity || bounds.processing !== undefined;
    if (!concernsOthers) return await claimNext(this.#db, owner, terms);
    return await inTransaction(this.#db, async (tx) => {
      await lockQueue(tx);
      return await claimNext(tx, owner, terms);
    });
  }

  async #claimForWaiting(): Promise<void> {
    const together = this.#waiting.splice(0, MAX_TOGETHER);
    if (this.#waiting.length > 0) void this.#inOrder(() => this.#claimForWaiting());
    try {
      await this.#share(together);
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  }

  /** Repeats while there are jobs, because one statement may leave out some. */
  async #share(workers: readonly Waiting[]): Promise<void> {
    for (let left = workers; left.length > 0; ) {
      const leases = await this.#claimSeveral(left.map(({ owner }) => owner));
      const served = leases.length === 0 ? left.length : leases.length;
      for (const [index, { resolve }] of left.slice(0, served).entries()) resolve(leases[index]);
      left = left.slice(served);
    }
  }

  /** Jobs for the first of these workers, in order; none if there is nothing to do. */
  async #claimSeveral(workers: readonly string[]): Promise<Lease[]> {
    const { patience } = this.#times;
    const values = { workers, most: workers.length, now: this.#times.now(), patience, ...this.#times.end() };
    const claim = (isInTurn: boolean) => claimSeveral(values, { isInTurn }).execute(this.#db);
    const { rows } = await claim(true).catch(async (error) => {
      if (!isLockTimeout(error)) throw error;
      return await claim(false); // a node that has stopped midway must not stop the others
    });
    const leases: Lease[] = [];
    for (const { known, place, more, ...job } of rows) {
      leases[place - 1] = { owner: workers[place - 1] ?? '', job, hasData: known !== null, isLast: !more };
    }
    return leases;
  }
}

/**
 * The number of the job to take, on PostgreSQL. Locks its row and that of its owner, which counts the jobs in
 * progress, and skips rows that another transaction has locked. PostgreSQL itself checks changed rows again before it
 * chooses one.
 */
function lockNextJob(_: Db, now: number, restrictions: Restrictions): RawBuilder<number> {
  const first = (room: ClaimLimit) =>
    sql`(select waiting.id ${lockWaiting(room, now, { ...restrictions, most: 1 })})`;
  return sql<number>`coalesce(${first('concurrency')}, ${first('burst')})`;
}

function lockWaiting(
  room: ClaimLimit,
  now: number,
  {
    onePerIdentity = false,
    owners,
    most,
    also = sql``,
  }: Restrictions & { readonly most: number; readonly also?: RawBuilder<unknown> },
): RawBuilder<unknown> {
  return sql`from jobs as waiting join callers on callers.owner = waiting.owner
    where waiting.status = 'waiting' and waiting.run_at <= ${now}
      and callers.processing < least(${sql.ref(`waiting.${room}`)}, callers.burst)
      ${onePerIdentity ? sql`and ${hasNoTwin('waiting')}` : sql``} ${owners ? isOf(owners) : sql``} ${also}
    order by waiting.turn, waiting.id limit ${most} for update skip locked`;
}

function isOf(owners: NonNullable<ClaimBounds['owners']>): RawBuilder<boolean> {
  const [names, isExcept] = 'only' in owners ? [owners.only, false] : [owners.except, true];
  return sql`and ${isExcept ? sql`not` : sql``} waiting.owner = any(${names})`;
}

type ClaimValues = LeaseEnd & {
  /** At most one per job. */
  readonly workers: readonly string[];
  readonly most: number;
  readonly now: number;
  /** Milliseconds to wait for the owner whose turn it is. */
  readonly patience: number;
};

/**
 * A job, the number of its worker (from 1), the identity of its data if the store has that, and whether other jobs
 * wait.
 */
type ClaimedRow = Simplify<
  JobRow & { readonly place: number; readonly known: string | null; readonly more: boolean }
>;

/**
 * Locks the owner whose turn it is. Without this, nodes that claim at the same moment would take the jobs of owners
 * that are not locked, and owners with more or heavier jobs, which are locked more often, would lose their share.
 * Nothing else is locked yet, so there is no deadlock.
 */
const WHOSE_TURN = ({
  now,
  patience,
}: Pick<ClaimValues, 'now' | 'patience'>) => sql`first as materialized (select callers.owner
  from (select set_config('lock_timeout', ${patience}::text, true) as set) as patience,
    jobs as waiting join callers on callers.owner = waiting.owner
  where patience.set is not null and waiting.status = 'waiting' and waiting.run_at <= ${now}
    and callers.processing < least(waiting.concurrency, callers.burst)
  order by waiting.turn, waiting.id limit 1 for update of callers),`;

const IS_LOCKED = sql`and (select count(*) from first) >= 0`;

/**
 * Takes the next jobs for several workers in one statement. It leaves out jobs of an owner that together exceed its
 * limit, so it may take fewer jobs than possible, but takes none only if none can run.
 */
function claimSeveral(
  { workers, most, now, patience, ...until }: ClaimValues,
  { isInTurn }: { isInTurn: boolean },
): RawBuilder<ClaimedRow> {
  const also = isInTurn ? IS_LOCKED : sql``;
  const locked = (room: ClaimLimit) => sql`
      select waiting.id, waiting.owner, waiting.turn, callers.processing,
        least(${sql.ref(`waiting.${room}`)}, callers.burst) as most ${lockWaiting(room, now, { most, also })}`;
  const fitting = (locks: string) => sql`select id, turn from
      (select *, row_number() over (partition by owner order by turn, id) as place from ${sql.ref(locks)}) as candidates
      where processing + place <= candidates.most`;
  return sql<ClaimedRow>`
      with ${isInTurn ? WHOSE_TURN({ now, patience }) : sql``} within as materialized (${locked('concurrency')}),
        beyond as materialized (${locked('burst')}),
        taken as (${fitting('within')} union all
          select * from (${fitting('beyond')}) as idle where not exists (select 1 from within)),
        placed as (select id, row_number() over (order by turn, id) as place from taken)
      update jobs set status = 'processing', attempts = attempts + 1, started_at = ${now},
        lease_owner = workers.name, lease_until = ${leaseEnd(until)}
      from placed join unnest(${workers}::text[]) with ordinality as workers (name, place) using (place)
      where jobs.id = placed.id and jobs.status = 'waiting'
      returning jobs.*, place, (select identity from texture_data where texture_data.identity = jobs.identity) as known,
        exists (select 1 from jobs as other where other.status = 'waiting' and other.id not in (select id from placed)) as more`;
}

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
  if (processing !== undefined) claim = claim.where(JOBS_IN_PROGRESS, '<', processing);
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
    .returning(DATA_OF_JOB);
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
  if (onePerIdentity) waiting = waiting.where(hasNoTwin('jobs'));
  return owners ? waiting.where(ownersFilter(owners)) : waiting;
}

/** The identity of the job's data, if the store has it. */
const DATA_OF_JOB = sql<string | null>`(select identity from texture_data
  where texture_data.identity = jobs.identity)`.as('known');

const JOBS_IN_PROGRESS = sql<number>`(select count(*) from jobs where ${PROCESSING})`;

/**
 * When the first job may run: of those due later, and of those due now that neither their owner's other jobs nor the
 * global limits hold back.
 */
export async function nextRunAt(db: Db, now: number, bounds: ClaimBounds): Promise<number | undefined> {
  const { onePerIdentity = false, owners, processing, until = Number.POSITIVE_INFINITY } = bounds;
  const inProgress = db.selectFrom('jobs').where(PROCESSING);
  if (processing !== undefined && (await countRows(inProgress)) >= processing) return undefined;
  let waiting = db
    .selectFrom('jobs')
    .select((eb) => eb.fn.min('run_at').as('at'))
    .where(WAITING)
    .where((eb) => eb.or([eb('run_at', '>', now), hasRoom('concurrency'), hasRoom('burst')]));
  if (onePerIdentity) waiting = waiting.where(hasNoTwin('jobs'));
  if (owners) waiting = waiting.where(ownersFilter(owners));
  const row = await waiting.executeTakeFirst();
  const at = Math.min(row?.at ?? Number.POSITIVE_INFINITY, until);
  return Number.isFinite(at) ? at : undefined;
}

/** Whether the job belongs to one of these owners, or to none of them. */
function ownersFilter(owners: NonNullable<ClaimBounds['owners']>) {
  return (eb: ExpressionBuilder<Tables, 'jobs'>): ExpressionWrapper<Tables, 'jobs', SqlBool> => {
    const names = 'only' in owners ? owners.only : owners.except;
    const isNamed = eb.or(names.map((name) => eb('jobs.owner', '=', name)));
    return 'only' in owners ? isNamed : eb.not(isNamed);
  };
}

/** Whether the job's owner has fewer jobs in progress than allowed. */
function hasRoom(limit: ClaimLimit): RawBuilder<SqlBool> {
  return sql`(select count(*) from jobs as other where other.owner = jobs.owner and ${PROCESSING})
    < ${sql.ref(`jobs.${limit}`)}`;
}

/** Whether no other job is making the same skin data. Once that exists, this job needs no work. */
function hasNoTwin(job: 'jobs' | 'waiting'): RawBuilder<SqlBool> {
  return sql`not exists (select 1 from jobs as other
    where other.identity = ${sql.ref(`${job}.identity`)} and other.status = 'processing')`;
}
