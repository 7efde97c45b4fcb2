import { keepCallback } from '../store/callbacks.ts';
import { recallCaller, rememberCaller } from '../store/callers.ts';
import { prepare } from '../store/prepared.ts';
import { type Db, inTransaction } from '../store/store.ts';
import type { JobRow, Via } from '../store/tables.ts';
import { PENDING } from './conditions.ts';
import { findRepeated, keepKey } from './idempotency.ts';
import { opensAt, VIA_RULES } from './limits.ts';
import type { NewJob, OverLimit, Recorded, Submission, SubmitLimits } from './port.ts';
import { HOUR, MINUTE, spendOne } from './sliding-window.ts';
import { turnAfter } from './turns.ts';

type NewRow = Omit<JobRow, 'id'>;

/** What a job that is born completed has instead of a place in the queue. */
const NO_PLACE = { turn: 0, concurrency: 1 } as const;

/**
 * Accepts a job within its owner's limits. To be called in a transaction that keeps other writers out: then
 * of two requests at once only one gets the last spot.
 */
export async function submitJob(
  tx: Db,
  job: NewJob,
  { limits, now }: { limits: SubmitLimits; now: number },
): Promise<Submission> {
  const repeated = await findRepeated(tx, job);
  if (repeated) return repeated;
  const same = await FIND_PENDING.first(tx, job);
  if (same) {
    await keepKey(tx, job, same);
    if (job.callback) await keepCallback(tx, job.callback, same, now);
    return { kind: 'joined', job: same };
  }
  const memory = await recallCaller(tx, job.owner, now);
  const over = await overLimit(tx, job, { limits, memory, now });
  if (over) return over;
  const { turn } = memory;
  const queued = await insert(tx, { ...newRow(job, now), turn, concurrency: limits.concurrency });
  await rememberCaller(tx, {
    ...memory,
    turn: turnAfter(turn, limits.priority),
    minute: spendOne(memory.minute, MINUTE, now),
    hour: spendOne(memory.hour, HOUR, now),
    spentAt: now,
    ...(job.via !== 'queue' && { generatedAt: now }),
  });
  await keepKey(tx, job, queued);
  if (job.callback) await keepCallback(tx, job.callback, queued, now);
  return { kind: 'queued', job: queued };
}

/** Records a job whose result was known at once. */
export async function recordKnownJob(
  db: Db,
  job: NewJob,
  { skinUuid, now }: { skinUuid: string; now: number },
): Promise<Recorded> {
  const known = { status: 'completed', skin_uuid: skinUuid, finished_at: now } as const;
  const row = { ...newRow(job, now), ...NO_PLACE, ...known };
  // A transaction around a row alone would cost more than the row.
  if (job.idempotencyKey === undefined && !job.callback)
    return { kind: 'recorded', job: await insert(db, row) };
  return await inTransaction(db, async (tx) => {
    const repeated = await findRepeated(tx, job);
    if (repeated) return repeated;
    const recorded = await insert(tx, row);
    await keepKey(tx, job, recorded);
    if (job.callback) await keepCallback(tx, job.callback, recorded, now);
    return { kind: 'recorded', job: recorded };
  });
}

/** Whether a limit of the owner's stands against it. What passes by itself is told before what does not. */
async function overLimit(
  tx: Db,
  { owner, via }: NewJob,
  { limits, memory, now }: { limits: SubmitLimits; memory: OverLimit['memory']; now: number },
): Promise<OverLimit | undefined> {
  if (opensAt(memory, limits, { via, now }) > now) return { kind: 'too_fast', memory };
  if (via !== 'queue') {
    const { count: running } = await COUNT_PENDING.only(tx, { owner, otherThan: 'queue' });
    if (running >= VIA_RULES[via].atOnce(limits)) return { kind: 'busy', running, memory };
  }
  const { count: pending } = await COUNT_PENDING.only(tx, { owner });
  return pending >= limits.spots ? { kind: 'full', pending, memory } : undefined;
}

const COUNT_PENDING = prepare((db, { owner, otherThan }: { owner: string; otherThan?: Via }) => {
  const pending = db
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('owner', '=', owner)
    .where(PENDING);
  return otherThan === undefined ? pending : pending.where('via', '<>', otherThan);
});

const FIND_PENDING = prepare((db, { owner, requestKey }: Pick<NewJob, 'owner' | 'requestKey'>) =>
  db
    .selectFrom('jobs')
    .selectAll()
    .where('owner', '=', owner)
    .where('request_key', '=', requestKey)
    .where(PENDING),
);

const INSERT = prepare((db, row: NewRow) => db.insertInto('jobs').values(row).returning('id'));

async function insert(tx: Db, row: NewRow): Promise<JobRow> {
  return { ...row, ...(await INSERT.only(tx, row)) };
}

function newRow(job: NewJob, now: number): Omit<NewRow, keyof typeof NO_PLACE> {
  return {
    uuid: job.uuid,
    owner: job.owner,
    status: 'waiting',
    request_key: job.requestKey,
    identity: job.identity,
    texture_hash: job.textureHash,
    variant: job.variant,
    visibility: job.visibility,
    name: job.name,
    skin_uuid: null,
    error_code: null,
    error_message: null,
    attempts: 0,
    run_at: now,
    lease_owner: null,
    lease_until: null,
    created_at: now,
    finished_at: null,
    via: job.via,
    cape_hash: job.capeHash,
  };
}
