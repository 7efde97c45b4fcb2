import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { SourceContent, Work } from '../../../src/batch/model.ts';
import { pictureOf } from '../../../src/batch/pictures.ts';
import { checkSkin } from '../../../src/skin/check.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

/** Work planned with the pixels of the first drawn skin. */
function workOf(content: SourceContent, bytes?: Uint8Array): Work {
  const member = { source: { content }, pixels: pixelHash(drawSkin(1)) };
  return { members: [member], bytes } as unknown as Work;
}

function hashOf(work: Work): string | undefined {
  const picture = pictureOf(work);
  return picture && pixelHash(picture);
}

const PLANNED = pixelHash(drawSkin(1));

test('The picture to send is the one in memory, or else is read again from its source', async () => {
  const path = join(await ownFolder(), 'one.png');
  await writeFile(path, skinPng(1));
  const file = { kind: 'file', path } as const;
  expect(hashOf(workOf(file))).toBe(PLANNED);
  expect(hashOf(workOf({ kind: 'bytes', bytes: skinPng(1) }))).toBe(PLANNED);
  expect(hashOf(workOf({ kind: 'file', path: join(path, 'gone') }, skinPng(1)))).toBe(PLANNED);
});

test('The picture to send keeps its pixels when its file has too much metadata', () => {
  const path = fileURLToPath(new URL('../../fixtures/skins/metadata-30kB.png', import.meta.url));
  const pixels = checkSkin(readFileSync(path)).pixels;
  const member = { source: { content: { kind: 'file', path } }, pixels };
  expect(hashOf({ members: [member], variant: 'auto' } as unknown as Work)).toBe(pixels);
});

test('A file that is gone, has changed since the plan or is no longer a picture gives no picture to send', async () => {
  const path = join(await ownFolder(), 'one.png');
  const file = { kind: 'file', path } as const;
  expect(hashOf(workOf(file))).toBeUndefined();
  for (const bytes of [skinPng(2), Buffer.from('no picture')]) {
    await writeFile(path, bytes);
    expect(hashOf(workOf(file))).toBeUndefined();
  }
});

test.each([
  { kind: 'url', url: 'https://a.example/s.png' },
  { kind: 'user', user: 'ann' },
  { kind: 'uuid', uuid: 'ab'.repeat(16) },
] as const)('A source of kind $kind has no picture to send', (content) => {
  expect(hashOf(workOf(content))).toBeUndefined();
});
