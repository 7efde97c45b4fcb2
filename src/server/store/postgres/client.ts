import { readFile, stat } from 'node:fs/promises';
import { Client, type ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { isOpenToOthers } from '../../../base/secret-files.ts';
import { decodedText } from '../../../base/text.ts';
import { StoreRefusedError } from './failures.ts';

/** The connection that needs a password: the parts that a line of the file must match. */
interface PasswordHolder {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** `host:port:database:user:password`, where a backslash escapes a colon or itself. */
const FIELD = /(?:\\.|[^:\\])*/y;

/**
 * The password in a file like `~/.pgpass`, found as by libpq: from the first matching line. Undefined without such a
 * line or file. @throws Error with the reason why the file must not be used
 */
export async function readPasswordFile(path: string, holder: PasswordHolder): Promise<string | undefined> {
  if (!(await verifyPrivate(path))) return undefined;
  const wanted = [holder.host, String(holder.port), holder.database, holder.user];
  for (const line of decodedText(await readFile(path)).split(/\r?\n/)) {
    const password = line.startsWith('#') ? undefined : passwordIn(line, wanted);
    if (password) return password;
  }
  return undefined;
}

/** False if there is no file. */
async function verifyPrivate(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (!found) return false;
  if (!found.isFile()) throw new Error(`the password file ${path} is not a plain file`);
  // As in libpq. A mounted secret with another owner cannot be made private; the service warns about it at the start.
  if (found.uid === process.getuid?.() && (await isOpenToOthers(path)))
    throw new Error(`others may use the password file ${path}; make it private: chmod 600 ${path}`);
  return true;
}

function passwordIn(line: string, wanted: readonly string[]): string | undefined {
  let at = 0;
  for (const value of wanted) {
    FIELD.lastIndex = at;
    const field = FIELD.exec(line)?.[0] ?? '';
    at += field.length + 1;
    if (line[at - 1] !== ':' || (field !== '*' && unescaped(field) !== value)) return undefined;
  }
  return unescaped(line.slice(at));
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1');
}

/**
 * A connection that finds its password like libpq: in the address's `passfile`, read anew each time, and only if the
 * database requires one. The driver's own search is deprecated and does not know `passfile`.
 */
export class StoreClient extends Client {
  constructor({ connectionString = '', ...config }: ClientConfig = {}) {
    const address = parseIntoClientConfig(connectionString);
    const file = new URL(connectionString).searchParams.get('passfile');
    const given = address.password || process.env['PGPASSWORD'];
    super({
      ...{ ...address, ...config },
      // As in libpq, connections through Unix sockets are never encrypted.
      ...(isLocal(address.host || process.env['PGHOST']) && { ssl: false }),
      password: given || (async () => await this.#findPassword(file)),
    });
    // The pool does not listen while it hands over a connection. An error at that moment would end the process.
    this.on('error', () => {});
  }

  async #findPassword(file: string | null): Promise<string> {
    try {
      const found = file && (await readPasswordFile(file, this.#holder()));
      if (found) return found;
      throw new Error('it requires a password, and none is given');
    } catch (error) {
      void this.end(); // otherwise it would stay open while the database waits for a password
      throw new StoreRefusedError(error as Error);
    }
  }

  /** Password files call Unix sockets `localhost`. */
  #holder() {
    const { host, port, database = '', user = '' } = this;
    return { host: isLocal(host) ? 'localhost' : host, port, database, user };
  }
}

function isLocal(host: string | undefined): boolean {
  return host?.startsWith('/') ?? false;
}

/** Milliseconds for which a failed connection attempt fails further ones, at random up to twice as long. */
const PAUSE = 200;

/**
 * Protects a database that is down or has just come back from a flood of connections: after a failure, this process
 * makes no attempt for a moment, and then a single one for all.
 */
export class ConnectionGate {
  readonly #now: () => number;
  /** Error of the last attempt; undefined: it succeeded. */
  #failure: unknown;
  #closedUntil = 0;
  /** The attempt for which all wait; never rejects. */
  #trial: Promise<void> | undefined;

  /** @param now a clock that never jumps, in milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** @throws the error of `connect`, or of another attempt just before */
  async pass<T>(connect: () => Promise<T>): Promise<T> {
    while (this.#failure !== undefined) {
      if (this.#now() < this.#closedUntil) throw this.#failure;
      if (!this.#trial) return await this.#tryForAll(connect);
      await this.#trial;
    }
    return await this.#attempt(connect);
  }

  async #tryForAll<T>(connect: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#trial = promise;
    try {
      return await this.#attempt(connect);
    } finally {
      this.#trial = undefined;
      resolve();
    }
  }

  async #attempt<T>(connect: () => Promise<T>): Promise<T> {
    try {
      const connection = await connect();
      this.#failure = undefined;
      return connection;
    } catch (error) {
      this.#failure = error;
      this.#closedUntil = this.#now() + PAUSE * (1 + Math.random());
      throw error;
    }
  }
}
