import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SourceFiles } from '../../../../src/cli/output/output-guard.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

/** A folder with a source, links to it, and a file that is none. */
async function ownSource() {
  const folder = await ownFolder();
  const path = (name: string) => join(folder, name);
  mkdirSync(path('skins'));
  for (const name of ['sm.png', 'other.png', 'skins/a.png', 'skins/a.json']) writeFileSync(path(name), name);
  symlinkSync(path('sm.png'), path('link.png'));
  linkSync(path('sm.png'), path('hard.png'));
  symlinkSync(path('skins'), path('folder'));
  return { folder, path };
}

describe('A file to write', () => {
  test.each(['sm.png', './sm.png', 'skins/../sm.png', 'link.png', 'hard.png'])(
    'is recognized as the source when it is written %s',
    async (name) => {
      const { folder, path } = await ownSource();
      const sources = new SourceFiles([path('sm.png')]);
      expect(sources.has(`${folder}/${name}`)).toBe(true);
      expect(() => sources.verifyOther(`${folder}/${name}`)).toThrow(
        expect.objectContaining({ code: 'output_is_source', exit: 'usage', hint: expect.any(String) }),
      );
    },
  );

  test('is recognized as the source that was named by a link', async () => {
    const { path } = await ownSource();
    expect(new SourceFiles([path('link.png')]).has(path('sm.png'))).toBe(true);
  });

  test.each([
    ['skins/a.png', true],
    ['folder/a.png', true],
    ['skins/a.json', false],
    ['skins/new.png', false],
    ['sm.png', false],
  ])('is a source when it is a picture in a folder of sources: %s', async (name, isSource) => {
    const { path } = await ownSource();
    expect(new SourceFiles([path('skins')]).has(path(name))).toBe(isSource);
  });

  test('is not mistaken for a source that is not a file', async () => {
    const { path } = await ownSource();
    const sources = new SourceFiles(['jeb_', '-', 'https://example.org/a.png', 'x'.repeat(100_000), 'a\0b']);
    expect([path('other.png'), path('nothing.png'), '-'].map((name) => sources.has(name))).toEqual([
      false,
      false,
      false,
    ]);
  });
});
