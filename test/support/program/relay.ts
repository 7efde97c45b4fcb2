import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** An address that stays the same while the server behind it ends and returns, or another takes its place. */
export class Relay {
  readonly url: string;
  readonly #sockets = new Set<Socket>();
  /** Port of what is behind it; undefined: nothing. */
  #target: number | undefined;
  #onReset: () => void = () => {};

  private constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`;
  }

  static async to(service: { readonly url: string }): Promise<Relay> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const relay = new Relay((server.address() as AddressInfo).port);
    relay.mend(service);
    server.on('connection', (near) => relay.#lead(near));
    onTestFinished(() => {
      server.close();
      relay.#resetAll();
    });
    return relay;
  }

  /** Resets all connections, and each new one. Resolves after this many new ones. */
  async cut(attempts: number): Promise<void> {
    this.#target = undefined;
    this.#resetAll();
    for (let n = 0; n < attempts; n++) {
      await new Promise<void>((resolve) => {
        this.#onReset = resolve;
      });
    }
  }

  /** Connects to this service from now on. */
  mend(service: { readonly url: string }): void {
    this.#target = Number(new URL(service.url).port);
  }

  #resetAll(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
    this.#sockets.clear();
  }

  #lead(near: Socket): void {
    if (this.#target === undefined) {
      near.resetAndDestroy();
      this.#onReset();
      return;
    }
    const far = connect(this.#target, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.pipe(other);
      socket.on('error', () => other.destroy()); // whose end was cut, the other learns by the close
      socket.on('close', () => this.#sockets.delete(socket));
    }
  }
}
