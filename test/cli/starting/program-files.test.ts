import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { CodeCache } from '../../../src/cli/starting/code-cache.ts';
import { ProgramFiles } from '../../../src/cli/starting/program-files.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

/** Writes a program and returns its folder. */
async function program(files: Record<string, string>): Promise<string> {
  const folder = await ownFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

function opened(folder: string, cache = CodeCache.read(join(folder, 'none'))): ProgramFiles {
  return new ProgramFiles(folder, cache);
}

const LAZY = "exports.f = () => { const parts = [1, 2, 3].map((n) => n + '!'); return parts.join(); };";

test('Files load each other and modules of Node, once each', async () => {
  const folder = await program({
    'cli.cjs': "exports.sep = require('node:path').sep; exports.a = require('./chunks/a.cjs');",
    'chunks/a.cjs':
      "globalThis.loads = (globalThis.loads ?? 0) + 1; module.exports = [require('../cli.cjs'), __dirname];",
  });
  const files = opened(folder);
  const cli = files.load(join(folder, 'cli.cjs')) as { sep: string; a: unknown[] };
  expect(cli.sep).toBe(join('a', 'b')[1]);
  expect(cli.a).toEqual([cli, join(folder, 'chunks')]);
  expect(files.load(join(folder, 'chunks/a.cjs'))).toBe(cli.a);
  expect((globalThis as { loads?: number }).loads).toBe(1);
});

test('What a file throws has its place in that file, and the file is loaded again the next time', async () => {
  const folder = await program({ 'cli.cjs': "let a = 1; throw new Error('broken');" });
  const files = opened(folder);
  const path = join(folder, 'cli.cjs');
  const thrown = () => {
    try {
      files.load(path);
      return '';
    } catch (error) {
      return (error as Error).stack ?? '';
    }
  };
  expect(thrown()).toContain(`${path}:1:18`);
  expect(thrown()).toContain('broken');
});

test('A missing file, and a package that is not there, fail as in Node', async () => {
  const folder = await program({ 'cli.cjs': "require('not-there');" });
  for (const name of ['none.cjs', 'cli.cjs']) {
    const error = expect.objectContaining({ code: 'MODULE_NOT_FOUND' });
    expect(() => opened(folder).load(join(folder, name))).toThrow(error);
  }
});

test('A file that is larger than any other is read whole', async () => {
  const folder = await program({ 'cli.cjs': `/*${'x'.repeat(700_000)}*/ module.exports = 'the end';` });
  expect(opened(folder).load(join(folder, 'cli.cjs'))).toBe('the end');
});

test('A file that is kept runs only when it is loaded, as it was, whatever became of it', async () => {
  const folder = await program({
    'cli.cjs': "require.keep('./chunks/a.cjs'); exports.load = () => require('./chunks/a.cjs');",
    'chunks/a.cjs': `/*${'x'.repeat(700_000)}*/ globalThis.keptRan = true; module.exports = 'the end';`,
  });
  const { load } = opened(folder).load(join(folder, 'cli.cjs')) as { load: () => unknown };
  rmSync(join(folder, 'chunks'), { recursive: true });
  expect(globalThis).not.toHaveProperty('keptRan');
  expect([load(), load()]).toEqual(['the end', 'the end']);
  expect(globalThis).toHaveProperty('keptRan', true);
});

test('Functions that have run are among what has been compiled', async () => {
  const folder = await program({ 'cli.cjs': LAZY });
  const files = opened(folder);
  const { f } = files.load(join(folder, 'cli.cjs')) as { f: () => string };
  const [before] = [...files.compiled()];
  expect(f()).toBe('1!,2!,3!');
  const [after] = [...files.compiled()];
  expect(after?.data.length).toBeGreaterThan(before?.data.length ?? Number.NaN);
  expect(after).toMatchObject({ name: 'cli.cjs', checksum: before?.checksum });
});

test('What V8 refuses is compiled, and that is told', async () => {
  const folder = await program({ 'cli.cjs': LAZY.replace('parts', 'pieces') });
  const kept = join(folder, 'caches/generate');
  const checksum = crc32(readFileSync(join(folder, 'cli.cjs')));
  CodeCache.read(kept).save([{ name: 'cli.cjs', checksum, data: Buffer.alloc(500) }], () => true);
  const cache = CodeCache.read(kept);
  const miss = vi.spyOn(cache, 'miss');
  expect(opened(folder, cache).load(join(folder, 'cli.cjs'))).toHaveProperty('f');
  expect(miss).toHaveBeenCalledOnce();
});
