import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** An address that stays the same while what is behind it goes away and comes back, as itself or as another. */
export class Relay {
  readonly url: string;
  readonly #port: number;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.#port}`;
  }

  static async to(service: { readonly url: string }): Promise<Relay> {
    const server = createServer();
    await listen(server, 0);
    const relay = new Relay(server);
    relay.#lead(server, service.url);
    onTestFinished(() => relay.cut());
    return relay;
  }

  /** Nobody listens any more, and connections are reset. */
  cut(): void {
    this.#server?.close();
    this.#server = undefined;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    this.#sockets.clear();
  }

  /** Listens again, for this service. */
  async mend(service: { readonly url: string }): Promise<void> {
    const server = createServer();
    this.#lead(server, service.url);
    await listen(server, this.#port);
    this.#server = server;
  }

  #lead(server: Server, url: string): void {
    server.on('connection', (near) => {
      const far = connect(Number(new URL(url).port), '127.0.0.1');
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        socket.pipe(other);
        socket.on('error', () => other.destroy()); // whose end was cut, the other learns by the close
        socket.on('close', () => this.#sockets.delete(socket));
      }
    });
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}
