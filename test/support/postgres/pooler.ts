import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Backend, Backends } from './pooler-backends.ts';
import {
  CANCEL_REQUEST,
  fatalError,
  isEndOfTransaction,
  letterOf,
  parametersOf,
  SSL_REQUEST,
  WireMessages,
} from './wire-messages.ts';

/** How long a client keeps its connection to the database. */
export type PoolMode = 'session' | 'transaction';

/** Parameters that PgBouncer takes at the start, in lower case; any other one it refuses. */
const TAKEN: ReadonlySet<string> = new Set([
  ...['user', 'database', 'application_name', 'client_encoding', 'datestyle', 'timezone'],
  'standard_conforming_strings',
]);

/** A pooler (see `openPooler`) until the test ends. Returns its address. */
export async function pooler(url: string, mode: PoolMode): Promise<string> {
  const { url: address, close } = await openPooler(url, mode);
  onTestFinished(close);
  return address;
}

export interface Pooler {
  readonly url: string;
  close(): void;
}

/**
 * A pooler before the database, with the manners of PgBouncer that a client notices; nobody needs a password. In the
 * mode `transaction` a client never has the same connection twice in a row.
 */
export async function openPooler(url: string, mode: PoolMode): Promise<Pooler> {
  const sockets = new Set<Socket>();
  const backends = new Backends(Number(new URL(url).port));
  const front = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    new PooledClient(socket, backends, mode);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  const { port } = front.address() as { port: number };
  return {
    url: Object.assign(new URL(url), { port: String(port) }).href,
    close: () => {
      front.close();
      for (const socket of sockets) socket.destroy();
      backends.close();
    },
  };
}

class PooledClient {
  readonly #socket: Socket;
  readonly #backends: Backends;
  readonly #mode: PoolMode;
  readonly #messages = new WireMessages('start');
  #start: Buffer | undefined;
  #backend: Backend | undefined;
  #last: Backend | undefined;
  /** What has arrived is answered in order. */
  #work: Promise<void> = Promise.resolve();

  constructor(socket: Socket, backends: Backends, mode: PoolMode) {
    this.#socket = socket;
    this.#backends = backends;
    this.#mode = mode;
    socket.on('error', () => socket.destroy());
    socket.on('data', (data) => this.#receive(data));
    socket.on('close', () => void this.#work.then(() => this.#backend?.end()));
  }

  #receive(data: Buffer): void {
    for (const message of this.#messages.split(data)) {
      if (this.#start) this.#work = this.#work.then(async () => await this.#pass(message));
      else this.#begin(message);
    }
  }

  #begin(message: Buffer): void {
    const code = message.readInt32BE(4);
    if (code === SSL_REQUEST) return void this.#socket.write('N');
    if (code === CANCEL_REQUEST) return void this.#socket.end();
    const refused = [...parametersOf(message).keys()].find((name) => !TAKEN.has(name.toLowerCase()));
    if (refused !== undefined)
      return void this.#socket.end(fatalError('08P01', `unsupported startup parameter: ${refused}`));
    this.#start = message;
    this.#messages.begin();
    this.#work = this.#work.then(async () => await this.#greet(message));
  }

  /** With the database's messages to such a client. */
  async #greet(start: Buffer): Promise<void> {
    const backend = await this.#backends.open(start);
    this.#socket.write(backend.greeting);
    if (!backend.isOpen) this.#socket.end();
    else if (this.#mode === 'session') this.#join(backend);
    else this.#leave(backend);
  }

  async #pass(message: Buffer): Promise<void> {
    if (letterOf(message) === 'X') return void this.#socket.end();
    if (!this.#backend) this.#join(await this.#backends.take(this.#start!, this.#last));
    this.#backend?.send(message);
  }

  #join(backend: Backend): void {
    this.#backend = backend;
    backend.use({
      onMessage: (message) => {
        this.#socket.write(message);
        if (this.#mode === 'transaction' && isEndOfTransaction(message)) this.#leave(backend);
      },
      onEnd: () => this.#socket.end(),
    });
  }

  #leave(backend: Backend): void {
    this.#backend = undefined;
    this.#last = backend;
    this.#backends.giveBack(this.#start!, backend);
  }
}
