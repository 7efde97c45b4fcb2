import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { freshMachine, ROOT } from '../support/program/program.ts';
import { sampled, testWhole } from '../support/setup/extent.ts';

const DIST = join(ROOT, 'dist');

/** Loads all files, and prints each use of a file that is not loaded yet, because it in turn waits for its user. */
const LOADER = `const { readdirSync } = require('node:fs');
  const { Module } = require('node:module');
  const { dirname, join } = require('node:path');
  const load = Module.prototype.require;
  Module.prototype.require = function (name) {
    const loaded = load.call(this, name);
    const file = require.cache[join(dirname(this.filename), name)];
    if (file?.loaded === false) console.log(this.filename, 'needs', file.filename);
    return loaded;
  };
  for (const file of readdirSync(process.argv[1]))
    if (file.endsWith('.cjs')) Object.values(require(join(process.argv[1], file)));`;

// Otherwise rooms.test.ts knows cycles of the sources.
testWhole('Each file of the program can be loaded first, because there are no import cycles', async () => {
  const { stdout } = await execa(process.execPath, ['-e', LOADER, join(DIST, 'chunks')]);
  expect(stdout).toBe('');
});

test('The library can be required, and an uncaught error shows one line of code, not the whole file', async () => {
  const code = "const { SkinClient } = require('skinsmith'); new SkinClient({ baseUrl: 'nowhere' });";
  const { stderr } = await execa(process.execPath, ['-e', code], { cwd: ROOT, reject: false });
  expect(stderr).toContain('TypeError: "nowhere" is not a URL');
  expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThan(300);
});

/** Prints the files of the program that a command has loaded. */
const LIST = `process.on('exit', () => console.error(Object.keys(require.cache).join('\\n')));`;

const LOADED = [
  ['--version', []],
  ['completion bash', ['core']],
  ['complete -- gener', ['core', 'settings']],
  ['config list', ['core', 'settings']],
  ['check examples/smith.png', ['core', 'settings', 'shared', 'commands']],
  ['jobs', ['core', 'settings', 'shared', 'commands', 'server']],
] as const;

test.for(sampled(LOADED, 3, 2))('%s loads no file that it does not need', async ([command, expected]) => {
  const { env, folder } = await freshMachine();
  const list = join(folder, 'list.cjs');
  await writeFile(list, LIST);
  const { stderr } = await execa(
    process.execPath,
    ['--require', list, join(ROOT, 'bin/skinsmith.js'), ...command.split(' ')],
    {
      cwd: ROOT,
      env,
    },
  );
  const isLoaded = (name: string) => new RegExp(`/chunks/${name}-`).test(stderr);
  expect(['core', 'settings', 'shared', 'commands', 'server'].filter(isLoaded)).toEqual(expected);
});
