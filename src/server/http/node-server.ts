import { randomUUID } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { promisify } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { networkOf } from '../outbound/target.ts';
import { Refusal } from '../service/refusal.ts';
import { SERVER_NAME } from '../workers/worker-pool.ts';
import { API_HEADERS, errorAnswer, makeBreadcrumb, refusalAnswer, responseOf } from './answers.ts';
import { type AppOptions, buildApp, KEPT_HEADERS, malformedUrl } from './app.ts';
import { Connections, CountedMessage, type NetworkLimits, UnfinishedBodies } from './connections.ts';
import { describeAddress } from './log.ts';

/** Connections that may wait to be accepted; the system may allow fewer. Callers beyond that retry after a second. */
const BACKLOG = 4096;
/** Largest request line and headers together, in bytes. */
const MAX_HEADER_SIZE = 16 * 1024;
/** Requests per connection; the last answer closes it. */
const MAX_REQUESTS = 10_000;
/** Pipelined requests that may wait on one connection; with more, it is closed. */
const MAX_WAITING = 32;

interface HttpServerOptions extends Omit<AppOptions, 'onAdmitted' | 'limits'> {
  readonly limits: NetworkLimits;
}

/** Where a server listens. */
interface Listening {
  readonly port: number;
  /** An IP address or name; `0.0.0.0` and `::` are all addresses of the machine. */
  readonly addresses: readonly string[];
}

/** The service on the network: a server of Node's for each address that it listens on, with shared limits. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #connections: Connections;
  readonly #bodies: UnfinishedBodies;
  readonly #exchanges: Exchanges;
  readonly #servers: Server[] = [];
  #isClosing = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const { context, limits, isProxy } = options;
    const { clock, events } = context;
    const onDropped = () => events.emit('connectionDropped');
    this.#connections = new Connections({ ...limits, nameOf: networkOf, isProxy, onDropped, clock });
    const onFlood = (socket: Socket) => this.#connections.ban(socket);
    this.#bodies = new UnfinishedBodies({ most: limits.maxUnfinished, clock, onDropped, onFlood });
    this.#exchanges = new Exchanges({ handle: this.#listener(), onFlood });
  }

  /** Listens on all addresses of `host`. @throws Error if none of them can be used */
  async listen(host: string, port: number, addressesOf = loopbackAddresses): Promise<Listening> {
    const [first = host, ...others] = await addressesOf(host);
    const { address, port: chosen } = await this.#listenOn(first, port);
    const addresses = [address];
    for (const other of others) {
      await this.#listenOn(other, chosen).then(
        () => addresses.push(other),
        (error: Error) => this.#options.log.warn(`Only ${first} of ${host} is reachable: ${error.message}`),
      );
    }
    return { port: chosen, addresses };
  }

  async #listenOn(host: string, port: number): Promise<AddressInfo> {
    const server = this.#makeServer();
    server.listen({ host, port, backlog: BACKLOG });
    await once(server, 'listening');
    this.#servers.push(server);
    return server.address() as AddressInfo;
  }

  /** Accepts no more connections; resolves when the open ones have ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const listening = this.#servers.filter((server) => server.listening);
    await Promise.all(listening.map(async (server) => await promisify(server.close.bind(server))()));
  }

  async countConnections(): Promise<number> {
    const counts = this.#servers.map(async (server) => await promisify(server.getConnections.bind(server))());
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  /** Closes all connections, including those with requests under way. */
  closeConnections(): void {
    for (const server of this.#servers) server.closeAllConnections();
  }

  #makeServer(): Server {
    const { limits } = this.#options;
    const { headersTimeout, requestTimeout, keepAliveTimeout } = limits;
    const server = createServer({
      headersTimeout,
      requestTimeout,
      keepAliveTimeout,
      // Node checks for slow requests four times per time limit.
      connectionsCheckingInterval: Math.ceil(headersTimeout / 4),
      maxHeaderSize: MAX_HEADER_SIZE,
      // The app refuses requests without a Host header itself.
      requireHostHeader: false,
      IncomingMessage: CountedMessage,
    });
    server.maxHeadersCount = KEPT_HEADERS;
    server.maxRequestsPerSocket = MAX_REQUESTS;
    server.on('connection', (socket) => this.#connections.add(socket));
    server.on('request', (request, response) => this.#take(request, response, server));
    server.on('dropRequest', (_request, socket) => this.#connections.ban(socket as Socket));
    server.on('timeout', (socket) => {
      if (this.#exchanges.isAnswering(socket)) this.#options.context.events.emit('connectionDropped');
      socket.destroy();
    });
    server.on('clientError', (error, socket) => this.#answerBadClient(error, socket as Socket));
    // Node answers unknown values of `Expect` in its own format; ignore the header instead.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    return server;
  }

  #take(request: IncomingMessage, response: ServerResponse, server: Server): void {
    if (request.socket.destroyed) return;
    this.#bodies.follow(request, response, this.#connections.sendersOf(request.socket));
    this.#connections.begin(request, response);
    response.once('close', () => {
      if (this.#isClosing) server.closeIdleConnections();
    });
    this.#exchanges.add(request, response);
  }

  /** Hands requests to the app, and its answers to the network. */
  #listener(): RequestListener {
    const { limits, context, log } = this.#options;
    const app = buildApp({
      ...this.#options,
      onAdmitted: (incoming, caller) => {
        const isUser = caller.kind === 'user';
        this.#connections.recognize(incoming.socket, isUser ? caller.owner : undefined);
        this.#bodies.attribute(incoming, isUser ? undefined : caller.owner);
      },
    });
    const fetch = async (request: Request, env: { incoming: IncomingMessage; outgoing: ServerResponse }) => {
      const response = await app.fetch(request, env);
      env.outgoing.setTimeout(limits.unreadTimeout); // a peer that reads nothing of the answer is cut off
      return response;
    };
    return getRequestListener(fetch as Parameters<typeof getRequestListener>[0], {
      overrideGlobalObjects: false,
      hostname: 'localhost',
      // Malformed addresses and hosts do not reach the app.
      errorHandler: (error) =>
        responseOf(errorAnswer(malformedUrl(error), { url: '', log, context }), {
          common: API_HEADERS,
          id: randomUUID(),
        }),
    }) as RequestListener;
  }

  #answerBadClient(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const { context, log, logAddresses } = this.#options;
    const address = describeAddress(socket.remoteAddress ?? '', logAddresses);
    const refusal = refusalOf(error);
    // Bytes written during another answer would become part of it.
    if (socket.writable && !this.#exchanges.isAnswering(socket)) socket.write(rawAnswer(refusal));
    socket.destroySoon();
    context.events.emit('refused', refusal.code);
    log.info({ status: refusal.status, ...address }, refusal.message);
  }
}

interface ExchangesOptions {
  readonly handle: RequestListener;
  /** Closes a connection with too many requests at once. */
  readonly onFlood: (socket: Socket) => void;
}

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/**
 * Handles the requests of each connection one after the other, even if they arrive at once. The next one starts when
 * the previous answer has been read, so that no answers are made for a client that does not read them.
 */
class Exchanges {
  readonly #options: ExchangesOptions;
  /** The one under way, and those that wait for it. */
  readonly #queues = new WeakMap<Socket, Exchange[]>();

  constructor(options: ExchangesOptions) {
    this.#options = options;
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const queue = this.#queues.get(socket) ?? [];
    if (queue.length > MAX_WAITING) {
      this.#options.onFlood(socket);
      return;
    }
    queue.push([request, response]);
    this.#queues.set(socket, queue);
    if (queue.length === 1) this.#run(queue);
  }

  #run(queue: Exchange[]): void {
    const [request, response] = queue[0]!;
    response.once('close', () => {
      queue.shift();
      // After the requests that other connections have sent meanwhile.
      if (queue.length > 0) setImmediate(() => request.socket.writable && this.#run(queue));
    });
    this.#options.handle(request as never, response as never);
  }

  /** Whether part of an answer has been written. */
  isAnswering(socket: Socket): boolean {
    return this.#queues.get(socket)?.[0]?.[1].headersSent === true;
  }
}

/** `localhost` has several addresses, and callers choose among them; other hosts have one. */
async function loopbackAddresses(host: string): Promise<string[]> {
  if (host !== 'localhost') return [host];
  const found = await lookup(host, { all: true });
  return [...new Set(found.map(({ address }) => address))];
}

const SENTENCES: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request timed out.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too large.'],
};

function refusalOf(cause: NodeJS.ErrnoException): Refusal {
  const [status, message] = SENTENCES[cause.code ?? ''] ?? [400, 'This is not an HTTP request.'];
  return new Refusal('invalid_request', { status, message, cause });
}

/** Input that is not HTTP, or too slow, does not reach the app. Its answer is written by hand. */
function rawAnswer(refusal: Refusal): string {
  const { status, body } = refusalAnswer(refusal);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    ...Object.entries(API_HEADERS).map(([name, value]) => `${name}: ${value}`),
    `X-Request-Id: ${randomUUID()}`,
    `MineSkin-Server: ${SERVER_NAME}`,
    `MineSkin-Breadcrumb: ${makeBreadcrumb()}`,
    'Connection: close',
    // The server may have been slow, and not the caller.
    ...(status === 408 ? ['Retry-After: 1'] : []),
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}
