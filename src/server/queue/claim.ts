import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import { moveQueueClock } from '../store/callers.ts';
import { prepare } from '../store/prepared.ts';
import type { Db } from '../store/store.ts';
import type { JobRow, Tables } from '../store/tables.ts';
import { PROCESSING, WAITING } from './conditions.ts';
import type { ClaimBounds, Lease } from './port.ts';
import { changeState } from './states.ts';

/** Takes the job whose turn it is, under a lease for `owner`, in a transaction that keeps other writers out. */
export async function claimNext(
  tx: Db,
  owner: string,
  { now, until, bounds = {} }: { now: number; until: number; bounds?: ClaimBounds },
): Promise<Lease | undefined> {
  if (await isFull(tx, bounds)) return undefined;
  const next = await findNext(tx, now, bounds);
  if (!next) return undefined;
  const held = { attempts: next.attempts + 1, lease_owner: owner, lease_until: until };
  await changeState(tx, { uuid: next.uuid, from: 'waiting', to: 'processing' }, held);
  await moveQueueClock(tx, next.turn);
  return { owner, job: { ...next, ...held, status: 'processing' } };
}

const NEXT = prepare(firstWaiting);
const NEXT_WITHOUT_TWIN = prepare((db, when: { now: number }) => firstWaiting(db, when).where(hasNoTwin));

/** Walks the waiting jobs in the order of their turns, past those that cannot run yet. */
function firstWaiting(db: Db, { now }: { now: number }) {
  const waiting = db.selectFrom('jobs').selectAll().where(WAITING).where('run_at', '<=', now).where(hasRoom);
  return waiting.orderBy('turn').orderBy('id').limit(1);
}

async function findNext(tx: Db, now: number, bounds: ClaimBounds): Promise<JobRow | undefined> {
  return await (bounds.onePerIdentity ? NEXT_WITHOUT_TWIN : NEXT).first(tx, { now });
}

/** When the first job may run that neither its owner's other jobs nor the bounds of all hold back. */
export async function nextRunAt(db: Db, bounds: ClaimBounds = {}): Promise<number | undefined> {
  if (await isFull(db, bounds)) return undefined;
  let waiting = db
    .selectFrom('jobs')
    .select((eb) => eb.fn.min('run_at').as('at'))
    .where(WAITING)
    .where(hasRoom);
  if (bounds.onePerIdentity) waiting = waiting.where(hasNoTwin);
  return (await waiting.executeTakeFirst())?.at ?? undefined;
}

/** Whether as many jobs are processed as may be, in all processes together. */
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

/** How many wait whose turn comes before this job's. */
export async function countWaitingBefore(db: Db, { turn, id }: Pick<JobRow, 'turn' | 'id'>): Promise<number> {
  return (await COUNT_BEFORE.only(db, { turn, id })).count;
}

/** Whether the job's owner has fewer in processing than it may. */
function hasRoom(eb: ExpressionBuilder<Tables, 'jobs'>): ExpressionWrapper<Tables, 'jobs', SqlBool> {
  const processing = eb
    .selectFrom('jobs as other')
    .select((inner) => inner.fn.countAll<number>().as('count'))
    .whereRef('other.owner', '=', 'jobs.owner')
    .where(PROCESSING);
  return eb(processing, '<', eb.ref('jobs.concurrency'));
}

/** Whether nobody is at work on the same skin data: once that is there, the job needs no work at all. */
function hasNoTwin(eb: ExpressionBuilder<Tables, 'jobs'>): ExpressionWrapper<Tables, 'jobs', SqlBool> {
  const twin = eb
    .selectFrom('jobs as other')
    .select('other.id')
    .whereRef('other.identity', '=', 'jobs.identity')
    .where(PROCESSING);
  return eb.not(eb.exists(twin));
}
