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
import { SERVER_NAME } from '../../base/version.ts';
import { networkOf } from '../outbound/target.ts';
import { Refusal } from '../service/refusal.ts';
import { API_HEADERS, makeBreadcrumb, refusalAnswer, responseOf, send, writeRefusal } from './answers.ts';
import { App, type AppOptions, malformedUrl } from './app.ts';
import { Connections, type NetworkLimits } from './connections.ts';
import { Exchanges } from './exchanges.ts';
import { describeAddress, type LogAddresses, logRequest } from './log.ts';
import { callerAddress, KEPT_HEADERS, networkHead } from './network-head.ts';
import type { Carrier, HttpRequest } from './route.ts';
import { CountedMessage, UnfinishedBodies, UnreadAnswers } from './unfinished.ts';

/** Connections that may wait to be accepted; the system may allow fewer. Callers beyond that retry after a second. */
const BACKLOG = 4096;
/** Largest request line and headers together, in bytes. */
const MAX_HEADER_SIZE = 16 * 1024;
/** Requests per connection; the last answer closes it. */
const MAX_REQUESTS = 10_000;

interface HttpServerOptions extends AppOptions {
  readonly limits: NetworkLimits;
  readonly logAddresses: LogAddresses;
  readonly isProxy: (address: string) => boolean;
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

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
  readonly #unread: UnreadAnswers;
  readonly #exchanges: Exchanges;
  readonly #servers: Server[] = [];
  #isClosing = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const { context, limits, isProxy } = options;
    const { clock, events, known, turns } = context;
    const onDropped = () => events.emit('connectionDropped');
    this.#connections = new Connections({ ...limits, nameOf: networkOf, isProxy, known, onDropped, clock });
    const onFlood = (socket: Socket) => this.#connections.ban(socket);
    this.#bodies = new UnfinishedBodies({ most: limits.maxUnfinished, clock, onDropped, onFlood });
    this.#unread = new UnreadAnswers({ most: limits.maxUnread, onDropped });
    const holderOf = (socket: Socket) => this.#connections.holderOf(socket);
    this.#exchanges = new Exchanges({ handle: this.#listener(), onFlood, holderOf, turns });
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
    server.on('connection', (socket) => {
      this.#options.context.turns.noteNewcomer();
      this.#connections.add(socket);
    });
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
    const { socket, httpVersion, headers } = request;
    // A proxy of that version would not know where the body ends (RFC 9112, 6.1).
    if (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined)
      response.setHeader('Connection', 'close');
    this.#connections.begin(request, response, callerAddress(request, this.#options.isProxy));
    const { name } = this.#connections.holderOf(socket);
    const sender = this.#connections.isProxied(socket) ? undefined : name;
    this.#bodies.follow(request, response, { sender, holder: name });
    response.once('close', () => {
      if (this.#isClosing) server.closeIdleConnections();
    });
    this.#exchanges.add(request, response);
  }

  /** Hands requests to the app, and its answers to the network. */
  #listener(): RequestListener {
    const { limits, context, isProxy } = this.#options;
    const app = new App(this.#options);
    const fetch = async (_: unknown, { incoming, outgoing }: Exchange) => {
      const head = networkHead(incoming, outgoing, isProxy);
      const request = app.open(head, this.#carrier(incoming, outgoing));
      this.#watch(request, outgoing);
      const response = send(outgoing, await app.answer(request));
      outgoing.setTimeout(limits.unreadTimeout); // a peer that reads nothing of the answer is cut off
      this.#unread.follow(outgoing, this.#connections.holderOf(incoming.socket));
      return response;
    };
    return getRequestListener(fetch as Parameters<typeof getRequestListener>[0], {
      overrideGlobalObjects: false,
      hostname: 'localhost',
      // Malformed addresses and hosts do not reach the app.
      errorHandler: (error) => {
        const request = { id: randomUUID(), url: '', log: this.#options.log };
        return responseOf(writeRefusal(malformedUrl(error), request, context));
      },
    }) as RequestListener;
  }

  #carrier(incoming: IncomingMessage, outgoing: ServerResponse): Carrier {
    const { known, turns } = this.#options.context;
    const { socket } = incoming;
    return {
      admitted: (caller) => {
        this.#connections.recognize(socket, caller.kind === 'user' ? caller.owner : undefined);
        this.#bodies.attribute(incoming, caller.kind === 'user' ? undefined : caller.network);
      },
      nextTurn: async (caller) => await turns.next(known.holderOf(caller)),
      holdUnread: (bytes) => this.#unread.hold(outgoing, this.#connections.holderOf(socket), bytes),
      hangUp: () => socket.destroy(),
    };
  }

  /** Reports a request when it is over, whichever side ended it. */
  #watch(request: HttpRequest, response: ServerResponse): void {
    const { context, log, logAddresses: addresses } = this.#options;
    const { clock, events } = context;
    const start = clock.monotonic();
    response.once('close', () => {
      const milliseconds = clock.monotonic() - start;
      const { pattern: route, method } = request;
      events.emit('requestAnswered', { route, method, status: response.statusCode, milliseconds });
      if (log.hasRequests) logRequest(request, { response, milliseconds, addresses });
    });
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

/** `localhost` has several addresses, and callers choose among them; other hosts have one. */
async function loopbackAddresses(host: string): Promise<string[]> {
  if (host !== 'localhost') return [host];
  const found = await lookup(host, { all: true });
  return [...new Set(found.map(({ address }) => address))];
}

const PARSE_ERRORS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request timed out.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too large.'],
};

function refusalOf(cause: NodeJS.ErrnoException): Refusal {
  const [status, message] = PARSE_ERRORS[cause.code ?? ''] ?? [400, 'This is not an HTTP request.'];
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
