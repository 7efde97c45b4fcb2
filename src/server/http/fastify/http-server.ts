import { lookup } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { type AppOptions, buildApp } from './app.ts';
import { NodeServers } from './node-servers.ts';

/** Where a server listens. */
interface Listening {
  readonly port: number;
  /** IP addresses; `0.0.0.0` and `::` are all of the machine. */
  readonly addresses: readonly string[];
}

/** The service on the network. */
export interface HttpServer {
  readonly log: FastifyBaseLogger;
  /** Listens on all addresses of `host`. @throws Error if none of them can be used */
  listen(host: string, port: number): Promise<Listening>;
  /** Accepts no more connections; resolves when the open ones have ended. */
  close(): Promise<void>;
  countConnections(): Promise<number>;
  /** Closes all connections, whatever is under way on them. */
  closeConnections(): void;
}

/** `addressesOf`: the addresses of a host name. */
export async function openHttpServer(
  options: AppOptions,
  addressesOf = loopbackAddresses,
): Promise<HttpServer> {
  const { app, servers } = await buildApp(options);
  return {
    log: app.log,
    listen: async (host, port) => {
      const [first = host, ...others] = await addressesOf(host);
      await app.listen(NodeServers.listenOptions(first, port));
      const { address, port: chosen } = app.server.address() as AddressInfo;
      const addresses = [address];
      for (const other of others) {
        await servers.listenToo(other, app.server).then(
          () => addresses.push(other),
          (error: Error) => app.log.warn(`${host} is reached at ${first} only: ${error.message}`),
        );
      }
      return { port: chosen, addresses };
    },
    close: async () => void (await Promise.all([app.close(), servers.closeOthers()])),
    countConnections: async () => await servers.countConnections(),
    closeConnections: () => servers.closeAllConnections(),
  };
}

/** `localhost` is several addresses, and callers choose among them; all other hosts are one. */
async function loopbackAddresses(host: string): Promise<string[]> {
  if (host !== 'localhost') return [host];
  const found = await lookup(host, { all: true });
  return [...new Set(found.map(({ address }) => address))];
}
