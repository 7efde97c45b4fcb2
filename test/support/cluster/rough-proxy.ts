import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Stands between a node and PostgreSQL, and treats its connections as networks do. */
export class RoughProxy {
  readonly port: number;
  readonly #close: () => Promise<void>;
  readonly #sockets = new Set<Socket>();
  #isStalled = false;
  #delay = 0;

  private constructor(port: number, close: () => Promise<void>) {
    this.port = port;
    this.#close = close;
  }

  static async to(port: number): Promise<RoughProxy> {
    const server = createServer({ allowHalfOpen: true }, (near) => proxy.#lead(near, port));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const close = async () => {
      server.close();
      proxy.cut();
      await once(server, 'close');
    };
    const proxy = new RoughProxy((server.address() as AddressInfo).port, close);
    return proxy;
  }

  /** Resets all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
    this.#sockets.clear();
  }

  /** Silently drops everything, new connections included, like a firewall that has forgotten them. */
  stall(): void {
    this.#isStalled = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Delays everything by this many milliseconds. */
  slow(delay: number): void {
    this.#delay = delay;
  }

  /** Works again. Stalled connections are lost: they are reset. */
  heal(): void {
    if (this.#isStalled) this.cut();
    this.#isStalled = false;
    this.#delay = 0;
  }

  async close(): Promise<void> {
    await this.#close();
  }

  #lead(near: Socket, port: number): void {
    const far = connect(port, '127.0.0.1');
    this.#carry(near, far);
    this.#carry(far, near);
  }

  #carry(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    let before = Promise.resolve();
    // What comes later arrives later, also when the network has become faster in the meantime.
    const carry = (deliver: () => void) => {
      const due = this.#delay === 0 ? undefined : sleep(this.#delay);
      before = before.then(async () => await due).then(deliver);
    };
    from.on('data', (bytes) => carry(() => void to.write(bytes)));
    from.on('end', () => carry(() => void to.end()));
    from.on('error', () => to.destroy()); // whose end was cut, the other learns by the close
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    if (this.#isStalled) from.pause();
  }
}
