import type { Pool } from 'pg';

/** Milliseconds between two looks: each asks the file system for every table. */
const LOOK = 30_000;

/** How large a database is, as it was when last looked at. */
export class DatabaseSize {
  readonly #pool: Pool;
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;

  private constructor(pool: Pool) {
    this.#pool = pool;
    // One that cannot be asked cannot be written to either, as whoever tries is told.
    this.#timer = setInterval(() => void this.#look().catch(() => {}), LOOK).unref();
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
