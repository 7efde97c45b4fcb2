import { Client, type ClientConfig } from 'pg';
import { readPasswordFile } from './password-file.ts';
import { offersTls } from './tls-offer.ts';
import { StoreRefusedError } from './trouble.ts';

/** Milliseconds for the question whether the database offers TLS, unless the settings give a time to connect. */
const LIMIT = 10_000;

/**
 * A connection of the driver that does two things as libpq does: with `sslmode=prefer` it encrypts if the database can,
 * and it looks for its password in the file that the address names (`passfile`), anew each time, and only when the
 * database asks for one.
 */
export class StoreClient extends Client {
  readonly #file: string | null;
  /** Milliseconds to ask for TLS; undefined: the address says whether there is to be any. */
  readonly #asksFor: number | undefined;
  #lost: Error | undefined;

  constructor(config: ClientConfig = {}) {
    super(config);
    // The pool does not listen while it hands a connection over. An error that comes just then would end the process.
    this.on('error', (error) => {
      this.#lost ??= error;
    });
    const said = config.connectionString && new URL(config.connectionString).searchParams;
    this.#file = said ? said.get('passfile') : null;
    // As for libpq: what goes through a socket in the file system is never encrypted.
    if (this.#isLocal) this.#encrypt(false);
    else if (said && said.get('sslmode') === 'prefer')
      this.#asksFor = config.connectionTimeoutMillis || LIMIT;
    // The driver's own search is deprecated and prints a warning. It calls a function when a password is asked for.
    if (!this.password) Object.assign(this, { password: async () => await this.#findPassword() });
  }

  /** Why the connection cannot be used any more; undefined while it can. */
  get lost(): Error | undefined {
    return this.#lost;
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<this> | undefined {
    const connecting = this.#connect();
    if (!callback) return connecting;
    connecting.then(() => (callback as () => void)(), callback);
    return undefined;
  }

  async #connect(): Promise<this> {
    if (this.#asksFor !== undefined && !(await offersTls(this, this.#asksFor))) this.#encrypt(false);
    await super.connect();
    return this;
  }

  get #isLocal(): boolean {
    return this.host.startsWith('/');
  }

  #encrypt(ssl: boolean): void {
    Object.assign(this, { ssl });
    Object.assign(this.connection, { ssl });
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
    return { host: this.#isLocal ? 'localhost' : host, port, database, user };
  }
}
