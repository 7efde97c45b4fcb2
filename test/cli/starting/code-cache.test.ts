import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CompiledFile } from '../../../src/cli/starting/cache-format.ts';
import { CodeCache } from '../../../src/cli/starting/code-cache.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const ONE: CompiledFile = { name: 'cli.cjs', checksum: 1, data: Buffer.from('one') };
const TWO: CompiledFile = { name: 'chunks/run.cjs', checksum: 2, data: Buffer.from('two') };
const all = () => true;

async function ownPath(): Promise<string> {
  return join(await ownFolder(), 'caches/mine/generate');
}

/** Whether the data of a file come back. */
function knows(path: string, { name, checksum, data }: CompiledFile): boolean {
  const kept = CodeCache.read(path).dataFor(name, checksum);
  return kept !== undefined && Buffer.compare(kept, data) === 0;
}

async function saved(...files: CompiledFile[]): Promise<string> {
  const path = await ownPath();
  CodeCache.read(path).save(files, all);
  return path;
}

test('Compiled code is kept by the name of its file and its text', async () => {
  const path = await saved(ONE, TWO);
  expect(knows(path, ONE)).toBe(true);
  expect(knows(path, TWO)).toBe(true);
  expect(CodeCache.read(path).dataFor(ONE.name, TWO.checksum)).toBeUndefined();
  expect(CodeCache.read(path).dataFor('other.cjs', ONE.checksum)).toBeUndefined();
});

test('A later run adds to it, and files that are no longer the program’s are forgotten', async () => {
  const path = await saved(ONE);
  CodeCache.read(path).save([TWO], all);
  expect(knows(path, ONE)).toBe(true);
  expect(knows(path, TWO)).toBe(true);
  CodeCache.read(path).save([], (name) => name === TWO.name);
  expect(knows(path, ONE)).toBe(false);
  expect(knows(path, TWO)).toBe(true);
});

test('It is for nobody else, in a folder for nobody else', async () => {
  const path = await saved(ONE);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(path, '..'))).toEqual(['generate']);
});

test('After some runs it is written again only when a file was missing', async () => {
  const path = await saved(ONE);
  for (let run = 0; run < 2; run++) CodeCache.read(path).save([ONE], all);
  CodeCache.read(path).save([TWO], all);
  expect(knows(path, TWO)).toBe(false);
  const cache = CodeCache.read(path);
  cache.miss();
  cache.save([TWO], all);
  expect(knows(path, TWO)).toBe(true);
});

test('Damaged anywhere, cut off or empty, it is as if there were none', async () => {
  const path = await saved(ONE, TWO);
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
    writeFileSync(path, damaged);
    expect(knows(path, ONE), `byte ${at}`).toBe(false);
    writeFileSync(path, whole.subarray(0, at));
    expect(knows(path, ONE), `${at} bytes`).toBe(false);
  }
  writeFileSync(path, whole);
  expect(knows(path, ONE)).toBe(true);
});

test.skipIf(process.platform === 'win32')(
  'What others could have written, or a link leads to, is not read',
  async () => {
    const path = await saved(ONE);
    for (const mode of [0o620, 0o602, 0o640]) {
      chmodSync(path, mode);
      expect(knows(path, ONE)).toBe(false);
    }
    chmodSync(path, 0o600);
    const link = join(path, '../link');
    symlinkSync(path, link);
    expect(knows(path, ONE)).toBe(true);
    expect(knows(link, ONE)).toBe(false);
    expect(knows(join(path, '..'), ONE)).toBe(false);
  },
);

test.skipIf(process.platform === 'win32')(
  'Nothing is written to a folder that others may write to',
  async () => {
    const path = await ownPath();
    mkdirSync(join(path, '..'), { recursive: true });
    chmodSync(join(path, '..'), 0o777);
    CodeCache.read(path).save([ONE], all);
    expect(readdirSync(join(path, '..'))).toEqual([]);
  },
);

/** A folder of the user's with a link to it in a folder of somebody else's, or of all. */
async function linkedFolders(): Promise<{ readonly own: string; readonly link: string }> {
  const [own, others] = [await ownFolder(), await ownFolder()];
  const link = join(others, 'link');
  symlinkSync(own, link);
  return { own, link };
}

describe.skipIf(process.platform === 'win32')('What others could have led us to', () => {
  test('by a link in a folder that they may write to is neither read nor written', async () => {
    const { own, link } = await linkedFolders();
    const paths = [join(own, 'mine/generate'), join(link, 'mine/generate')] as const;
    CodeCache.read(paths[0]).save([ONE], all);
    expect(paths.map((path) => knows(path, ONE))).toEqual([true, true]);
    chmodSync(dirname(link), 0o777);
    expect(paths.map((path) => knows(path, ONE))).toEqual([true, false]);
    CodeCache.read(join(link, 'more/generate')).save([ONE], all);
    expect(readdirSync(own)).toEqual(['mine']);
    chmodSync(dirname(link), 0o1777); // there they cannot replace the link, which is ours
    expect(paths.map((path) => knows(path, ONE))).toEqual([true, true]);
  });

  test('by a link of theirs is neither read nor written', async () => {
    if (process.getuid?.() !== 0) return; // nobody else can give files away
    const { own, link } = await linkedFolders();
    CodeCache.read(join(own, 'mine/generate')).save([ONE], all);
    lchownSync(link, 65_534, 65_534);
    expect(knows(join(link, 'mine/generate'), ONE)).toBe(false);
    CodeCache.read(join(link, 'more/generate')).save([ONE], all);
    expect(readdirSync(own)).toEqual(['mine']);
  });

  test('by a folder of theirs is neither read nor written', async () => {
    if (process.getuid?.() !== 0) return;
    const path = await saved(ONE);
    chownSync(join(path, '../..'), 65_534, 65_534);
    expect(knows(path, ONE)).toBe(false);
    const more = join(path, '../../more/generate');
    CodeCache.read(more).save([ONE], all);
    expect(existsSync(dirname(more))).toBe(false);
  });

  test('by links that lead back and forth is not read', async () => {
    const folder = await ownFolder();
    symlinkSync('b', join(folder, 'a'));
    symlinkSync(join(folder, 'a'), join(folder, 'b'));
    expect(knows(join(folder, 'a/generate'), ONE)).toBe(false);
  });
});

test('Where nothing can be written nothing is compiled for it, and nothing fails', async () => {
  const file = join(await ownFolder(), 'file');
  writeFileSync(file, '');
  let asked = 0;
  const compiled = function* () {
    asked++;
    yield ONE;
  };
  CodeCache.read(join(file, 'mine/generate')).save(compiled(), all);
  expect(asked).toBe(0);
});

test('Where writing fails no part of a file stays', async () => {
  const path = await saved(ONE);
  const fails = function* (): Generator<CompiledFile> {
    yield TWO;
    throw new Error('no space left on device');
  };
  CodeCache.read(path).save(fails(), all);
  expect(readdirSync(join(path, '..'))).toEqual(['generate']);
  expect(knows(path, ONE)).toBe(true);
});
