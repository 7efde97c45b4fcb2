import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { BlockList, type Socket, type SocketAddress } from 'node:net';
import { promisify } from 'node:util';
import type { Clock } from '../../../base/clock.ts';
import { BurstQueue, type Rank } from './burst-queue.ts';
import type { Connections } from './connections.ts';
import { KEPT_HEADERS, type NetworkLimits, nodeServerOptions } from './network-limits.ts';
import { handleOneByOne } from './pipelining.ts';
import { Reading } from './reading.ts';
import { ReadingTurns } from './reading-turns.ts';
import { CountedMessage, type UnfinishedBodies } from './unfinished-bodies.ts';

/** Connections that may wait to be accepted; the system may allow fewer. With more, callers try again after a second. */
const BACKLOG = 4096;

export interface NodeServersOptions {
  readonly limits: NetworkLimits;
  /** Counts and limits the connections of all servers. */
  readonly connections: Connections;
  readonly bodies: UnfinishedBodies;
  readonly clock: Clock;
  /** Whether the request never waits, whoever sends it. */
  readonly isUrgent: (request: IncomingMessage) => boolean;
}

/** Node's servers: one for each address that the service listens on, with the same limits for all. */
export class NodeServers {
  readonly #options: NodeServersOptions;
  readonly #burst: BurstQueue;
  readonly #reading = new Reading();
  readonly #readingTurns: ReadingTurns;
  readonly #servers: Server[] = [];
  readonly #others: Server[] = [];
  #handle: RequestListener = () => {};

  constructor(options: NodeServersOptions) {
    this.#options = options;
    this.#burst = new BurstQueue(options.clock);
    this.#readingTurns = new ReadingTurns(
      this.#reading,
      () => options.connections.strangers(),
      options.clock,
    );
  }

  /** Makes the first server, whose events go to `handle`: for the framework. */
  makeFirst(handle: RequestListener): Server {
    this.#handle = handle;
    return this.#make();
  }

  /** How the first server is to listen. */
  static listenOptions(host: string, port: number) {
    return { host, port, backlog: BACKLOG };
  }

  /**
   * Listens on one more address, with the port and the events of the first server. @throws Error if the address cannot
   * be used
   */
  async listenToo(host: string, first: Server): Promise<void> {
    const { port } = first.address() as { port: number };
    const server = this.#make();
    server.on('clientError', (...args) => first.emit('clientError', ...args));
    server.listen(NodeServers.listenOptions(host, port));
    await once(server, 'listening');
    this.#others.push(server);
  }

  /** Closes all but the first server, which the framework closes; resolves when their connections have ended. */
  async closeOthers(): Promise<void> {
    const closed = this.#others.map(async (server) => {
      if (server.listening) await promisify(server.close.bind(server))();
    });
    await Promise.all(closed);
  }

  #make(): Server {
    const { limits, connections, bodies } = this.#options;
    const receive = (socket: Socket) => {
      this.#readingTurns.parsed();
      return connections.begin(socket);
    };
    const flooded = (socket: Socket) => connections.ban(socket);
    const start = (request: IncomingMessage, begin: () => void) => {
      this.#burst.add(begin, {
        rank: this.#rankOf(request),
        address: connections.addressOf(request.socket),
      });
    };
    const handle = handleOneByOne({
      handle: (...exchange) => this.#handle(...exchange),
      receive,
      flooded,
      start,
      reading: this.#reading,
    });
    const server = createServer(
      { ...nodeServerOptions(limits), IncomingMessage: CountedMessage },
      (request, response) => {
        bodies.follow(request, response, connections.sendersOf(request.socket));
        handle(request, response);
      },
    );
    server.maxHeadersCount = KEPT_HEADERS;
    // Node's HTTP server has no option for it, but its base class reads it for each connection.
    Object.assign(server, { blockList: new Refused(connections) });
    server.on('connection', (socket) => {
      this.#burst.connected();
      this.#readingTurns.connected();
      connections.add(socket);
    });
    // Node answers unknown values of `Expect` itself, in a foreign format; ignore the header instead.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    this.#servers.push(server);
    return server;
  }

  /** A key that is sent proves nothing until it has been checked, which the first request of a connection waits for. */
  #rankOf(request: IncomingMessage): Rank {
    const { isUrgent, connections } = this.#options;
    if (isUrgent(request)) return 'urgent';
    if (request.headers.authorization === undefined) return 'other';
    if (connections.isRecognized(request.socket)) return 'urgent';
    connections.awaitKey(request.socket);
    return 'keyed';
  }

  /** The number of open connections. */
  async countConnections(): Promise<number> {
    const counts = await Promise.all(
      this.#servers.map(async (server) => await promisify(server.getConnections.bind(server))()),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  closeAllConnections(): void {
    for (const server of this.#servers) server.closeAllConnections();
  }
}

/** Addresses whose connections Node closes before it makes anything of them. */
class Refused extends BlockList {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    super();
    this.#connections = connections;
  }

  override check(address: string | SocketAddress): boolean {
    return this.#connections.refuses(typeof address === 'string' ? address : address.address);
  }
}
