import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { ROOT } from '../support/program/program.ts';

const DIST = join(ROOT, 'dist');

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
