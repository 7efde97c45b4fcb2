import { Readable } from 'node:stream';
import { JsonText } from '../../../base/json.ts';
import type { TransportAnswer } from '../../../client/transport.ts';
import type { Answer } from '../route.ts';
import { copyJson } from './copy-json.ts';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** A route's answer as the transport gives it to the client, which may keep and change all of it. */
export function transportAnswer({ status, headers, body }: Answer, isHead: boolean): TransportAnswer {
  const isJson = body !== undefined && !isBytes(body);
  return {
    status,
    headers: { ...(isJson && JSON_TYPE), ...headersOf(status, headers) },
    body:
      isHead || !isJson
        ? { bytes: bytesOf(isHead ? undefined : body) }
        : { json: body instanceof JsonText ? JSON.parse(body.text) : copyJson(body) },
  };
}

function isBytes(body: unknown): boolean {
  return typeof body === 'string' || body instanceof Uint8Array || body instanceof Readable;
}

function bytesOf(body: unknown): AsyncIterable<Uint8Array> {
  if (body instanceof Readable) return body;
  return readOnce(body as string | Uint8Array | undefined);
}

async function* readOnce(body: string | Uint8Array | undefined): AsyncGenerator<Uint8Array, void, void> {
  if (body === undefined) return;
  yield typeof body === 'string' ? Buffer.from(body) : Buffer.from(body);
}

/** In lower case. Errors have no entity tag. */
function headersOf(status: number, headers: Answer['headers'] = {}): Record<string, string> {
  const entries = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), String(value)] as const,
  );
  return Object.fromEntries(entries.filter(([name]) => status < 400 || name !== 'etag'));
}
