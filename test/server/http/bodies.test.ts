import { expect, test } from 'vitest';
import { readParts } from '../../../src/server/http/bodies.ts';

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
