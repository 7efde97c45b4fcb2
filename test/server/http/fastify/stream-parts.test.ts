import type { AddressInfo } from 'node:net';
import multipart from '@fastify/multipart';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { streamParts } from '../../../../src/server/http/fastify/stream-parts.ts';

const LIMITS = { fileSize: 1_024, files: 1, fields: 2, fieldSize: 16, headerPairs: 32 };
const FILE = 'form-data; name="file"; filename="a.png"';

const app = Fastify();

beforeAll(async () => {
  await app.register(multipart);
  app.post('/', async (request) => {
    const all: unknown[] = [];
    try {
      for await (const part of streamParts(request, LIMITS))
        all.push([part.name, part.kind === 'field' ? part.value : (await part.read()).length]);
      return all;
    } catch (error) {
      return String(error);
    }
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => await app.close());

type Sent = readonly [disposition: string, type: string, content: string];

async function read(...parts: Sent[]): Promise<unknown> {
  const all = parts.map(
    ([disposition, type, content]) =>
      `--b\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`,
  );
  const { port } = app.server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: `${all.join('')}--b--\r\n`,
  });
  const text = await answer.text();
  return text.startsWith('[') ? JSON.parse(text) : text;
}

const json = (name: string, content: string): Sent => [
  `form-data; name="${name}"`,
  'application/json',
  content,
];
const file: Sent = [FILE, 'image/png', 'PNG'];

test('A text that is typed as JSON is read as such, or as it is if it is none', async () => {
  expect(await read(json('variant', 'slim'), json('name', '"Smith"'), file)).toEqual([
    ['variant', 'slim'],
    ['name', 'Smith'],
    ['file', 3],
  ]);
  expect(await read(json('name', `"${'a'.repeat(20)}"`))).toEqual([['name', `"${'a'.repeat(15)}`]]);
});

test('A file that is typed as JSON is a file', async () => {
  expect(await read([FILE, 'application/json', '{}'])).toEqual([['file', 2]]);
});

test('Texts that are typed as JSON count as texts, and files as files', async () => {
  const one = json('name', 'a');
  expect(await read(one, one, one)).toContain('too many fields');
  expect(await read(file, one, one, one)).toContain('too many fields');
  expect(await read(one, file, file)).toContain('one file only');
  expect(await read(one, one, file, file)).toContain('one file only');
});
