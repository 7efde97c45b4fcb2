import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import multipart from '@fastify/multipart';
import fc from 'fast-check';
import Fastify, { type FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { withoutFrameworkErrors } from '../../../../src/server/http/fastify/framework-errors.ts';
import { PlainRequest } from '../../../../src/server/http/fastify/plain-request.ts';
import { parseForm } from '../../../../src/server/http/fastify/whole-form.ts';
import type { Part } from '../../../../src/server/http/request.ts';
import { exchangeRaw } from '../../../support/fuzz/raw-exchange.ts';

const LIMITS = { fileSize: 256 * 1024, files: 1, fields: 4, fieldSize: 32 * 1024, headerPairs: 32 };
const BOUNDARY = '----formdata-0123';
const FILE = 'Content-Disposition: form-data; name="file"; filename="smith.png"\r\nContent-Type: image/png';
const PNG = '\x89PNG\r\n\x1a\n\0\0--\r\n--\xff\r';

function field(name: string): string {
  return `Content-Disposition: form-data; name="${name}"`;
}

/** Of parts as `[head, content]`; the texts have a character for each byte. */
function form(...parts: [string, string][]): string {
  const all = parts.map(([head, content]) => `--${BOUNDARY}\r\n${head}\r\n\r\n${content}\r\n`);
  return `${all.join('')}--${BOUNDARY}--\r\n`;
}

const app = Fastify();
/** The forms that were read by streams. */
const streamed = vi.fn();
let port = 0;

beforeAll(async () => {
  await app.register(multipart);
  app.addHook('onRequest', async ({ raw }) => void vi.spyOn(raw, 'pipe').mockName('pipe'));
  app.post('/', async (request) => {
    const answer = await told(async () => await describeParts(new PlainRequest(request).parts!(LIMITS)));
    if (vi.mocked(request.raw.pipe).mock.calls.length > 0) streamed();
    return answer;
  });
  app.post('/library', async (request) => await told(async () => await describeLibraryParts(request)));
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
});
afterAll(async () => await app.close());

async function told(read: () => Promise<unknown>): Promise<unknown> {
  try {
    return { parts: await read() };
  } catch (error) {
    return { error: String(withoutFrameworkErrors(error)) };
  }
}

async function describeParts(parts: AsyncIterable<Part>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const part of parts) {
    if (part.kind === 'field') all.push([part.name, part.value]);
    else all.push([part.name, part.fileName, Buffer.from(await part.read()).toString('hex')]);
  }
  return all;
}

async function describeLibraryParts(request: FastifyRequest): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const part of request.parts({ limits: LIMITS })) {
    if (part.type === 'field') all.push([part.fieldname, part.value]);
    else all.push([part.fieldname, part.filename, (await part.toBuffer()).toString('hex')]);
  }
  return all;
}

function headersFor(body: string): [string, string][] {
  const type = `multipart/form-data; boundary=${BOUNDARY}`;
  return [
    ['Host', 'localhost'],
    ['Connection', 'close'],
    ['Content-Type', type],
    ['Content-Length', `${body.length}`],
  ];
}

async function send(address: string, body: string): Promise<unknown> {
  const headers = headersFor(body);
  const asked = { method: 'POST', address, headers, body: Buffer.from(body, 'latin1') };
  const { status, bytes } = await exchangeRaw(port, asked, 5_000);
  return { status, answer: JSON.parse(bytes.toString()) };
}

function parsed(body: string): Part[] | undefined {
  return parseForm(Buffer.from(body, 'latin1'), BOUNDARY, LIMITS);
}

const PLAIN: readonly (readonly [string, string])[] = [
  ['a file', form([FILE, PNG])],
  ['a file and fields', form([field('name'), 'Smith'], [FILE, PNG], [field('variant'), 'slim'])],
  ['fields', form([field('url'), 'https://skins.invalid/a.png'], [field('name'), ''])],
  ['a file without a type', form(['content-disposition: form-data; name="file"; filename="a"', PNG])],
  ['an empty file', form([FILE, ''])],
  ['no line at its end', form([FILE, PNG]).slice(0, -2)],
];

const UNUSUAL: readonly (readonly [string, string])[] = [
  ['two files', form([FILE, PNG], [FILE, PNG])],
  ['too many fields', form(...[1, 2, 3, 4, 5].map((): [string, string] => [field('name'), 'x']))],
  ['as many bytes as a field may have', form([field('name'), 'x'.repeat(LIMITS.fieldSize)])],
  ['a name that all objects have', form([field('constructor'), 'x'])],
  ['another encoding', form([`${field('name')}\r\nContent-Transfer-Encoding: base64`, 'eA=='])],
  ['a field of a type', form([`${field('name')}\r\nContent-Type: application/json`, '{}'])],
  ['a folder in the name of a file', form([FILE.replace('smith', 'a/smith'), PNG])],
  ['letters beyond ASCII', form([field('name'), 'M\xc3\xbcller'])],
  ['no end', form([FILE, PNG]).slice(0, -6)],
  ['no part', `--${BOUNDARY}--\r\n`],
  ['a part without an empty line', form([FILE, PNG]).replace('\r\n\r\n', '\r\n')],
  ['something before the first part', `hello\r\n${form([FILE, PNG])}`],
  ['something after the last part', `${form([FILE, PNG])}hello`],
  ['more dashes after a boundary', form([FILE, `${PNG}\r\n--${BOUNDARY}-x`])],
  ['nothing between a head and the boundary', `--${BOUNDARY}\r\n${FILE}\r\n\r\n--${BOUNDARY}--\r\n`],
];

describe('a form that has come whole', () => {
  test.each(PLAIN)('with %s is read as by the library, without streams', async (_, body) => {
    streamed.mockClear();
    expect(parsed(body)).toBeDefined();
    expect(await send('/', body)).toEqual(await send('/library', body));
    expect(streamed).not.toHaveBeenCalled();
  });

  test.each(UNUSUAL)('with %s is left to the library, which gets all of it', async (_, body) => {
    streamed.mockClear();
    expect(parsed(body)).toBeUndefined();
    expect(await send('/', body)).toEqual(await send('/library', body));
    expect(streamed).toHaveBeenCalledOnce();
  });

  test('is read as by the library, however it is damaged, or not at all', async () => {
    const piece = fc.constantFrom(
      '\r\n',
      '\r',
      '\n',
      '-',
      '--',
      `--${BOUNDARY}`,
      ':',
      ';',
      '"',
      ' ',
      'x',
      '\0',
    );
    const edit = fc.record({ at: fc.nat(), length: fc.nat(3), piece: fc.oneof(piece, fc.constant('')) });
    const edits = fc.array(edit, { minLength: 1, maxLength: 2 });
    const plain = fc.constantFrom(...PLAIN.map(([, body]) => body));
    await fc.assert(
      fc.asyncProperty(plain, edits, async (whole, changes) => {
        const body = changes.reduce((old, { at, length, piece: added }) => {
          const from = at % old.length;
          return old.slice(0, from) + added + old.slice(from + length);
        }, whole);
        const parts = parsed(body);
        if (!parts) return;
        const own = { parts: await describeParts(asynchronous(parts)) };
        expect(await send('/library', body)).toEqual({ status: 200, answer: own });
      }),
      { numRuns: 1_000 },
    );
  });
});

test('A form that comes in pieces is read by streams, and the connection serves on', async () => {
  streamed.mockClear();
  const body = form([FILE, PNG]);
  const head = headersFor(body).map(([name, value]) => `${name}: ${value}\r\n`);
  const first = head.join('').replace('Connection: close\r\n', '');
  const socket = connect(port, '127.0.0.1');
  const began = once(app.server, 'request');
  socket.write(`POST / HTTP/1.1\r\n${first}\r\n${body.slice(0, 80)}`, 'latin1');
  await began;
  socket.write(`${body.slice(80)}POST / HTTP/1.1\r\n${head.join('')}\r\n${body}`, 'latin1');
  const answers = (await text(socket)).split('HTTP/1.1 200 OK').length - 1;
  expect(answers).toBe(2);
  expect(streamed).toHaveBeenCalledOnce();
});

async function* asynchronous(parts: readonly Part[]): AsyncIterable<Part> {
  yield* parts;
}
