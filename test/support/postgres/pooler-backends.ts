import { connect, type Socket } from 'node:net';
import { isEndOfTransaction, letterOf, WireMessages } from './wire-messages.ts';

/** The current holder of a connection. */
interface User {
  onMessage(message: Buffer): void;
  onEnd(): void;
}

/** Without a receiver, messages of the database are lost. */
const NOBODY: User = { onMessage: () => {}, onEnd: () => {} };

/** A pooler's connection to the database. */
export class Backend {
  readonly #socket: Socket;
  readonly #heard: Buffer[] = [];
  #user: User = NOBODY;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Connects, and waits until the database is ready or has refused. */
  static async open(port: number, start: Buffer): Promise<Backend> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const backend = new Backend(socket);
    const messages = new WireMessages('letter');
    const { promise, resolve } = Promise.withResolvers<void>();
    backend.use({
      onMessage: (message) => {
        backend.#heard.push(message);
        if (isEndOfTransaction(message) || letterOf(message) === 'E') resolve();
      },
      onEnd: resolve,
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => backend.#user.onEnd());
    socket.on('data', (data) => {
      for (const message of messages.split(data)) backend.#user.onMessage(message);
    });
    socket.write(start);
    await promise;
    return backend;
  }

  /** What the database has said at the start. */
  get greeting(): Buffer {
    return Buffer.concat(this.#heard);
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && !this.#heard.some((message) => letterOf(message) === 'E');
  }

  send(message: Buffer): void {
    this.#socket.write(message);
  }

  use(user: User): void {
    this.#user = user;
  }

  free(): void {
    this.#user = NOBODY;
  }

  end(): void {
    this.#socket.destroy();
  }
}

/** Connections to the database that clients share if they are the same user, with the same settings. */
export class Backends {
  readonly #port: number;
  readonly #all: Backend[] = [];
  /** By what a client says at the start; the one that was used last is the last. */
  readonly #idle = new Map<string, Backend[]>();

  constructor(port: number) {
    this.#port = port;
  }

  async open(start: Buffer): Promise<Backend> {
    const backend = await Backend.open(this.#port, start);
    this.#all.push(backend);
    return backend;
  }

  /** Other than `last`. */
  async take(start: Buffer, last: Backend | undefined): Promise<Backend> {
    const idle = this.#idleOf(start);
    const at = idle.findIndex((backend) => backend !== last && backend.isOpen);
    return at < 0 ? await this.open(start) : idle.splice(at, 1)[0]!;
  }

  giveBack(start: Buffer, backend: Backend): void {
    backend.free();
    this.#idleOf(start).push(backend);
  }

  close(): void {
    for (const backend of this.#all) backend.end();
  }

  #idleOf(start: Buffer): Backend[] {
    const name = start.toString('latin1');
    const idle = this.#idle.get(name) ?? [];
    this.#idle.set(name, idle);
    return idle;
  }
}
