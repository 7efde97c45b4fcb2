import { HOUR, MINUTE, spendOne, totalOf } from '../fairness/rate-limits.ts';
import { turnAfter } from '../fairness/turns.ts';
import { keepCallback } from '../store/callbacks.ts';
import { type CallerMemory, rememberCaller } from '../store/callers.ts';
import type { Db } from '../store/db.ts';
import { lockOwner, lockSubmitter } from '../store/locks.ts';
import { prepare } from '../store/prepared.ts';
import type { JobRow, Via } from '../store/schema/job-tables.ts';
import { keepTexture } from '../store/textures.ts';
import { answerToKey, keepKey } from './idempotency.ts';
import { opensAt, VIA_RULES } from './limits.ts';
import type { NewJob, OverLimit, Room, Submission, SubmitLimits } from './port.ts';
import { sharedOpensAt, spendShared } from './shared-limit.ts';
import { readStanding, type Standing } from './standing.ts';

export type NewRow = Omit<JobRow, 'id'>;

type Place = Pick<NewRow, 'turn' | 'concurrency' | 'burst'>;

/**
 * Accepts a job within its owner's limits. Call in a transaction that keeps other writers out, so that of two
 * simultaneous requests only one gets the last spot.
 */
export async function submitJob(
  tx: Db,
  job: NewJob,
  { limits, now }: { limits: SubmitLimits; now: number },
): Promise<Submission> {
  await lockSubmitter(tx, job.owner, Math.max(limits.concurrency, limits.burst));
  if (limits.together) await lockOwner(tx, limits.together.owner);
  const standing = await readStanding(tx, job, now);
  const { keyed, joined, memory, pending } = standing;
  if (keyed !== null) return answerToKey(await BY_ID.only(tx, { id: keyed }), job);
  if (joined !== null)
    return await joinJob(tx, job, { joined, now, memory, isFull: pending >= limits.spots });
  const over = await overLimit(tx, job.via, { limits, standing, now });
  if (over) return over;
  if (limits.together) await spendShared(tx, limits.together, now);
  const { concurrency, burst, priority } = limits;
  const row = { ...newRow(job, now), turn: memory.turn, concurrency, burst };
  const usage = afterJob(memory, { priority, via: job.via, now });
  if (job.picture) await keepTexture(tx, { ...job.picture, created_at: now });
  const queued = { ...row, ...(await INSERT.only(tx, row)) };
  await rememberCaller(tx, usage);
  if (job.callback) await keepCallback(tx, job.callback, queued, now);
  return { kind: 'queued', job: queued, usage, isFull: pending + 1 >= limits.spots };
}

/** Answers with the owner's unfinished job for the same request. */
async function joinJob(
  tx: Db,
  job: NewJob,
  {
    joined,
    now,
    memory,
    isFull,
  }: Pick<Standing, 'memory'> & { joined: number; now: number; isFull: boolean },
): Promise<Submission> {
  const same = await BY_ID.only(tx, { id: joined });
  await keepKey(tx, job, same);
  if (job.callback) await keepCallback(tx, job.callback, same, now);
  return { kind: 'joined', job: same, usage: memory, isFull };
}

function afterJob(
  memory: CallerMemory,
  { priority, via, now }: { priority: number; via: Via; now: number },
): CallerMemory {
  return {
    ...memory,
    turn: turnAfter(memory.turn, priority),
    minute: spendOne(memory.minute, MINUTE, now),
    hour: spendOne(memory.hour, HOUR, now),
    spentAt: now,
    ...(via === 'v1' && { generatedAt: now }),
  };
}

/** The limit of the owner that refuses the job, if any. Limits that pass with time come first. */
async function overLimit(
  tx: Db,
  via: Via,
  { limits, standing, now }: { limits: SubmitLimits; standing: Standing; now: number },
): Promise<OverLimit | undefined> {
  const { memory, pending, pendingVia: running } = standing;
  if (opensAt(memory, limits, { via, now }) > now) return { kind: 'too_fast', memory };
  if (running >= VIA_RULES[via].atOnce) return { kind: 'busy', running, memory };
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
  const standing = await readStanding(db, { owner, via }, now);
  const over = await overLimit(db, via, { limits, standing, now });
  if (over) return over;
  const { memory, pending } = standing;
  const left = [
    limits.spots - pending,
    limits.perMinute - totalOf(memory.minute),
    limits.perHour - totalOf(memory.hour),
  ];
  // No version 1 job is in progress, or the owner would be over its limit.
  return { kind: 'room', count: Math.max(1, Math.min(...left, VIA_RULES[via].atOnce)) };
}

const BY_ID = prepare((db, { id }: Pick<JobRow, 'id'>) =>
  db.selectFrom('jobs').selectAll().where('id', '=', id),
);

// The insertion of a job also stores its idempotency key.
export const INSERT = prepare((db, row: NewRow) => db.insertInto('jobs').values(row).returning('id'));

/** The row of a job that waits for its turn. */
export function newRow(job: NewJob, now: number): Omit<NewRow, keyof Place> {
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
    idempotency_key: job.idempotencyKey ?? null,
    source: job.source ?? null,
  };
}
