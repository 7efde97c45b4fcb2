import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isStream } from '../../../src/base/files.ts';
import { DRAWN_PICTURE, OutputGuard } from '../../../src/cli/output/output-guard.ts';
import { encodePng, markPng } from '../../../src/skin/png/encode.ts';
import { leaveTemporaryFiles } from '../../support/batch/leave-temporary-file.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const NOT_OURS = { isOurs: () => false };
const OURS = { isOurs: () => true };
const DRAWN = markPng(encodePng(drawSkin(1)));
const OTHER = markPng(encodePng(drawSkin(2)));

/** A path with this in it. */
async function placeOf(content?: string | Uint8Array): Promise<string> {
  const path = join(await ownFolder(), 'out.png');
  if (content !== undefined) writeFileSync(path, content);
  return path;
}

describe('A drawn picture', () => {
  test('has the mark of skinsmith as a text chunk, and the same pixels', async () => {
    expect(DRAWN.includes('tEXtSoftware\0skinsmith')).toBe(true);
    const path = await placeOf();
    expect(new OutputGuard([]).write(path, DRAWN, DRAWN_PICTURE)).toBe(true);
    expect(readFileSync(path).equals(DRAWN)).toBe(true);
  });

  test('replaces another drawn picture, but no picture by someone else', async () => {
    const own = await placeOf(OTHER);
    new OutputGuard([]).write(own, DRAWN, DRAWN_PICTURE);
    expect(readFileSync(own).equals(DRAWN)).toBe(true);
    const foreign = await placeOf(skinPng(2));
    const write = (guard: OutputGuard) => guard.write(foreign, DRAWN, DRAWN_PICTURE);
    expect(() => write(new OutputGuard([]))).toThrow(
      expect.objectContaining({ message: `${foreign} exists and skinsmith did not write it.` }),
    );
    expect(readFileSync(foreign).equals(skinPng(2))).toBe(true);
    expect(() => write(new OutputGuard([foreign], { overwrite: true }))).toThrow(
      expect.objectContaining({ code: 'output_is_source' }),
    );
    expect(write(new OutputGuard([], { overwrite: true }))).toBe(true);
  });
});

describe('Any other output', () => {
  test.runIf(process.platform === 'linux')(
    'removes leftovers of a killed run, and nothing else',
    async () => {
      const folder = await ownFolder();
      const [path, other] = [join(folder, 'alex.json'), join(folder, '.alex.json.old.tmp')];
      writeFileSync(other, 'not ours');
      await leaveTemporaryFiles(path, path);
      expect(readdirSync(folder)).toHaveLength(3);
      new OutputGuard([]).write(path, '{}', NOT_OURS);
      expect(readdirSync(folder).sort()).toEqual(['.alex.json.old.tmp', 'alex.json']);
    },
  );

  test('never replaces a picture, by its name or its content', async () => {
    const guard = new OutputGuard([], { overwrite: true });
    const folder = await ownFolder();
    for (const [name, content] of [
      ['a.PNG', 'text'],
      ['a.xml', skinPng(1)],
    ] as const) {
      writeFileSync(join(folder, name), content);
      expect(() => guard.write(join(folder, name), 'new', OURS)).toThrow(
        expect.objectContaining({ code: 'output_is_picture' }),
      );
    }
  });

  test('never replaces a lockfile, unless it is one itself', async () => {
    const guard = new OutputGuard([], { overwrite: true });
    const path = join(await ownFolder(), 'skins.lock');
    writeFileSync(path, '{"source":"a.png"}');
    expect(() => guard.write(path, 'new', OURS)).toThrow(
      expect.objectContaining({ code: 'output_is_lockfile' }),
    );
    guard.write(path, 'new', { ...NOT_OURS, isLockfile: true });
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  test('leaves a file with the same content alone, whoever wrote it', async () => {
    const path = join(await ownFolder(), 'a.txt');
    writeFileSync(path, 'same');
    const before = statSync(path, { bigint: true });
    expect(new OutputGuard([]).write(path, 'same', NOT_OURS)).toBe(false);
    expect(statSync(path, { bigint: true })).toMatchObject({ ino: before.ino, mtimeNs: before.mtimeNs });
  });

  test('replaces its own files and empty ones, and takes a free name', async () => {
    const folder = await ownFolder();
    const paths = ['own', 'empty', 'free'].map((name) => join(folder, name));
    writeFileSync(paths[0]!, 'old');
    writeFileSync(paths[1]!, '');
    new OutputGuard([]).write(paths[0]!, 'new', OURS);
    for (const path of paths.slice(1)) new OutputGuard([]).write(path, 'new', NOT_OURS);
    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['new', 'new', 'new']);
  });

  test('does not replace a link that leads nowhere', async () => {
    const path = join(await ownFolder(), 'a.txt');
    symlinkSync('nowhere', path);
    expect(() => new OutputGuard([]).write(path, 'new', OURS)).toThrow(
      expect.objectContaining({ code: 'output_exists' }),
    );
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });

  test('is written to a device, and fails at a folder', async () => {
    const guard = new OutputGuard([]);
    expect(guard.write('/dev/null', 'new', NOT_OURS)).toBe(false);
    expect(statSync('/dev/null').isFile()).toBe(false);
    const folder = join(await ownFolder(), 'folder');
    mkdirSync(folder);
    expect(() => guard.write(folder, 'new', NOT_OURS)).toThrow(expect.objectContaining({ code: 'EISDIR' }));
    expect(['/dev/stdout', '/dev/fd/1', folder, join(folder, 'new')].map(isStream)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
