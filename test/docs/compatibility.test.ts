import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDocument } from '../../docs/compatibility/document.ts';
import { DIFFERENCES } from '../../docs/compatibility/hosted.ts';

const ROOT = join(import.meta.dirname, '../..');

test('docs/compatibility.md is as `npm run compatibility` makes it', async () => {
  const text = await readFile(join(ROOT, 'docs/compatibility.md'), 'utf8');
  expect(text).toBe(await writeDocument());
});

test.each(Object.entries(DIFFERENCES))('The difference of %s is shown by a test', async (_, { shown }) => {
  const [file, title] = shown;
  const text = await readFile(join(ROOT, file), 'utf8');
  expect([`${title}'`, `${title}"`].some((quoted) => text.includes(quoted))).toBe(true);
});
