import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import { moveQueueClock } from '../store/callers.ts';
import type { Db } from '../store/db.ts';
import { prepare } from '../store/prepared.ts';
import { PROCESSING, WAITING } from '../store/schema/job-conditions.ts';
import type { JobRow, Tables } from '../store/schema/tables.ts';
import type { ClaimBounds, Lease } from './port.ts';
import { changeState } from './states.ts';

/** Takes the next job under a lease for `owner`, in a transaction that keeps other writers out. */
export async function claimNext(
  tx: Db,
  owner: string,
  { now, until, bounds = {} }: { now: number; until: number; bounds?: ClaimBounds },
): Promise<Lease | undefined> {
  if (await isFull(tx, bounds)) return undefined;
  const next = await findNext(tx, now, bounds);
  if (!next) return undefined;
  const held = { attempts: next.attempts + 1, lease_owner: owner, lease_until: until, started_at: now };
  await changeState(tx, { uuid: next.uuid, from: 'waiting', to: 'processing' }, held);
  await moveQueueClock(tx, next.turn);
  return { owner, job: { ...next, ...held, status: 'processing' } };
}

interface Looking {
  /** The limit of its owner that a job must fit into; `burst` is for otherwise idle capacity. */
  readonly room: 'concurrency' | 'burst';
  readonly onePerIdentity: boolean;
}

/** Iterates over the waiting jobs in turn order, skipping those that cannot run yet. */
function firstWaiting(looking: Looking) {
  return prepare((db, { now }: { now: number }) => waitingFirst(db, now, looking));
}

function waitingFirst(db: Db, now: number, { room, onePerIdentity }: Looking) {
  const waiting = db.selectFrom('jobs').selectAll().where(WAITING).where('run_at', '<=', now);
  const free = waiting.where(hasRoom(room)).orderBy('turn').orderBy('id').limit(1);
  return onePerIdentity ? free.where(hasNoTwin) : free;
}

const NEXT = {
  concurrency: firstWaiting({ room: 'concurrency', onePerIdentity: false }),
  burst: firstWaiting({ room: 'burst', onePerIdentity: false }),
} as const;
const NEXT_WITHOUT_TWIN = {
  concurrency: firstWaiting({ room: 'concurrency', onePerIdentity: true }),
  burst: firstWaiting({ room: 'burst', onePerIdentity: true }),
} as const;

/**
 * The first job whose owner is below its concurrency. If there is none, the worker would be idle: then the first
 * whose owner is below its burst.
 */
async function findNext(
  tx: Db,
  now: number,
  { onePerIdentity = false, owners }: ClaimBounds,
): Promise<JobRow | undefined> {
  if (owners) {
    const first = async (room: Looking['room']) =>
      await waitingFirst(tx, now, { room, onePerIdentity }).where(isOf(owners)).executeTakeFirst();
    return (await first('concurrency')) ?? (await first('burst'));
  }
  const next = onePerIdentity ? NEXT_WITHOUT_TWIN : NEXT;
  return (await next.concurrency.first(tx, { now })) ?? (await next.burst.first(tx, { now }));
}

/** When the first job may run that is not held back by its owner's other jobs or the global limits. */
export async function nextRunAt(db: Db, bounds: ClaimBounds = {}): Promise<number | undefined> {
  if (await isFull(db, bounds)) return undefined;
  const { owners, until = Number.POSITIVE_INFINITY } = bounds;
  let waiting = db
    .selectFrom('jobs')
    .select((eb) => eb.fn.min('run_at').as('at'))
    .where(WAITING)
    .where((eb) => eb.or([hasRoom('concurrency')(eb), hasRoom('burst')(eb)]));
  if (bounds.onePerIdentity) waiting = waiting.where(hasNoTwin);
  if (owners) waiting = waiting.where(isOf(owners));
  const at = Math.min((await waiting.executeTakeFirst())?.at ?? Number.POSITIVE_INFINITY, until);
  return Number.isFinite(at) ? at : undefined;
}

/** Whether the maximum number of jobs is in progress, over all processes. */
async function isFull(db: Db, { processing: most }: ClaimBounds): Promise<boolean> {
  if (most === undefined) return false;
  const { count } = await db
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(PROCESSING)
    .executeTakeFirstOrThrow();
  return Number(count) >= most;
}

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
function hasRoom(limit: Looking['room']) {
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
