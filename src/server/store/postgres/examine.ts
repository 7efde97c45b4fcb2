import type { Pool } from 'pg';
import type { HealthFinding } from '../../../protocol/service.ts';
import { MAX_SKEW } from '../nodes.ts';
import { asConnectError } from './failures.ts';

/** The share of the database's connections that causes a warning. */
const MANY = 0.8;

interface Look {
  readonly version: string;
  readonly clock: number;
  readonly bytes: number;
  readonly connections: number;
  readonly most: number;
}

const LOOK = `select current_setting('server_version') as version,
  (extract(epoch from clock_timestamp()) * 1000)::bigint as clock,
  pg_database_size(current_database()) as bytes,
  (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
  current_setting('max_connections')::int as most`;

/** The state of a database and of this process's connections to it. @throws StoreUnreachableError */
export async function examine(
  pool: Pool,
  listener: { readonly isListening: boolean } | undefined,
): Promise<HealthFinding[]> {
  const waiting = pool.waitingCount; // before this request
  const sent = Date.now();
  const look = await readLook(pool);
  const received = Date.now();
  return [
    reached(look, received - sent),
    clockFinding(look.clock - (sent + received) / 2),
    poolFinding(pool, waiting),
    connectionsFinding(look),
    listenerFinding(listener),
  ];
}

async function readLook(pool: Pool): Promise<Look> {
  const { rows } = await pool.query<Look>(LOOK).catch((error: unknown) => {
    throw asConnectError(error);
  });
  return rows[0]!;
}

function reached({ version, bytes }: Look, milliseconds: number): HealthFinding {
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  return finding(
    'store_reached',
    true,
    `PostgreSQL ${version} responds within ${milliseconds} ms; the database has ${size}.`,
  );
}

function clockFinding(skew: number): HealthFinding {
  const how = `${Math.abs(Math.round(skew))} ms ${skew > 0 ? 'behind' : 'ahead of'} the database's`;
  return finding('store_clock', Math.abs(skew) < MAX_SKEW, `This server's clock is ${how}.`);
}

function poolFinding({ totalCount, options, idleCount }: Pool, waiting: number): HealthFinding {
  const used = `${totalCount - idleCount} of ${options.max ?? totalCount} connections are in use`;
  const rest = waiting === 0 ? '' : `, and ${waiting} requests are waiting for one`;
  return finding('store_pool', waiting === 0, `${used}${rest}.`);
}

function connectionsFinding({ connections, most }: Look): HealthFinding {
  const message = `The database has ${connections} of ${most} possible connections.`;
  return finding('store_connections', connections < MANY * most, message);
}

function listenerFinding(listener: { readonly isListening: boolean } | undefined): HealthFinding {
  const message = listener?.isListening
    ? 'This server receives notifications from the others.'
    : 'This server receives no notifications from the others; it checks the store four times a second instead.';
  return finding('store_listener', listener?.isListening ?? false, message);
}

function finding(code: string, isFine: boolean, message: string): HealthFinding {
  return { code, result: isFine ? 'ok' : 'warning', message };
}

/** Milliseconds between measurements, each of which reads the file system for every table. */
const SIZE_LOOK = 30_000;

/** The size of a database when last measured. */
export class DatabaseSize {
  readonly #pool: Pool;
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;

  private constructor(pool: Pool) {
    this.#pool = pool;
    // A database that cannot be queried cannot be written either, so writers get that error.
    this.#timer = setInterval(() => void this.#look().catch(() => {}), SIZE_LOOK).unref();
  }

  static async watch(pool: Pool): Promise<DatabaseSize> {
    const size = new DatabaseSize(pool);
    await size.#look().catch((error: unknown) => {
      size.stop();
      throw error;
    });
    return size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const { rows } = await this.#pool.query<{ bytes: number }>(
      'select pg_database_size(current_database()) as bytes',
    );
    this.#bytes = rows[0]?.bytes ?? 0;
  }
}
