import { createHash } from 'node:crypto';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { Pool, type PoolClient, type PoolConfig, types } from 'pg';
import { StoreClient } from './client.ts';
import { ConnectionGate } from './connection-gate.ts';
import { asNoConnection, asTrouble } from './trouble.ts';

export interface PoolOptions {
  /** Most connections of this process. */
  readonly connections: number;
  /** False behind a pooler that gives each transaction another connection: prepared statements need their own. */
  readonly prepares: boolean;
  /** Milliseconds: for a connection, for a free one of the pool, and for a statement. */
  readonly connectTimeout: number;
  readonly statementTimeout: number;
}

export const POOL_OPTIONS: PoolOptions = {
  connections: 10,
  prepares: true,
  connectTimeout: 10_000,
  statementTimeout: 30_000,
};

/** The number of a type in PostgreSQL's catalogue. */
const INT8 = 20;
/** Maximum number of statements with names on each connection; the service uses about a hundred. */
const MAX_NAMES = 500;
/** Characters: longer ones have lists of varying lengths. */
const LONGEST_NAMED = 4_000;

/** Numbers of 64 bits as numbers: none of ours is above 2^53. */
const parsers: PoolConfig['types'] = {
  getTypeParser: (oid, format) =>
    oid === INT8 && format !== 'binary' ? Number : types.getTypeParser(oid, format as 'text'),
};

/** Settings of a connection, for those of the pool and the listener's own. */
export function connectionConfig(url: string, { connectTimeout, statementTimeout }: PoolOptions): PoolConfig {
  return {
    connectionString: withLibpqRules(url),
    application_name: 'skinsmith',
    connectionTimeoutMillis: connectTimeout,
    // The server ends the statement; the client gives up later, when there is no server any more.
    statement_timeout: statementTimeout,
    query_timeout: statementTimeout + 5_000,
    idle_in_transaction_session_timeout: statementTimeout,
    keepAlive: true,
    types: parsers,
  };
}

/** `sslmode` as in every other client: `require` encrypts, `verify-full` also checks who answers. */
function withLibpqRules(url: string): string {
  const parsed = new URL(url);
  if (parsed.searchParams.has('sslmode')) parsed.searchParams.set('uselibpqcompat', 'true');
  return parsed.href;
}

/** Connections that are opened when needed, and closed when nothing needed them for a while. */
export function makePool(url: string, options: PoolOptions): Pool {
  const pool = new Pool({ ...connectionConfig(url, options), max: options.connections, Client: StoreClient });
  pool.on('error', () => {}); // an idle connection was lost: the pool opens another one
  return pool;
}

/** The pool as Kysely uses it: with names for statements, and errors that say whose fault they are. */
export function forKysely(pool: Pool, { prepares }: PoolOptions): PostgresPool {
  const names = new StatementNames();
  const gate = new ConnectionGate();
  const nameOf = prepares ? (text: string) => names.of(text) : () => undefined;
  return {
    connect: async () => {
      try {
        return adapt(await gate.pass(async () => await pool.connect()), nameOf);
      } catch (error) {
        throw asNoConnection(error);
      }
    },
    end: async () => await pool.end(),
    options: {},
  };
}

function adapt(client: PoolClient, nameOf: (text: string) => string | undefined): PostgresPoolClient {
  let lost: Error | undefined;
  const onLost = (error: Error) => {
    lost = error;
  };
  client.on('error', onLost);
  const query = async (text: string, values: readonly unknown[]) => {
    try {
      const name = values.length === 0 ? undefined : nameOf(text);
      return await client.query({ text, values: [...values], ...(name !== undefined && { name }) });
    } catch (error) {
      const trouble = asTrouble(error);
      if (trouble !== error) lost = trouble as Error;
      throw trouble;
    }
  };
  const release = () => {
    client.off('error', onLost);
    client.release(lost ?? false); // a broken one is closed
  };
  return { query, release } as unknown as PostgresPoolClient;
}

/** Short names of statements, the same in all processes. */
class StatementNames {
  readonly #names = new Map<string, string>();

  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_NAMES || text.length > LONGEST_NAMED) return undefined;
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    this.#names.set(text, name);
    return name;
  }
}
