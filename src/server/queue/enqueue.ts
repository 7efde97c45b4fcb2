import { HOUR, MINUTE, roomAt, spendOne, totalOf, turnAfter } from '../fairness.ts';
import { keepCallback } from '../store/callbacks.ts';
import { type CallerMemory, factsAbout, memoryOf, recallCaller, rememberCaller } from '../store/callers.ts';
import { type Db, lockOwner, lockSubmitter, PreparedQuery } from '../store/db.ts';
import { type JobRow, PENDING, type Via } from '../store/schema/tables.ts';
import { keepTexture } from '../store/textures.ts';
import { answerToKey, INSERT_JOB, keepKey, keyedJob, newRow } from './idempotency.ts';
import type { NewJob, OverLimit, SharedLimit, SubmitLimits, SubmitResult, SubmitRoom } from './port.ts';

interface Terms {
  readonly limits: SubmitLimits;
  readonly now: number;
}

/** Accepts a job within its owner's limits: of two simultaneous requests only one gets the last slot. */
export async function submitJob(db: Db, job: NewJob, terms: Terms): Promise<SubmitResult> {
  return await db.store.commit(db, async (tx) => await submitIn(tx, job, terms));
}

async function submitIn(tx: Db, job: NewJob, { limits, now }: Terms): Promise<SubmitResult> {
  await lockSubmitter(tx, job.owner, Math.max(limits.concurrency, limits.burst));
  if (limits.together) await lockOwner(tx, limits.together.owner);
  const ownerUsage = await readUsage(tx, job, now);
  const { keyed, joined, memory, pending } = ownerUsage;
  if (keyed !== null) return answerToKey(await jobByNumber(tx, keyed), job);
  if (joined !== null)
    return await joinJob(tx, job, { joined, now, memory, isFull: pending >= limits.slots });
  const over = await overLimit(tx, job.via, { limits, ownerUsage, now });
  if (over) return over;
  if (limits.together) await spendShared(tx, limits.together, now);
  const { concurrency, burst, priority } = limits;
  const row = { ...newRow(job, now), turn: memory.turn, concurrency, burst };
  const usage = afterJob(memory, { priority, via: job.via, now });
  if (job.picture) await keepTexture(tx, { ...job.picture, created_at: now });
  const inserted = await INSERT_JOB.first(tx, row);
  const queued = { ...row, id: inserted!.id };
  await rememberCaller(tx, usage);
  if (job.callback) await keepCallback(tx, job.callback, queued, now);
  return { kind: 'queued', job: queued, usage, isFull: pending + 1 >= limits.slots };
}

async function jobByNumber(db: Db, id: number): Promise<JobRow> {
  return await db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
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
  }: Pick<OwnerUsage, 'memory'> & { joined: number; now: number; isFull: boolean },
): Promise<SubmitResult> {
  const same = await jobByNumber(tx, joined);
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
  { limits, ownerUsage, now }: { limits: SubmitLimits; ownerUsage: OwnerUsage; now: number },
): Promise<OverLimit | undefined> {
  const { memory, pending, pendingVia: running } = ownerUsage;
  if (opensAt(memory, limits, { via, now }) > now) return { kind: 'too_fast', memory };
  if (running >= VIA_RULES[via].atOnce) return { kind: 'busy', running, memory };
  if (pending >= limits.slots) return { kind: 'full', pending, memory };
  const sharedAt = limits.together ? await sharedOpensAt(tx, limits.together, now) : now;
  return sharedAt > now ? { kind: 'crowded', opensAt: sharedAt, memory } : undefined;
}

/** How many jobs of the owner would be accepted now, or the limit that refuses them. */
export async function findRoom(
  db: Db,
  { owner, via }: Pick<NewJob, 'owner' | 'via'>,
  { limits, now }: { limits: SubmitLimits; now: number },
): Promise<SubmitRoom> {
  const ownerUsage = await readUsage(db, { owner, via }, now);
  const over = await overLimit(db, via, { limits, ownerUsage, now });
  if (over) return over;
  const { memory, pending } = ownerUsage;
  const left = [
    limits.slots - pending,
    limits.perMinute - totalOf(memory.minute),
    limits.perHour - totalOf(memory.hour),
  ];
  // No version 1 job is in progress; otherwise, the owner would be over its limit.
  return { kind: 'room', count: Math.max(1, Math.min(...left, VIA_RULES[via].atOnce)) };
}

/** The usage that decides whether a job is accepted. */
interface OwnerUsage {
  readonly memory: CallerMemory;
  /** Number of the owner's unfinished jobs. */
  readonly pending: number;
  /** Number of those that came by the same route. */
  readonly pendingVia: number;
  /** Number of the job of an earlier request with the same idempotency key. */
  readonly keyed: number | null;
  /** Number of the owner's unfinished job for the same request. */
  readonly joined: number | null;
}

type Asked = Pick<NewJob, 'owner' | 'via'> & Partial<Pick<NewJob, 'requestKey' | 'idempotencyKey'>>;

/** All of it with a single statement. Call in the transaction that inserts the job. */
async function readUsage(
  db: Db,
  { owner, via, requestKey, idempotencyKey }: Asked,
  now: number,
): Promise<OwnerUsage> {
  const usage = await USAGE.first(db, { owner, via, requestKey, idempotencyKey });
  if (usage === undefined) throw new Error('The store has no clock of the queue.');
  const { pending, pendingVia, keyed, joined, ...facts } = usage;
  return {
    memory: memoryOf(owner, facts, now),
    pending: pending!, // counts are never null
    pendingVia: pendingVia!,
    keyed: keyed ?? null,
    joined: joined ?? null,
  };
}

const USAGE = new PreparedQuery((db, { owner, via, requestKey, idempotencyKey }: Asked) => {
  const own = db.selectFrom('jobs').where('owner', '=', owner).where(PENDING);
  const count = own.select((eb) => eb.fn.countAll<number>().as('count'));
  return factsAbout(db, owner)
    .select(count.as('pending'))
    .select(count.where('via', '=', via).as('pendingVia'))
    .$if(idempotencyKey !== undefined, (query) => query.select(keyedJob(db, { owner, idempotencyKey })))
    .$if(requestKey !== undefined, (query) =>
      query.select(
        own
          .select('id')
          .where('request_key', '=', requestKey ?? '')
          .as('joined'),
      ),
    );
});

/** Limits of a job besides the windows and slots of its owner. */
interface ViaRules {
  /** Minimum milliseconds between two generations of this kind by the owner. */
  delay(limits: SubmitLimits): number;
  /** Maximum unfinished generations of this kind per owner, including this one. */
  atOnce: number;
}

/** Only version 1 has a delay and processes one request at a time. */
export const VIA_RULES = {
  queue: { delay: () => 0, atOnce: Number.POSITIVE_INFINITY },
  v1: { delay: ({ delay }) => delay, atOnce: 1 },
} as const satisfies Record<Via, ViaRules>;

/** When the owner may submit again, in milliseconds since the epoch; `now`: at once. */
export function opensAt(
  { minute, hour, generatedAt }: CallerMemory,
  limits: SubmitLimits,
  { via, now }: { via: Via; now: number },
): number {
  const delay = VIA_RULES[via].delay(limits);
  return Math.max(
    roomAt(minute, MINUTE, limits.perMinute, now),
    roomAt(hour, HOUR, limits.perHour, now),
    // A time further ahead is from before the clock was set back.
    generatedAt > now + delay ? now : generatedAt + delay,
  );
}

/** When one more fits, in milliseconds since the epoch; `now`: at once. */
export async function sharedOpensAt(db: Db, { owner, perHour }: SharedLimit, now: number): Promise<number> {
  const { hour } = await recallCaller(db, owner, now);
  return roomAt(hour, HOUR, perHour, now);
}

/** Counts one more. Call in the transaction that adds the counted row. */
export async function spendShared(tx: Db, { owner }: SharedLimit, now: number): Promise<void> {
  const memory = await recallCaller(tx, owner, now);
  await rememberCaller(tx, { ...memory, hour: spendOne(memory.hour, HOUR, now), spentAt: now });
}
