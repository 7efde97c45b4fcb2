import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { isBlocked } from '../store/blocked-images.ts';
import { type CallerFacts, type CallerMemory, factsAbout, memoryOf } from '../store/callers.ts';
import type { Db } from '../store/db.ts';
import { isPostgres } from '../store/dialect.ts';
import { prepare } from '../store/prepared.ts';
import type { SkinRow } from '../store/schema/skin-tables.ts';
import type { Tables } from '../store/schema/tables.ts';
import { DATA, RECORD, type SkinWithData } from '../store/skins.ts';
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

/** All of it with a single statement, because every submission needs it. */
export async function lookUp(db: Db, wanted: Wanted, now: number): Promise<LookUp> {
  const { owner, textureHash, visibility, name, idempotencyKey } = wanted;
  const [first, second] = wanted.identities;
  const rows = await LOOK_UP.all(db, {
    ...{ owner, textureHash, visibility, first, second },
    ...(name !== null && { name }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  const [row] = rows;
  if (row === undefined) throw new Error('The store has no clock of the queue.');
  return {
    memory: memoryOf(owner, row, now),
    isKeyUsed: (row.keyed ?? null) !== null,
    isBlocked: Boolean(row.blocked),
    known: rows
      .flatMap((found) => knownIn(found) ?? [])
      .toSorted((a, b) => Number(b.identity === first) - Number(a.identity === first)),
  };
}

interface Values extends Pick<SkinRow, 'owner' | 'visibility'> {
  readonly textureHash: string;
  readonly first: string;
  readonly second: string;
  readonly name?: string;
  readonly idempotencyKey?: string;
}

const LOOK_UP = prepare((db, values: Values) =>
  withOwnRecord(db, values)
    .select(isBlocked(values.textureHash).as('blocked'))
    .select('texture_data.identity as known')
    .select(RECORD)
    .select(DATA)
    .$if(values.idempotencyKey !== undefined, (query) => query.select(keyedJob(db, values))),
);

/** Data that answers the request, and with it the owner's oldest record of it that matches. */
function withOwnRecord(db: Db, values: Values) {
  const found = factsAbout(db, values.owner).leftJoin('texture_data', (join) =>
    join.on('texture_data.identity', 'in', [values.first, values.second]),
  );
  const own = db
    .selectFrom('skins as own')
    .whereRef('own.identity', '=', sql.ref('texture_data.identity'))
    .where('own.owner', '=', values.owner)
    .where('own.visibility', '=', values.visibility)
    .$if(values.name !== undefined, (query) => query.where('own.name', '=', values.name ?? null));
  const beside = () => found.leftJoin('skins', (join) => join.on('skins.id', '=', own.select(oldest)));
  if (!isPostgres(db)) return beside();
  // PostgreSQL reads a whole table rather than look into its index twice, until it has found out how large it is.
  const first = own.selectAll('own').orderBy('own.id').limit(1).as('skins');
  return found.leftJoinLateral(first, (join) => join.onTrue()) as ReturnType<typeof beside>;
}

const oldest = (eb: ExpressionBuilder<{ own: Tables['skins'] }, 'own'>) => eb.fn.min('own.id').as('id');

type Row = CallerFacts &
  Nullable<SkinWithData> & {
    readonly known: string | null;
    readonly keyed?: number | null;
    /** SQLite has numbers for it. */
    readonly blocked: SqlBool;
  };
type Nullable<T> = { readonly [K in keyof T]: T[K] | null };

function knownIn(row: Row): KnownData | undefined {
  const { known, keyed: _keyed, blocked: _blocked, clock: _clock, ...rest } = row;
  const {
    turn: _turn,
    spent_at: _spent,
    generated_at: _generated,
    minute: _minute,
    hour: _hour,
    ...skin
  } = rest;
  if (known === null) return undefined;
  return { identity: known, own: skin.id === null ? undefined : (skin as SkinWithData) };
}
