import { isBlocked } from '../store/blocked-images.ts';
import { type CallerMemory, factsAbout, memoryOf } from '../store/callers.ts';
import type { Db } from '../store/db.ts';
import { findOwnSkin, type SkinWithData } from '../store/skins.ts';
import { keyedJob } from './idempotency.ts';
import type { NewJob } from './port.ts';

/** Existing data, and the caller's own record of it if there is one that matches. */
export interface KnownData {
  readonly identity: string;
  readonly own: SkinWithData | undefined;
}

/** What the store knows about a request before anything is decided. */
export interface LookUp {
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
export interface Wanted
  extends Pick<NewJob, 'owner' | 'textureHash' | 'visibility' | 'name' | 'idempotencyKey'> {
  /** Identities of data; the first takes precedence. */
  readonly identities: readonly [string, string];
}

/** The data that exists is found together with all else, because every submission needs it. */
export async function lookUp(db: Db, wanted: Wanted, now: number): Promise<LookUp> {
  const { owner, identities, idempotencyKey } = wanted;
  const rows = await factsAbout(db, owner)
    .leftJoin('texture_data', (join) => join.on('texture_data.identity', 'in', identities))
    .select('texture_data.identity as known')
    .select(isBlocked(wanted.textureHash).as('blocked'))
    .$if(idempotencyKey !== undefined, (query) => query.select(keyedJob(db, wanted)))
    .execute();
  const [row] = rows;
  if (row === undefined) throw new Error('The store has no clock of the queue.');
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
