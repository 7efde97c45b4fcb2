import { HOUR, MINUTE, spendOne, totalOf } from '../fairness/sliding-window.ts';
import { turnAfter } from '../fairness/turns.ts';
import { keepCallback } from '../store/callbacks.ts';
import { recallCaller, rememberCaller } from '../store/callers.ts';
import { type Db, inTransaction } from '../store/db.ts';
import { prepare } from '../store/prepared.ts';
import { PENDING } from '../store/schema/job-conditions.ts';
import type { JobRow, Via } from '../store/schema/tables.ts';
import { keepTexture } from '../store/textures.ts';
import { findRepeated, keepKey } from './idempotency.ts';
import { opensAt, VIA_RULES } from './limits.ts';
import type { NewJob, OverLimit, Recorded, Room, Submission, SubmitLimits } from './port.ts';
import { sharedOpensAt, spendShared } from './shared-limit.ts';

type NewRow = Omit<JobRow, 'id'>;

/** The fields of a job that is created as completed, instead of a place in the queue. */
const NO_PLACE = { turn: 0, concurrency: 1, burst: 1 } as const;

/**
 * Accepts a job within its owner's limits. Call in a transaction that keeps other writers out, so that of two
 * simultaneous requests only one gets the last spot.
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
  if (job.picture) await keepTexture(tx, { ...job.picture, created_at: now });
  if (limits.together) await spendShared(tx, limits.together, now);
  const { concurrency, burst } = limits;
  const queued = await insert(tx, { ...newRow(job, now), turn, concurrency, burst });
  await rememberCaller(tx, {
    ...memory,
    turn: turnAfter(turn, limits.priority),
    minute: spendOne(memory.minute, MINUTE, now),
    hour: spendOne(memory.hour, HOUR, now),
    spentAt: now,
    ...(job.via === 'v1' && { generatedAt: now }),
  });
  await keepKey(tx, job, queued);
  if (job.callback) await keepCallback(tx, job.callback, queued, now);
  return { kind: 'queued', job: queued };
}

/** Records a job whose result was available at once. */
export async function recordKnownJob(
  db: Db,
  job: NewJob,
  { skinUuid, now }: { skinUuid: string; now: number },
): Promise<Recorded> {
  const known = { status: 'completed', skin_uuid: skinUuid, finished_at: now } as const;
  const row = { ...newRow(job, now), ...NO_PLACE, ...known };
  // A transaction around a single row would cost more than the row.
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

/** The limit of the owner that refuses the job, if any. Limits that pass with time come first. */
async function overLimit(
  tx: Db,
  { owner, via }: Pick<NewJob, 'owner' | 'via'>,
  { limits, memory, now }: { limits: SubmitLimits; memory: OverLimit['memory']; now: number },
): Promise<OverLimit | undefined> {
  if (opensAt(memory, limits, { via, now }) > now) return { kind: 'too_fast', memory };
  const { atOnce } = VIA_RULES[via];
  if (Number.isFinite(atOnce)) {
    const { count: running } = await COUNT_PENDING.only(tx, { owner, via });
    if (running >= atOnce) return { kind: 'busy', running, memory };
  }
  const { count: pending } = await COUNT_PENDING.only(tx, { owner });
  if (pending >= limits.spots) return { kind: 'full', pending, memory };
  const sharedAt = limits.together ? await sharedOpensAt(tx, limits.together, now) : now;
  return sharedAt > now ? { kind: 'crowded', opensAt: sharedAt, memory } : undefined;
}

/** How many jobs of the owner would be accepted now, or the limit that refuses them. */
export async function findRoom(
  db: Db,
  { owner, via }: Pick<NewJob, 'owner' | 'via'>,
  { limits, now }: { limits: SubmitLimits; now: number },
): Promise<Room> {
  const memory = await recallCaller(db, owner, now);
  const over = await overLimit(db, { owner, via }, { limits, memory, now });
  if (over) return over;
  const { count: pending } = await COUNT_PENDING.only(db, { owner });
  const left = [
    limits.spots - pending,
    limits.perMinute - totalOf(memory.minute),
    limits.perHour - totalOf(memory.hour),
  ];
  // No version 1 job is in progress, or the owner would be over its limit.
  return { kind: 'room', count: Math.max(1, Math.min(...left, VIA_RULES[via].atOnce)) };
}

const COUNT_PENDING = prepare((db, { owner, via }: { owner: string; via?: Via }) => {
  const pending = db
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('owner', '=', owner)
    .where(PENDING);
  return via === undefined ? pending : pending.where('via', '=', via);
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
    started_at: null,
    created_at: now,
    finished_at: null,
    via: job.via,
    cape_hash: job.capeHash,
  };
}
