import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { contact, pageAddress, shortLine } from '../../../../src/cli/serve/options.ts';
import { chooseSite } from '../../../../src/cli/serve/server-options.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

test('The name of a site is one line with a limited number of characters', () => {
  expect(shortLine(9)(' Our\u202e  skins\n')).toBe('Our skins');
  for (const text of [' ', 'x'.repeat(10)]) expect(() => shortLine(9)(text)).toThrow(InvalidArgumentError);
});

test.each([
  ['op@example.org', 'mailto:op@example.org'],
  ['https://example.org/me?x=1', 'https://example.org/me?x=1'],
  ['/contact', '/contact'],
])('The contact of a site is a mailbox or a page: %s', (text, address) => {
  expect(contact(text)).toBe(address);
});

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  '//example.org',
  '/\\example.org',
  'example.org',
  'https://me:secret@example.org',
])('%j is refused as a link of a page', (text) => {
  expect(() => contact(text)).toThrow(/must/);
  expect(() => pageAddress(text)).toThrow(/must/);
});

test.each([
  ['image/png', '\x89PNG\r\n\x1a\n…'],
  ['image/webp', 'RIFF\x00\x00\x00\x00WEBPVP8L'],
  ['image/jpeg', '\xff\xd8\xff\xe0'],
  ['image/svg+xml', '<?xml version="1.0"?>\n<!-- ours -->\n<svg xmlns="http://www.w3.org/2000/svg"/>'],
])('A logo is read at the start, and its first bytes decide its type: %s', async (type, start) => {
  const path = join(await ownFolder(), 'logo');
  await writeFile(path, start, 'latin1');
  expect((await chooseSite({ logo: path })).logo).toEqual({ type, bytes: Buffer.from(start, 'latin1') });
});

test.each([
  ['that is missing', undefined, /ENOENT/],
  ['that is no picture', 'GIF89a', /not a PNG, WebP, JPEG or SVG picture/],
  ['that is too large', '\x89PNG\r\n'.padEnd(256 * 1024 + 1), /larger than 256 KiB/],
])('A logo %s is refused before the service starts', async (_, bytes, reason) => {
  const path = join(await ownFolder(), 'logo');
  if (bytes !== undefined) await writeFile(path, bytes, 'latin1');
  const started = chooseSite({ logo: path });
  await expect(started).rejects.toMatchObject({
    code: 'invalid_setting',
    message: expect.stringMatching(reason),
  });
});
