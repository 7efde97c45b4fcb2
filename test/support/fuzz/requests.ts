import fc from 'fast-check';
import { bodyFor, type SentBody } from './bodies.ts';
import { type Known, type Schema, valueFor } from './from-schema.ts';
import type { RawRequest } from './raw-exchange.ts';

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly schema?: Schema;
}
interface Operation {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

type Headers = (readonly [string, string])[];

/** Requests for every operation of a description. `keys`: what stands in Authorization, by caller. */
export function requestsFor(
  description: Description,
  { known, keys }: { known: Known; keys: readonly (string | undefined)[] },
): fc.Arbitrary<RawRequest> {
  const operations = Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  return fc.oneof(
    ...operations.map((one) => ({
      weight: weightOf(one),
      arbitrary: requestFor(one, { known, keys }),
    })),
  );
}

/** What changes something is more worth asking for, and most of all what makes skins. */
function weightOf({ path, method }: { path: string; method: string }): number {
  if (method === 'head') return 1;
  if (method === 'get') return 2;
  return method === 'post' && /generate|queue/.test(path) ? 20 : 6;
}

function requestFor(
  { path, method, operation }: { path: string; method: string; operation: Operation },
  { known, keys }: { known: Known; keys: readonly (string | undefined)[] },
): fc.Arbitrary<RawRequest> {
  return fc
    .tuple(
      usually(fc.constant(method.toUpperCase()), 30, fc.constantFrom(...ODD_METHODS)),
      usually(addressFor(path, operation, known), 60, fc.constantFrom(...ODD_ADDRESSES)),
      fc.constantFrom(...keys),
      fc.array(fc.constantFrom(...ODD_HEADERS), { maxLength: 2 }),
      bodyFor(operation.requestBody?.content, known),
      usually(
        fc.constant<Framing>('length'),
        30,
        fc.constantFrom<Framing>('chunked', 'short', 'twice', 'bad'),
      ),
    )
    .map(([verb, address, key, odd, body, framing]) => {
      const isEmpty = verb === 'GET' || verb === 'HEAD';
      const sent = isEmpty ? { bytes: Buffer.alloc(0) } : framed(body, framing);
      const headers: Headers = [
        ['Host', '127.0.0.1'],
        ['Connection', 'close'],
        ...(key === undefined ? [] : [['Authorization', key] as const]),
        ...odd,
        ...('headers' in sent ? sent.headers : []),
      ];
      return { method: verb, address, headers, body: sent.bytes };
    });
}

function usually<T>(often: fc.Arbitrary<T>, weight: number, seldom: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: often }, { weight: 1, arbitrary: seldom });
}

const ODD_ADDRESSES = [
  '*',
  'http://127.0.0.1/v2/me',
  'http://127.0.0.1/get/id/none',
  'http://127.0.0.1',
  'v2/me',
  '//v2/me',
  '/v2//me',
  '/v2/../v2/me',
  '/V2/ME',
  '/v2/me\\..',
  '/generate',
  '/generate/other',
  '/get/',
  '/get/id/9007199254740993',
  '/favicon.gif',
  '/textures/../signing-key.pem',
  '/\u00e9',
  '/a b',
];

const ODD_METHODS = [
  'get',
  'NOT',
  'M-SEARCH',
  'OPTIONS',
  'PUT',
  'TRACE',
  'PROPFIND',
  'DELETE',
  'PATCH',
  'POST',
  'HEAD',
  'GET',
];

function addressFor(path: string, { parameters }: Operation, known: Known): fc.Arbitrary<string> {
  const inside = path.split('/').map((word) => {
    const name = /^\{(\w+)\}$/.exec(word)?.[1];
    if (name === undefined) return fc.constant(word);
    const schema = parameters.find((one) => one.name === name)?.schema ?? {};
    return valueFor(schema, known, name).map((value) => encodePart(value));
  });
  const query = parameters
    .filter((one) => one.in === 'query')
    .map(({ name = '', schema = {} }) =>
      fc.option(
        valueFor(schema, known, name).map((value) => `${name}=${encodePart(value)}`),
        { nil: '' },
      ),
    );
  return fc
    .tuple(
      fc.tuple(...inside),
      fc.tuple(...query),
      usually(fc.constant(''), 20, fc.constantFrom(...ODD_ENDS)),
    )
    .map(([words, questions, end]) => {
      const asked = questions.filter(Boolean).join('&');
      return `${words.join('/') || '/'}${asked === '' ? '' : `?${asked}`}${end}`;
    });
}

/** Lone surrogates have no bytes. */
function encodePart(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return encodeURIComponent(text.toWellFormed());
}

const ODD_ENDS = [
  '/',
  '//',
  '/..',
  '%2e%2e',
  '%00',
  '%zz',
  '?',
  '?&&&',
  '?a[]=1&a[]=2',
  '?__proto__[x]=1',
  '?size=1&size=2&after=a&after=b',
  '?%ff=%fe',
  '#fragment',
  ';a=b',
  `?q=${'q'.repeat(9_000)}`,
  `/${'p'.repeat(200)}`,
];

const ODD_HEADERS: readonly (readonly [string, string])[] = [
  ['User-Agent', 'fuzz/1'],
  ['MineSkin-User-Agent', 'fuzz/2'],
  ['User-Agent', ''],
  ['User-Agent', 'x'.repeat(3_000)],
  ['Accept', 'text/html'],
  ['Accept-Encoding', 'br, gzip'],
  ['Origin', 'https://example.org'],
  ['Origin', 'null'],
  ['Access-Control-Request-Method', 'TEAPOT'],
  ['If-None-Match', '*'],
  ['If-None-Match', 'W/"x", "'],
  ['If-Modified-Since', 'yesterday'],
  ['Range', 'bytes=0-1'],
  ['Idempotency-Key', 'one'],
  ['Idempotency-Key', 'two words'],
  ['Idempotency-Key', 'k'.repeat(300)],
  ['Idempotency-Key', 'ключ'],
  ['X-Request-Id', '../../log\t'],
  ['X-Forwarded-For', '1.2.3.4, evil'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Authorization', 'Basic dXNlcjpwYXNz'],
  ['Authorization', 'Bearer'],
  ['Cookie', '__proto__=1'],
  ['Host', 'other'],
  ['Expect', '100-continue'],
  ['Expect', '200-ok'],
  ['Upgrade', 'websocket'],
  ['TE', 'trailers'],
  ['Content-Encoding', 'gzip'],
  ['X-Control', 'a\u0001b'],
  ['X Bad', 'name'],
  ['X-Long', 'l'.repeat(20_000)],
];

type Framing = 'length' | 'chunked' | 'short' | 'twice' | 'bad';

/** How the end of the body is marked: correctly or not. */
function framed({ type, bytes }: SentBody, framing: Framing): { headers: Headers; bytes: Buffer } {
  const named: Headers = type === undefined ? [] : [['Content-Type', type]];
  const length = (n: number | string): Headers => [...named, ['Content-Length', String(n)]];
  switch (framing) {
    case 'length':
      return { headers: length(bytes.length), bytes };
    case 'chunked': {
      const parts = [`${bytes.length.toString(16)}\r\n`, bytes, bytes.length > 0 ? '\r\n0\r\n\r\n' : '\r\n'];
      return {
        headers: [...named, ['Transfer-Encoding', 'chunked']],
        bytes: Buffer.concat(parts.map((p) => Buffer.from(p))),
      };
    }
    case 'short':
      return { headers: length(bytes.length + 10), bytes };
    case 'twice':
      return { headers: [...length(bytes.length), ['Transfer-Encoding', 'chunked']], bytes };
    case 'bad':
      return { headers: length('many'), bytes };
  }
}
