import { Client, type ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { readPasswordFile } from './password-file.ts';
import { StoreRefusedError } from './trouble.ts';

/**
 * A connection that looks for its password as libpq does: in the file that the address names (`passfile`), each time
 * anew, and only when the database asks for one. The driver's own search is deprecated, and does not know `passfile`.
 */
export class StoreClient extends Client {
  constructor({ connectionString = '', ...config }: ClientConfig = {}) {
    const address = parseIntoClientConfig(connectionString);
    const file = new URL(connectionString).searchParams.get('passfile');
    const given = address.password || process.env['PGPASSWORD'];
    super({
      ...{ ...address, ...config },
      // As for libpq: what goes through a socket in the file system is never encrypted.
      ...(isLocal(address.host || process.env['PGHOST']) && { ssl: false }),
      password: given || (async () => await this.#findPassword(file)),
    });
    // The pool does not listen while it hands a connection over. An error that comes just then would end the process.
    this.on('error', () => {});
  }

  async #findPassword(file: string | null): Promise<string> {
    try {
      const found = file && (await readPasswordFile(file, this.#holder()));
      if (found) return found;
      throw new Error('it asks for a password, and none is given');
    } catch (error) {
      void this.end(); // it would stay open for as long as the database waits for a password
      throw new StoreRefusedError(error as Error);
    }
  }

  /** Sockets in the file system are named `localhost` there. */
  #holder() {
    const { host, port, database = '', user = '' } = this;
    return { host: isLocal(host) ? 'localhost' : host, port, database, user };
  }
}

function isLocal(host: string | undefined): boolean {
  return host?.startsWith('/') ?? false;
}
