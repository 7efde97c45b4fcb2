import { Client, type ClientConfig } from 'pg';
import { readPasswordFile } from './password-file.ts';
import { StoreRefusedError } from './trouble.ts';

/**
 * A connection of the driver that looks for its password in the file that the address names (`passfile`), as libpq does:
 * anew each time, and only when the database asks for one.
 */
export class StoreClient extends Client {
  readonly #file: string | null;

  constructor(config: ClientConfig = {}) {
    super(config);
    this.#file = config.connectionString
      ? new URL(config.connectionString).searchParams.get('passfile')
      : null;
    // The driver's own search is deprecated and prints a warning. It calls a function when a password is asked for.
    if (!this.password) Object.assign(this, { password: async () => await this.#findPassword() });
  }

  async #findPassword(): Promise<string> {
    try {
      const found = this.#file && (await readPasswordFile(this.#file, this.#holder()));
      if (found) return found;
      throw new Error('it asks for a password, and none is given');
    } catch (error) {
      this.connection.stream.destroy(); // it would stay open for as long as the database waits for a password
      throw new StoreRefusedError(error as Error);
    }
  }

  /** Sockets in the file system are named `localhost` there. */
  #holder() {
    const { host, port, database = '', user = '' } = this;
    return { host: host.startsWith('/') ? 'localhost' : host, port, database, user };
  }
}
