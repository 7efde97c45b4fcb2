import { keepCallback } from '../store/callbacks.ts';
import { type CallerMemory, factsAbout, memoryOf } from '../store/callers.ts';
import { type Db, PreparedQuery } from '../store/db.ts';
import { isBlocked } from '../store/moderation.ts';
import { findOwnSkin, type SkinWithData } from '../store/skins.ts';
import { findRepeated, INSERT_JOB, keyedJob, type NewRow, newRow } from './idempotency.ts';
import type { NewJob, Recorded } from './port.ts';

/** Existing data, and the caller's own record of it if there is one that matches. */
export interface KnownData {
  readonly identity: string;
  readonly own: SkinWithData | undefined;
}

/** What the store knows about a request before anything is decided. */
export interface KnownFacts {
  /** The caller's usage. */
  readonly memory: CallerMemory;
  /** Whether the owner has used the request's idempotency key before. */
  readonly isKeyUsed: boolean;
  /** Whether an operator has blocked the image. */
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

/** The row of a job whose skin already exists. */
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
        .where((where) =>
          where.not(
            where.exists(
              where
                .selectFrom('idempotency_keys')
                .select('job_id')
                .where('owner', '=', row.owner)
                .where('key', '=', row.idempotency_key ?? ''),
            ),
          ),
        ),
    )
    .returning('id'),
);
