import querystring from 'node:querystring';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { readParts, receiveBody } from '../../../src/server/http/bodies.ts';
import type { HttpRequest } from '../../../src/server/http/route.ts';
import { validationRefusal } from '../../../src/server/service/refusal.ts';

const LIMITS = { fileSize: 1_024, files: 1, fields: 2, fieldSize: 16, headerPairs: 32 };
const FILE = 'form-data; name="file"; filename="a.png"';

type Sent = readonly [disposition: string, type: string, content: string];

async function read(...parts: Sent[]): Promise<unknown> {
  const all = parts.map(
    ([disposition, type, content]) =>
      `--b\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`,
  );
  const bytes = Buffer.from(`${all.join('')}--b--\r\n`);
  return await readParts(bytes, 'multipart/form-data; boundary=b', LIMITS).then(
    (found) => found.map((part) => [part.name, part.kind === 'field' ? part.value : part.bytes.length]),
    String,
  );
}

const json = (name: string, content: string): Sent => [
  `form-data; name="${name}"`,
  'application/json',
  content,
];
const file: Sent = [FILE, 'image/png', 'PNG'];

test('A text declared as JSON is parsed, or kept unchanged if it is not JSON', async () => {
  expect(await read(json('variant', 'slim'), json('name', '"Smith"'), file)).toEqual([
    ['variant', 'slim'],
    ['name', 'Smith'],
    ['file', 3],
  ]);
  expect(await read(json('name', `"${'a'.repeat(20)}"`))).toEqual([['name', `"${'a'.repeat(15)}`]]);
});

test('A file declared as JSON stays a file', async () => {
  expect(await read([FILE, 'application/json', '{}'])).toEqual([['file', 2]]);
});

test('Texts declared as JSON count as texts, and files as files', async () => {
  const one = json('name', 'a');
  expect(await read(one, one, one)).toContain('too many fields');
  expect(await read(file, one, one, one)).toContain('too many fields');
  expect(await read(one, file, file)).toContain('one file only');
  expect(await read(one, one, file, file)).toContain('one file only');
});

const MANY = 5_001;
const BODIES: [what: string, type: string, body: string][] = [
  ['JSON with brackets only', 'application/json', '['.repeat(120_000)],
  ['JSON with many values', 'application/json', `{"skins":[${'0,'.repeat(MANY)}0]}`],
  ['JSON with many objects', 'application/json', `[${Array(MANY).fill('{}').join()}]`],
  ['a form with many fields', 'application/x-www-form-urlencoded', Array(MANY).fill('a').join('&')],
];

test.each(BODIES)('A body is refused before it is parsed: %s', async (_, type, body) => {
  const parsers = [vi.spyOn(JSON, 'parse'), vi.spyOn(querystring, 'parse')];
  onTestFinished(() => void vi.restoreAllMocks());
  const request = { method: 'POST', headers: { 'content-type': type }, content: [Buffer.from(body)] };
  const receiving = receiveBody(request as unknown as HttpRequest, {});
  await expect(receiving).rejects.toMatchObject({ code: 'invalid_request' });
  expect(parsers.map((parser) => parser.mock.calls.length)).toEqual([0, 0]);
});

test('A refusal names a hundred invalid fields at most', () => {
  const wrong = z.array(z.string()).safeParse(Array(1_000).fill(0));
  expect(validationRefusal(wrong.error!).details.notes).toHaveLength(100);
});
