import { createHmac, randomUUID } from 'node:crypto';
import { type Db, PreparedQuery } from '../store/db.ts';
import type { JobRow } from '../store/schema/tables.ts';
import type { NewJob, Repeated } from './port.ts';

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

export type NewRow = Omit<JobRow, 'id'>;

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

/** Inserts a job with its idempotency key. */
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

async function countKeys(tx: Db, jobId: number): Promise<number> {
  const { count } = await tx
    .selectFrom('idempotency_keys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Stores the request's key, if it has one, for the job of another request that answered it. */
export async function keepKey(tx: Db, { owner, idempotencyKey }: NewJob, { id }: JobRow): Promise<void> {
  if (idempotencyKey === undefined || (await countKeys(tx, id)) >= MAX_KEYS) return;
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
