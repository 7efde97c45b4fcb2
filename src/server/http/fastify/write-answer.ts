import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { JsonText } from '../../../base/json.ts';
import { SERVER_NAME } from '../../workers/worker-pool.ts';
import type { Answer } from '../route.ts';
import { entityTag, isKnownTag, weakTag } from './entity-tags.ts';

/** Names in lower case. */
type Headers = Record<string, string | string[] | number>;
type Payload = string | Uint8Array | undefined;

/** Writes an answer to the network. */
export type WriteAnswer = (
  reply: FastifyReply,
  answer: Answer,
  options?: { readonly isTagged?: boolean },
) => FastifyReply;

/**
 * Makes the function that writes answers, with `common` headers on each of them. Those that are complete are written past
 * the hooks of the framework: these cost as much as everything else that is done for a small answer.
 */
export function answerWriter(common: Readonly<Headers>): WriteAnswer {
  return (reply, answer, options) => {
    const { status, body, headers } = answer;
    if (body instanceof Readable) {
      const all = headersOf(common, reply.request.id, headers);
      return reply.code(status).headers(all).send(body);
    }
    reply.hijack();
    writeWhole(reply, answer, common, options);
    return reply;
  };
}

/**
 * The same for complete answers. Those that are `isTagged` get an entity tag, and no body if the caller has it already.
 */
function writeWhole(
  { raw: response, request }: FastifyReply,
  { status, body, headers }: Answer,
  common: Readonly<Headers>,
  { isTagged = false }: { readonly isTagged?: boolean } = {},
): void {
  const all = headersOf(common, request.id, headers);
  // Pages show dozens of pictures, and read none of their headers.
  if (isPicture(all)) delete all['access-control-expose-headers'];
  const payload = payloadOf(body, all);
  if (isTagged && status >= 400) delete all['etag'];
  else if (isTagged && payload !== undefined) {
    all['etag'] ??= body instanceof JsonText ? weakTag(body.digest) : entityTag(payload);
    if (status === 200 && isKnownTag(String(all['etag']), request.headers['if-none-match'])) {
      delete all['content-type'];
      response.writeHead(304, all).end();
      return;
    }
  }
  const mayHaveBody = status !== 204 && status !== 304;
  if (mayHaveBody && (payload !== undefined || request.method !== 'HEAD')) {
    all['content-length'] = payload === undefined ? 0 : Buffer.byteLength(payload);
  }
  response.writeHead(status, all).end(payload);
}

/** Those that every answer has, with names for the request that clients may show. */
export function commonHeaders(common: Readonly<Headers>, requestId: string): Headers {
  const breadcrumb = makeBreadcrumb();
  return {
    ...common,
    'x-request-id': requestId,
    'mineskin-server': SERVER_NAME,
    'mineskin-breadcrumb': breadcrumb,
  };
}

/** Identifies the request: eight hexadecimal digits. */
export function makeBreadcrumb(): string {
  return randomUUID().slice(0, 8); // Node makes many at once, so this is faster than four random bytes
}

function headersOf(common: Readonly<Headers>, requestId: string, headers: Answer['headers']): Headers {
  const all = commonHeaders(common, requestId);
  for (const name in headers) all[name.toLowerCase()] = headers[name] ?? '';
  if (isOfVersion1(all)) {
    // The spellings that clients of version 1 read.
    all['x-mineskin-server'] = all['mineskin-server'] ?? '';
    all['x-mineskin-breadcrumb'] = all['mineskin-breadcrumb'] ?? '';
  }
  return all;
}

function isOfVersion1({ 'mineskin-api-version': version }: Headers): boolean {
  return typeof version === 'string' && version.startsWith('v1');
}

function isPicture({ 'content-type': type }: Headers): boolean {
  return typeof type === 'string' && type.startsWith('image/');
}

/** What is sent. Adds the content type unless the answer has one. */
function payloadOf(body: unknown, headers: Headers): Payload {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') {
    headers['content-type'] ??= 'text/plain; charset=utf-8';
    return body;
  }
  if (body instanceof Uint8Array) {
    headers['content-type'] ??= 'application/octet-stream';
    return body;
  }
  headers['content-type'] ??= 'application/json; charset=utf-8';
  return body instanceof JsonText ? body.text : JSON.stringify(body);
}
