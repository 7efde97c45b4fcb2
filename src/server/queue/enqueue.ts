import { createHmac, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { HOUR, MINUTE, roomAt, spendOne, totalOf, turnAfter } from '../fairness.ts';
import { keepCallback } from '../store/callbacks.ts';
import { type CallerMemory, factsAbout, memoryOf, recallCaller, rememberCaller } from '../store/callers.ts';
import { countRows, type Db } from '../store/db.ts';
import { lockOwner, lockSubmitter } from '../store/locks.ts';
import { isBlocked } from '../store/moderation.ts';
import { PreparedQuery } from '../store/prepared-query.ts';
import { type JobRow, PENDING, type Via } from '../store/schema/tables.ts';
import { findOwnSkin, type SkinWithData } from '../store/skins.ts';
import { keepTexture } from '../store/textures.ts';
import type {
  NewJob,
  OverLimit,
  Recorded,
  Repeated,
  SharedLimit,
  SubmitLimits,
  SubmitResult,
  SubmitRoom,
} from './port.ts';

/** Hexadecimal digits of a time in milliseconds, until the year 10889. */
const TIME_DIGITS = 12;

/**
 * The ID of a new job: a UUID that starts with its time (version 7 of RFC 9562), with 74 random bits. Simultaneous
 * jobs are neighbours in the index of IDs, so the store writes a few pages instead of one per job.
 */
export function newJobId(now: number): string {
  const time = Math.max(0, Math.trunc(now)).toString(16).padStart(TIME_DIGITS, '0');
  // Node creates random UUIDs in bulk. Their version is at the same place.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Characters of an ID before its last group. */
const HEAD = 24;

/**
 * The ID of a job from the browser with this secret. Visitors who are not signed in may share an address with others,
 * who must not find their jobs: the ID's last digits identify the job's browser, but only to this service.
 */
export function visitorsJobId(secret: string, now: number): string {
  return marked(newJobId(now), secret);
}

export function isVisitorsJob(id: string, secret: string): boolean {
  return id === marked(id, secret);
}

function marked(id: string, secret: string): string {
  const head = id.slice(0, HEAD);
  return (
    head +
    createHmac('sha256', secret)
      .update(head)
      .digest('hex')
      .slice(0, id.length - HEAD)
  );
}

type NewRow = Omit<JobRow, 'id'>;

/** The row of a job that waits for its turn. */
export function newRow(job: NewJob, now: number): Omit<NewRow, 'turn' | 'concurrency' | 'burst'> {
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

export const INSERT_JOB = new PreparedQuery((db, row: NewRow) =>
  db.insertInto('jobs').values(row).returning('id'),
);

/** Selects the number of the job of an owner's earlier request with this key, as `keyed`. */
export function keyedJob(db: Db, { owner, idempotencyKey }: Pick<NewJob, 'owner' | 'idempotencyKey'>) {
  return db
    .selectFrom('idempotency_keys')
    .select('job_id')
    .where('owner', '=', owner)
    .where('key', '=', idempotencyKey ?? '')
    .as('keyed');
}

/** The job of an owner's earlier request with this key, as long as the job is kept. */
export async function findKeyedJob(db: Db, owner: string, key: string): Promise<JobRow | undefined> {
  return await db
    .selectFrom('idempotency_keys')
    .innerJoin('jobs', 'jobs.id', 'idempotency_keys.job_id')
    .selectAll('jobs')
    .where('idempotency_keys.owner', '=', owner)
    .where('idempotency_keys.key', '=', key)
    .executeTakeFirst();
}

/** The answer for a request whose key was used before; undefined for a new key. */
export async function findRepeated(db: Db, job: NewJob): Promise<Repeated | undefined> {
  if (job.idempotencyKey === undefined) return undefined;
  const earlier = await findKeyedJob(db, job.owner, job.idempotencyKey);
  return earlier && answerToKey(earlier, job);
}

/** The answer for a request whose key an earlier one had, which got this job. */
export function answerToKey(earlier: JobRow, job: NewJob): Repeated {
  return asksForTheSame(earlier, job) ? { kind: 'repeated', job: earlier } : { kind: 'key_taken' };
}

/** Maximum keys stored per job: a further one still finds the job while it is pending or its skin is known. */
const MAX_KEYS = 32;

/** Stores the request's key, if it has one, for the job of another request that answered it. */
export async function keepKey(tx: Db, { owner, idempotencyKey }: NewJob, { id }: JobRow): Promise<void> {
  if (idempotencyKey === undefined) return;
  if ((await countRows(tx.selectFrom('idempotency_keys').where('job_id', '=', id))) >= MAX_KEYS) return;
  await tx.insertInto('idempotency_keys').values({ owner, key: idempotencyKey, job_id: id }).execute();
}

/** Compares what the caller sent: the signer may have changed since, which the caller cannot know. */
function asksForTheSame(earlier: JobRow, job: NewJob): boolean {
  return (
    earlier.texture_hash === job.textureHash &&
    earlier.variant === job.variant &&
    earlier.visibility === job.visibility &&
    earlier.name === job.name &&
    earlier.cape_hash === job.capeHash
  );
}

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
  const usage = { ...afterGeneration(memory, job.via, now), turn: turnAfter(memory.turn, priority) };
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

/** What is remembered of a caller after one more generation. */
export function afterGeneration(memory: CallerMemory, via: Via, now: number): CallerMemory {
  return {
    ...memory,
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

/** Existing data, and the caller's own record of it if there is one that matches. */
export interface KnownData {
  readonly identity: string;
  readonly own: SkinWithData | undefined;
}

/** What the store knows about a request before anything is decided. */
export interface KnownFacts {
  readonly memory: CallerMemory;
  /** Whether the owner has used the request's idempotency key before. */
  readonly isKeyUsed: boolean;
  readonly isBlocked: boolean;
  /** Data that answers the request, in the order of the identities. */
  readonly known: readonly KnownData[];
}

/** Which data may answer a request. */
export interface LookUpQuery
  extends Pick<NewJob, 'owner' | 'textureHash' | 'visibility' | 'name' | 'idempotencyKey'> {
  /** Identities of data; the first takes precedence. */
  readonly identities: readonly [string, string];
}

type LookUpValues = Pick<LookUpQuery, 'owner' | 'textureHash' | 'idempotencyKey'> & {
  readonly first: string;
  readonly second: string;
};

/** Finds existing data together with everything else, because every submission needs it. */
export async function lookUp(db: Db, wanted: LookUpQuery, now: number): Promise<KnownFacts> {
  const { owner, identities, idempotencyKey, textureHash } = wanted;
  const [first, second] = identities;
  const rows = await LOOK_UP.all(db, { owner, first, second, idempotencyKey, textureHash });
  const [row] = rows;
  if (row === undefined) throw new Error('The store has no queue clock.');
  const found = new Set(rows.map(({ known }) => known));
  const known: KnownData[] = [];
  for (const identity of new Set(identities).intersection(found)) {
    known.push({ identity, own: await findOwnSkin(db, { ...wanted, identity }) });
  }
  return {
    memory: memoryOf(owner, row, now),
    isKeyUsed: (row.keyed ?? null) !== null,
    isBlocked: Boolean(row.blocked),
    known,
  };
}

const LOOK_UP = new PreparedQuery((db, { owner, first, second, idempotencyKey, textureHash }: LookUpValues) =>
  factsAbout(db, owner)
    .leftJoin('texture_data', (join) => join.on('texture_data.identity', 'in', [first, second]))
    .select('texture_data.identity as known')
    .select(isBlocked(textureHash).as('blocked'))
    .$if(idempotencyKey !== undefined, (query) => query.select(keyedJob(db, { owner, idempotencyKey }))),
);

/** The fields of a job that is created as completed and needs no place in the queue. */
const NO_PLACE = { turn: 0, concurrency: 1, burst: 1 } as const;

/** Records a job whose result is available at once. */
export async function recordKnown(
  db: Db,
  job: NewJob,
  { skinUuid, now }: { skinUuid: string; now: number },
): Promise<Recorded> {
  const row = knownRow(job, { skinUuid, now });
  const { callback, idempotencyKey } = job;
  const record = async (tx: Db) => await recordOnce(tx, job, row);
  if (!callback && idempotencyKey === undefined) return await db.store.commitOne(db, record);
  return await db.store.commit(db, async (tx) => {
    const recorded = await record(tx);
    if (callback && recorded.kind === 'recorded') await keepCallback(tx, callback, recorded.job, now);
    return recorded;
  });
}

export function knownRow(job: NewJob, { skinUuid, now }: { skinUuid: string; now: number }): NewRow {
  return { ...newRow(job, now), ...NO_PLACE, status: 'completed', skin_uuid: skinUuid, finished_at: now };
}

/** Inserts the row, unless the key of its request was used before. */
async function recordOnce(tx: Db, job: NewJob, row: NewRow): Promise<Recorded> {
  const insertion = job.idempotencyKey === undefined ? INSERT_JOB : INSERT_UNLESS_KEYED;
  const inserted = await insertion.first(tx, row);
  if (inserted) return { kind: 'recorded', job: { ...row, ...inserted } };
  return (await findRepeated(tx, job)) ?? (await recordOnce(tx, job, row)); // its job was just deleted
}

const INSERT_UNLESS_KEYED = new PreparedQuery((tx, row: NewRow) =>
  tx
    .insertInto('jobs')
    .columns(Object.keys(row) as (keyof NewRow)[])
    .expression(
      tx
        .selectNoFrom((values) => Object.entries(row).map(([name, value]) => values.val(value).as(name)))
        .where(
          sql<boolean>`not exists (select 1 from idempotency_keys
            where owner = ${row.owner} and key = ${row.idempotency_key ?? ''})`,
        ),
    )
    .returning('id'),
);
