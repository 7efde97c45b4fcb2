import { createHash } from 'node:crypto';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { Pool, type PoolClient, type PoolConfig, type QueryResult, types } from 'pg';
import { isDeadlock, isOutdated } from '../failures.ts';
import { ANY_SCHEMA } from '../process-memory.ts';
import { ConnectionGate, StoreClient } from './client.ts';
import { asConnectError, asLostConnection, asStoreError } from './failures.ts';

/** Maximum number of statements with names on each connection; the service uses about a hundred. */
const MAX_NAMES = 500;
/** Longest statement to name, in characters. Longer ones have lists of varying lengths. */
const LONGEST_NAMED = 4_000;

/** Short names for statements, which each connection prepares on first use. */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #generation = 0;

  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_NAMES || text.length > LONGEST_NAMED) return undefined;
    const name = createHash('sha256').update(`${this.#generation} ${text}`).digest('base64url').slice(0, 22);
    this.#names.set(text, name);
    return name;
  }

  /**
   * Gives all statements new names, so that connections prepare them again, unless that has happened since this
   * statement got its name.
   */
  renew(text: string, name: string): void {
    if (this.#names.get(text) !== name) return;
    this.#names.clear();
    this.#generation++;
  }
}

/** Measures for how long work has been waiting for a connection without a break. */
export class PoolWaits {
  readonly #pool: Pick<Pool, 'waitingCount'>;
  readonly #now: () => number;
  /** When no work was last waiting. */
  #freeAt: number;

  /** @param now a clock that never jumps, in milliseconds */
  constructor(pool: Pick<Pool, 'waitingCount'>, now = () => performance.now()) {
    this.#pool = pool;
    this.#now = now;
    this.#freeAt = now();
  }

  /** Call whenever work requests or gets a connection. */
  look(): void {
    if (this.#pool.waitingCount === 0) this.#freeAt = this.#now();
  }

  get milliseconds(): number {
    return this.#pool.waitingCount === 0 ? 0 : this.#now() - this.#freeAt;
  }
}

export interface PoolOptions {
  /** Maximum connections of this process. */
  readonly connections: number;
  /**
   * False behind a pooler that gives each transaction another connection, because prepared statements and session
   * settings need their own.
   */
  readonly prepares: boolean;
  /** Milliseconds for connecting, for a free connection of the pool, and for a statement. */
  readonly connectTimeout: number;
  readonly statementTimeout: number;
}

export const POOL_OPTIONS: PoolOptions = {
  connections: 10,
  prepares: true,
  connectTimeout: 10_000,
  statementTimeout: 30_000,
};

/** Attempts at a conflicting statement outside transactions. */
const MAX_TRIES = 5;

/** The number of a type in PostgreSQL's catalogue. */
const INT8 = 20;

/** Parses 64-bit numbers as numbers, because none of ours is above 2^53. */
const parsers: PoolConfig['types'] = {
  getTypeParser: (oid, format) =>
    oid === INT8 && format !== 'binary' ? Number : types.getTypeParser(oid, format as 'text'),
};

/** Settings for the connections of the pool and the listener. */
export function connectionConfig(url: string, { connectTimeout, statementTimeout }: PoolOptions): PoolConfig {
  return {
    connectionString: withLibpqRules(url),
    application_name: 'skinsmith',
    connectionTimeoutMillis: connectTimeout,
    // The server ends the statement (see limitsOf); the client gives up later, in case the server is gone.
    query_timeout: statementTimeout + 5_000,
    keepAlive: true,
    types: parsers,
  };
}

/** `sslmode` as in other clients: `require` always encrypts, `verify-full` also verifies the server. */
function withLibpqRules(url: string): string {
  const parsed = new URL(url);
  if (parsed.searchParams.has('sslmode')) parsed.searchParams.set('uselibpqcompat', 'true');
  return parsed.href;
}

/** Set by statements, because PgBouncer refuses connections that set them at the start. */
function limitsOf(scope: 'session' | 'local', { statementTimeout }: PoolOptions): string {
  const limits = ['statement_timeout', 'idle_in_transaction_session_timeout'];
  return limits.map((name) => `set ${scope} ${name} = ${statementTimeout}`).join('; ');
}

/** Opens connections on demand, and closes idle ones after a while. */
export function makePool(url: string, options: PoolOptions): Pool {
  const { connections: max, prepares, connectTimeout } = options;
  const limits = { text: limitsOf('session', options), query_timeout: connectTimeout };
  const pool = new Pool({
    ...connectionConfig(url, options),
    max,
    Client: StoreClient,
    ...(prepares && { onConnect: async (client) => void (await client.query(limits)) }),
  });
  pool.on('error', () => {}); // an idle connection was lost; the pool opens another
  return pool;
}

/**
 * The pool for Kysely, with named statements and classified errors. It works only while this program may use the
 * schema.
 */
export function forKysely(
  pool: Pool,
  options: PoolOptions,
  { schema, waits } = { schema: ANY_SCHEMA, waits: new PoolWaits(pool) },
): PostgresPool {
  const names = options.prepares ? new StatementNames() : undefined;
  // Other programs may get the same connection next, so settings must end with the transaction.
  const limits = options.prepares ? undefined : limitsOf('local', options);
  const gate = new ConnectionGate();
  let wasThere = false;
  return {
    connect: async () => {
      schema.verify();
      waits.look();
      try {
        const client = await gate.pass(async () => await pool.connect());
        wasThere = true;
        return adapt(client, names, limits);
      } catch (error) {
        throw wasThere ? asLostConnection(error) : asConnectError(error);
      } finally {
        waits.look();
      }
    },
    end: async () => await pool.end(),
    options: {},
  };
}

/** PostgreSQL's texts cannot contain the character 0. It may occur in requested addresses, but never in stored values. */
function storable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(storable);
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}

const BEGINNING = /^(?:begin|start transaction)\b/;

/** @param limits statements at the start of each transaction */
function adapt(
  client: PoolClient,
  names: StatementNames | undefined,
  limits: string | undefined,
): PostgresPoolClient {
  let lost: Error | undefined;
  const send = async (text: string, values: readonly unknown[]): Promise<QueryResult> => {
    const name = values.length === 0 ? undefined : names?.of(text);
    try {
      return await client.query({ text, values: values.map(storable), ...(name !== undefined && { name }) });
    } catch (error) {
      if (name !== undefined && isOutdated(error)) names?.renew(text, name);
      throw error;
    }
  };
  const query = async (asked: string, values: readonly unknown[], tries = 1): Promise<QueryResult> => {
    if (lost) throw lost; // a rollback would also wait in vain; the transaction ends with the connection
    const text = limits !== undefined && BEGINNING.test(asked) ? `${asked}; ${limits}` : asked;
    const isInTransaction = client.getTransactionStatus() !== 'I';
    try {
      return await send(text, values);
    } catch (error) {
      // A transaction has to start again: see inTransaction.
      const isPassing = isOutdated(error) || isDeadlock(error);
      if (!isInTransaction && isPassing && tries < MAX_TRIES) return await query(asked, values, tries + 1);
      const trouble = asStoreError(error);
      if (trouble !== error) lost = trouble as Error;
      throw trouble;
    }
  };
  const release = () => client.release(lost ?? false); // closes a broken one
  return { query, release } as unknown as PostgresPoolClient;
}
