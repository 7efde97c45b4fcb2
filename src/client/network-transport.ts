import type { LookupFunction } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { openSender, type Proxies, type Sender } from '../base/proxies.ts';
import {
  encode,
  type RequestDispatcher,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from './transport.ts';

interface NetworkTransportOptions {
  /** undici dispatcher to send through; it stays open. Default: one of its own, through the proxies. */
  readonly dispatcher?: RequestDispatcher | undefined;
  readonly proxies?: Proxies | undefined;
  /** Resolves host names for direct connections of its own. */
  readonly lookup?: LookupFunction | undefined;
}

/** Sends requests over the network with undici, which is loaded with the first of them. */
export class NetworkTransport implements Transport {
  readonly #options: NetworkTransportOptions;
  #own: Promise<Sender> | undefined;
  #isClosed = false;

  constructor(options: NetworkTransportOptions = {}) {
    this.#options = options;
  }

  async send({
    method,
    origin,
    path,
    headers,
    content,
    signal,
    idle,
  }: TransportRequest): Promise<TransportAnswer> {
    const { type, body } = await encode(content);
    const dispatcher: RequestDispatcher = this.#options.dispatcher ?? (await this.#ownSender());
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
    await (await this.#own)?.close();
  }

  async #ownSender(): Promise<Sender> {
    if (this.#isClosed) throw Object.assign(new Error('The client is closed.'), { code: 'UND_ERR_CLOSED' });
    const { lookup, proxies } = this.#options;
    this.#own ??= openSender(proxies, lookup && { connect: { lookup } });
    return await this.#own;
  }
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
