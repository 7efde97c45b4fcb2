import { lookup as lookUp } from 'node:dns/promises';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { promisify } from 'node:util';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { openSender, type Proxies, type Sender } from '../base/proxies.ts';
import { InsecureHttpError } from './errors.ts';

interface Upload {
  readonly bytes: Uint8Array;
  readonly fileName: string;
}

/** What a request sends: a JSON value, a form with one file, or a text of another type. */
export type RequestContent =
  | { readonly json: unknown }
  | { readonly fields: Readonly<Record<string, string>>; readonly file: Upload | undefined }
  | { readonly type: string; readonly text: string };

/** One request, as a transport sends it. */
export interface TransportRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Scheme, host and port. */
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  /** Names in lower case. The transport adds those that describe the content. */
  readonly headers: Readonly<Record<string, string>>;
  readonly content?: RequestContent | undefined;
  /** Aborts the request, or the reading of its answer. */
  readonly signal: AbortSignal;
  /** Milliseconds without a byte after which the answer counts as broken off. A transport that cannot stall ignores it. */
  readonly idle?: number | undefined;
}

/** The head of an answer, and its body, which is yet to be read. */
export interface TransportAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Carries requests to a service: over the network (`NetworkTransport`), or to a function like `fetch`. It does not
 * retry, follow redirects or interpret what it carries. Its creator closes it.
 */
export interface Transport {
  /**
   * Sends a request once and resolves with the head of its answer, whatever the status.
   * @throws the signal's reason when aborted; an error whose `code` says why there is no answer
   */
  send(request: TransportRequest): Promise<TransportAnswer>;
}

/** Answers requests as `fetch` does: an embedded service, for example. */
export type Fetch = (request: Request) => Promise<Response>;

/** Sends requests to a function in place of the network. */
export function transportTo(fetch: Fetch): Transport {
  // Kept until they are over: a `Request` that is forgotten does not hear of its signal.
  const open = new Set<Request>();
  return {
    send: async ({ method, origin, path, headers, content, signal }) => {
      const { type, body } = await encode(content);
      const sent = { method, headers: { ...headers, ...type }, body } as RequestInit;
      const init = { ...sent, signal, redirect: 'manual' } as const;
      const request = new Request(origin + path, init);
      const forget = () => void open.delete(request);
      open.add(request);
      try {
        const response = await fetch(request);
        const { status } = response;
        return { status, headers: Object.fromEntries(response.headers), body: read(response, forget) };
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}

async function* read({ body }: Response, onEnd: () => void): AsyncGenerator<Uint8Array, void, void> {
  try {
    if (body) yield* body;
  } finally {
    onEnd();
  }
}

/** The body of a request: at most a picture, so it needs no stream. It is what the content was when this was called. */
export async function encode(content: RequestContent | undefined): Promise<{
  readonly type?: { readonly 'content-type': string };
  readonly body: string | Buffer | null;
}> {
  if (!content) return { body: null };
  if ('json' in content)
    return { type: { 'content-type': 'application/json' }, body: JSON.stringify(content.json) };
  if ('text' in content) return { type: { 'content-type': content.type }, body: content.text };
  const form = new FormData();
  for (const [name, value] of Object.entries(content.fields)) form.append(name, value);
  if (content.file) {
    const { bytes, fileName } = content.file;
    form.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'image/png' }), fileName);
  }
  const encoded = new Response(form);
  const type = { 'content-type': encoded.headers.get('content-type') ?? '' };
  return { type, body: Buffer.from(await encoded.arrayBuffer()) };
}

/**
 * What the client uses of an undici dispatcher, such as a `ProxyAgent`. It is not undici's own type, so that a program
 * may have another version of undici.
 */
export interface RequestDispatcher {
  request(options: {
    origin: string;
    path: string;
    method: TransportRequest['method'];
    headers: Record<string, string>;
    body: Buffer | string | null;
    signal: AbortSignal;
    /** Milliseconds. */
    bodyTimeout?: number;
  }): Promise<{
    statusCode: number;
    headers: TransportAnswer['headers'];
    body: AsyncIterable<Uint8Array>;
  }>;
}

interface NetworkTransportOptions {
  /** undici dispatcher to send through; it stays open. Default: one of its own, through the proxies. */
  readonly dispatcher?: RequestDispatcher | undefined;
  readonly proxies?: Proxies | undefined;
  /** Resolves host names for direct connections of its own. */
  readonly lookup?: LookupFunction | undefined;
}

/**
 * Sends requests over the network with undici, which is loaded with the first of them; in Bun, which puts an imitation in
 * its place, with `fetch`.
 */
export class NetworkTransport implements Transport {
  readonly #options: NetworkTransportOptions;
  /** Undefined in it: one that cannot send. */
  #own: Promise<Sender | undefined> | undefined;
  /** Those that end with the requests under way. */
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: NetworkTransportOptions = {}) {
    this.#options = options;
  }

  async send(request: TransportRequest): Promise<TransportAnswer> {
    const { method, origin, path, headers, content, signal, idle } = request;
    const { type, body } = await encode(content);
    const dispatcher = this.#options.dispatcher ?? (await this.#ownSender(signal));
    if (!dispatcher) return await this.#fetch(request);
    const answer = await dispatcher.request({
      origin,
      path,
      method,
      headers: { 'accept-encoding': 'identity', ...headers, ...type },
      body,
      signal,
      ...(idle !== undefined && { bodyTimeout: idle }),
    });
    return { status: answer.statusCode, headers: answer.headers, body: decoded(answer) };
  }

  /** Ends idle connections; resolves when the requests under way have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retire(this.#own);
    await Promise.all(this.#ending);
  }

  /** `signal`: of the request that it is for. */
  async #ownSender(signal: AbortSignal): Promise<RequestDispatcher | undefined> {
    if (this.#isClosed) throw Object.assign(new Error('The client is closed.'), { code: 'UND_ERR_CLOSED' });
    const { lookup, proxies } = this.#options;
    this.#own ??= openSender(proxies, lookup && { connect: { lookup } }).then(usable);
    const own = this.#own;
    const distrust = () => {
      if (isTimeout(signal.reason)) this.#retire(own);
    };
    signal.addEventListener('abort', distrust, { once: true });
    return await own;
  }

  /** The host is looked up for its check before the request, which looks it up again. */
  async #fetch(request: TransportRequest): Promise<TransportAnswer> {
    const { lookup } = this.#options;
    const { hostname } = new URL(request.origin);
    if (lookup && isIP(hostname) === 0) await promisify(lookup)(hostname, { all: true });
    const headers = { 'accept-encoding': 'identity', ...request.headers };
    return await BY_FETCH.send({ ...request, headers });
  }

  /** Sends nothing more over its connections: where one is dead, as after a router restarted, all others of its age may be. */
  #retire(own: Promise<Sender | undefined> | undefined): void {
    if (own === undefined || own !== this.#own) return;
    this.#own = undefined;
    const ended = own.then(async (sender) => await sender?.close());
    this.#ending.add(ended);
    void ended.finally(() => this.#ending.delete(ended));
  }
}

const BY_FETCH = transportTo(async (request) => await fetch(request));

/** Bun's agents have no `request`. */
function usable(sender: Sender): Sender | undefined {
  return typeof sender.request === 'function' ? sender : undefined;
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

/**
 * Lenient as browsers are: an answer without content may name a compression. HTTP tells whether the body is complete.
 */
const LENIENT = { finishFlush: constants.Z_SYNC_FLUSH };

type Body = AsyncIterable<Uint8Array>;

const DECODERS: ReadonlyMap<string, (body: Body) => Body> = new Map([
  ['identity', (body) => body],
  ['gzip', (body) => through(body, createGunzip(LENIENT))],
  ['x-gzip', (body) => through(body, createGunzip(LENIENT))],
  ['deflate', inflated],
  ['br', (body) => through(body, createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }))],
  ['zstd', (body) => through(body, createZstdDecompress({ finishFlush: constants.ZSTD_e_flush }))],
]);

function through(body: Body, decoder: Duplex): Body {
  return pipeline(body, decoder, () => {}); // the reader of the decoder gets the error
}

/** Low half of the first byte of a zlib stream; some servers send what is inside of one. */
const ZLIB = 8;

async function* inflated(body: Body): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  const { value: first } = await chunks.next();
  if (!first) return;
  const all = async function* () {
    yield first;
    yield* { [Symbol.asyncIterator]: () => chunks };
  };
  const isZlib = (first[0] & 0x0f) === ZLIB;
  yield* through(all(), isZlib ? createInflate(LENIENT) : createInflateRaw(LENIENT));
}

/** The decompressed body: some gateways compress no matter what the request says. An unknown compression stays. */
function decoded({
  headers,
  body,
}: Pick<Awaited<ReturnType<RequestDispatcher['request']>>, 'headers' | 'body'>): Body {
  return DECODERS.get(encodingOf(headers))?.(body) ?? body;
}

/** The compression of an answer if it cannot be decoded here. */
export function unknownEncoding(headers: TransportAnswer['headers']): string | undefined {
  const encoding = encodingOf(headers);
  return DECODERS.has(encoding) ? undefined : encoding;
}

function encodingOf(headers: TransportAnswer['headers']): string {
  return (
    String(headers['content-encoding'] ?? 'identity')
      .trim()
      .toLowerCase() || 'identity'
  );
}

/** An address that a name resolves to. */
interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host name as the operating system does. */
export type ResolveHost = (host: string) => Promise<readonly ResolvedAddress[]>;

export const systemResolve: ResolveHost = async (host) => await lookUp(host, { all: true });

/** Networks that end at this machine or at its owner's router (RFC 1918, 4193, 3927, 6598 and loopback). */
const LOCAL_NETWORKS = [
  ['0.0.0.0', 32, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['::1', 128, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
] as const;

/** Whether an address is neither local to this machine nor in a private network. */
export function isPublicAddress(address: string): boolean {
  const local = new BlockList();
  for (const [network, prefix, family] of LOCAL_NETWORKS) local.addSubnet(network, prefix, family);
  const [bare = ''] = address.split('%'); // the zone of a link-local address
  return !local.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4'); // IPv4-mapped addresses are checked as IPv4
}

/**
 * Keeps an API key from crossing a public network in plain text: the key is sent to an `http:` URL only if
 * every address of the host is local or private.
 */
export class KeyGuard {
  readonly #origin: string;
  readonly #host: string;
  readonly #resolve: ResolveHost;

  /** @throws InsecureHttpError when the host is a public IP address */
  constructor(origin: string, resolve: ResolveHost) {
    this.#origin = origin;
    this.#host = new URL(origin).hostname.replace(/^\[(.*)\]$/, '$1');
    this.#resolve = resolve;
    if (isIP(this.#host) !== 0) this.#verify([{ address: this.#host, family: isIP(this.#host) }]);
  }

  /** For connections: the address checked is the one connected to, so DNS cannot change in between. */
  get lookup(): LookupFunction {
    return (host, options, callback) => {
      this.#addressesOf(host).then(
        (addresses) => {
          const wanted = addresses.filter(({ family }) => !options.family || family === options.family);
          const [first] = wanted.length > 0 ? wanted : addresses;
          if (options.all) callback(null, [...(wanted.length > 0 ? wanted : addresses)]);
          else callback(null, first?.address ?? '', first?.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, ''),
      );
    };
  }

  /** For a caller's own dispatcher, whose connections we cannot check. @throws InsecureHttpError */
  async verify(): Promise<void> {
    if (isIP(this.#host) !== 0) return; // checked in the constructor
    await this.#addressesOf(this.#host).catch((cause: unknown) => {
      throw cause instanceof InsecureHttpError
        ? cause
        : new InsecureHttpError(this.#origin, undefined, cause);
    });
  }

  /** Textures come over the same connections from other hosts, without the key. */
  async #addressesOf(host: string): Promise<readonly ResolvedAddress[]> {
    const addresses = await this.#resolve(host);
    if (host === this.#host) this.#verify(addresses);
    return addresses;
  }

  #verify(addresses: readonly ResolvedAddress[]): void {
    const open = addresses.find(({ address }) => isPublicAddress(address));
    if (open) throw new InsecureHttpError(this.#origin, open.address);
  }
}
