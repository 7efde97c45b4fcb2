import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { Refusal } from '../../service/refusal.ts';
import { BODY_LIMIT, bodyTooLarge } from '../limits.ts';

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

/** By the names that Content-Encoding has for them. */
const DECODERS: ReadonlyMap<string, Decode> = new Map([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);
const ACCEPTED = [...DECODERS.keys()].join(', ');

/** Decompresses the bodies of requests of the API. The limit of a body holds for both of its forms. */
export function readCompressedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const encoding = encodingOf(request);
    if (encoding === undefined) done(null, payload);
    else decompressed(request, payload, encoding).then((body) => done(null, body), done);
  });
}

/** Undefined for what is sent as it is, and what is no body of the API. */
function encodingOf({ headers, method, visit }: FastifyRequest): string | undefined {
  const given = headers['content-encoding'];
  if (given === undefined || visit === null || method === 'GET' || method === 'HEAD') return undefined;
  const encoding = given.trim().toLowerCase();
  return encoding === '' || encoding === 'identity' ? undefined : encoding;
}

/** @throws Refusal */
async function decompressed(
  { headers, visit }: FastifyRequest,
  payload: RequestPayload,
  encoding: string,
): Promise<RequestPayload> {
  const decode = DECODERS.get(encoding);
  if (!decode || headers['content-type']?.startsWith('multipart/')) throw notDecoded();
  const limit = visit?.found.target.route.bodyLimit ?? BODY_LIMIT;
  const sent = await bytesOf(payload, limit);
  const body = sent.length === 0 ? sent : await decode(sent, { maxOutputLength: limit }).catch(refuse);
  // The framework compares the length that was sent with the one that the head names.
  return Object.assign(Readable.from([body]), { receivedEncodedLength: sent.length });
}

/** Does not close the connection if they are too many: it has to carry the answer. @throws Refusal */
async function bytesOf(payload: RequestPayload, limit: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of payload.iterator({ destroyOnReturn: false })) {
      length += piece.length;
      if (length > limit) throw bodyTooLarge();
      pieces.push(piece);
    }
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal('invalid_request', { message: 'The body broke off.', cause });
  }
  return Buffer.concat(pieces, length);
}

function notDecoded(): Refusal {
  const message = `A body may be compressed with one of ${ACCEPTED}, and multipart/form-data not at all.`;
  return new Refusal('invalid_content_type', { message, headers: { 'Accept-Encoding': ACCEPTED } });
}

function refuse(cause: Error & { code?: string }): never {
  if (cause.code === 'ERR_BUFFER_TOO_LARGE') throw bodyTooLarge(cause);
  throw new Refusal('invalid_request', { message: 'The body is not compressed as it claims.', cause });
}
