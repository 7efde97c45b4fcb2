import type { LookupFunction } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Agent } from 'undici';
import { encodeMultipart } from './multipart.ts';
import type {
  RequestContent,
  RequestDispatcher,
  Transport,
  TransportAnswer,
  TransportRequest,
} from './transport.ts';

export interface NetworkTransportOptions {
  /** undici dispatcher to send through; it stays open. Default: an agent of its own. */
  readonly dispatcher?: RequestDispatcher | undefined;
  /** Resolves host names for the agent of its own. */
  readonly lookup?: LookupFunction | undefined;
}

/** Sends requests over the network with undici, which is loaded with the first of them. */
export class NetworkTransport implements Transport {
  readonly #options: NetworkTransportOptions;
  #agent: Promise<Agent> | undefined;
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
    const { type, body } = encode(content);
    const dispatcher: RequestDispatcher = this.#options.dispatcher ?? (await this.#ownAgent());
    const answer = await dispatcher.request({
      origin,
      path,
      method,
      headers: { 'accept-encoding': 'identity', ...headers, ...type },
      body,
      signal,
      ...(idle !== undefined && { bodyTimeout: idle }),
    });
    return { status: answer.statusCode, headers: answer.headers, body: { bytes: decoded(answer) } };
  }

  /** Ends idle connections; resolves when the requests under way have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#agent)?.close();
  }

  async #ownAgent(): Promise<Agent> {
    if (this.#isClosed) throw Object.assign(new Error('The client is closed.'), { code: 'UND_ERR_CLOSED' });
    this.#agent ??= openAgent(this.#options.lookup);
    return await this.#agent;
  }
}

/**
 * Lenient as browsers are: an answer without content may name a compression. HTTP tells whether the body is complete.
 */
const LENIENT = { finishFlush: constants.Z_SYNC_FLUSH };

const DECODERS: ReadonlyMap<string, () => Duplex> = new Map([
  ['gzip', () => createGunzip(LENIENT)],
  ['x-gzip', () => createGunzip(LENIENT)],
  ['deflate', () => createInflate(LENIENT)],
  ['br', () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
]);

/** The body without its compression: some gateways compress whatever the request says. */
function decoded({
  headers,
  body,
}: Pick<Awaited<ReturnType<RequestDispatcher['request']>>, 'headers' | 'body'>): AsyncIterable<Uint8Array> {
  const encoding = String(headers['content-encoding'] ?? '');
  const makeDecoder = DECODERS.get(encoding.trim().toLowerCase());
  if (!makeDecoder) return body;
  const decoder = makeDecoder();
  return pipeline(body, decoder, () => {}); // the reader of the decoder gets the error
}

async function openAgent(lookup: LookupFunction | undefined): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent(lookup && { connect: { lookup } });
}

function encode(content: RequestContent | undefined): {
  type?: Record<'content-type', string>;
  body: Buffer | string | null;
} {
  if (!content) return { body: null };
  if ('json' in content) {
    return { type: { 'content-type': 'application/json' }, body: JSON.stringify(content.json) };
  }
  const { body, contentType } = encodeMultipart(content.file, content.fields);
  return { type: { 'content-type': contentType }, body };
}
