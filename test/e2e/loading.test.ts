import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { freshMachine, ROOT } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { ownFolder } from '../support/server/own-folder.ts';

const DIST = join(ROOT, 'dist');
/** Bytes of code are told in steps of this size, so that small changes do not change the lists. */
const STEP = 100_000;

/** Writes at the end which files of the program have been loaded. */
const RECORDER = `process.on('exit', () =>
  require('node:fs').writeFileSync(process.env.LOADED, JSON.stringify(Object.keys(require.cache))));`;

/** Files below dist/ that a command line loads. They are loaded by Node itself where the program keeps no compiled code. */
async function filesLoadedBy(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<string[]> {
  const [recorder, loaded] = [join(cwd, 'recorder.cjs'), join(cwd, 'loaded.json')];
  await writeFile(recorder, RECORDER);
  const args = ['--require', recorder, join(ROOT, 'bin/skinsmith.js'), ...words];
  await execa(process.execPath, args, {
    env: { ...env, NODE_DISABLE_COMPILE_CACHE: '1', LOADED: loaded },
    cwd,
  });
  const files: string[] = JSON.parse(await readFile(loaded, 'utf8'));
  return files.map((file) => relative(DIST, file)).filter((file) => !file.startsWith('..'));
}

/** A module's package, or its folder in src/, at most two names deep. */
function partOf(module: string): string | undefined {
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module)?.[1];
  return inPackage ?? /^src(?:\/[^/]+){1,2}(?=\/)/.exec(module)?.[0];
}

/** The parts that are loaded, and how much code that is. */
async function listOf(files: readonly string[]): Promise<string> {
  const modules: Record<string, string[]> = JSON.parse(await readFile(join(DIST, 'modules.json'), 'utf8'));
  const parts = files.flatMap((file) => (modules[file.replaceAll('\\', '/')] ?? []).map(partOf));
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(DIST, file))).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const most = `at most ${((Math.floor(bytes / STEP) + 1) * STEP) / 1_000} kB`;
  return `${[most, ...new Set(parts.filter((part) => part !== undefined).sort())].join('\n')}\n`;
}

test.each([
  { name: 'version', words: ['--version'] },
  { name: 'help', words: ['--help'] },
  { name: 'generate', words: ['generate', 'one.png'] },
])('What $name loads is what it was: more of it makes every start slower', async ({ name, words }) => {
  const folder = await ownFolder();
  await writeFile(join(folder, 'one.png'), skinPng(1));
  const { env } = await freshMachine();
  const list = await listOf(await filesLoadedBy(words, env, folder));
  await expect(list).toMatchFileSnapshot(join(import.meta.dirname, 'loading', `${name}.txt`));
});

/** Loads each file as if it were the first one, and prints those that fail. */
const LOADER = `const { readdirSync } = require('node:fs');
  for (const file of readdirSync(process.argv[1]).filter((name) => name.endsWith('.cjs'))) {
    for (const loaded of Object.keys(require.cache)) delete require.cache[loaded];
    try { Object.values(require(process.argv[1] + '/' + file)); } catch (error) { console.log(file, error.message); }
  }`;

test('Each file of the program can be loaded before all others', async () => {
  const { stdout } = await execa(process.execPath, ['-e', LOADER, join(DIST, 'chunks')]);
  expect(stdout).toBe('');
});

test('The library can be required, and an error that nobody catches is shown with a line of code, not with all of it', async () => {
  const code = "const { SkinClient } = require('skinsmith'); new SkinClient({ baseUrl: 'nowhere' });";
  const { stderr } = await execa(process.execPath, ['-e', code], { cwd: ROOT, reject: false });
  expect(stderr).toContain('TypeError: "nowhere" is not a URL');
  expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThan(300);
});
