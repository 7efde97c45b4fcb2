import { readdirSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshMachine, ROOT } from '../support/program/program.ts';
import { sampled } from '../support/setup/extent.ts';

test('A command prints the same with code that earlier runs have compiled', async () => {
  const machine = await freshMachine();
  const home = join(machine.folder, 'home');
  await mkdir(home);
  const env = { HOME: home, XDG_CACHE_HOME: '', NODE_COMPILE_CACHE: '' };
  const first = await machine.start(['help', 'formats'], { env });
  expect(first).toMatchObject({ exitCode: 0, stderr: '' });
  expect(readdirSync(join(home, '.cache/skinsmith/compiled'))).not.toEqual([]);
  expect(await machine.start(['help', 'formats'], { env })).toMatchObject({
    exitCode: 0,
    stderr: '',
    stdout: first.stdout,
  });
});

test.each(sampled([{}, { NODE_DISABLE_COMPILE_CACHE: '1' }], 2))(
  'A command whose files an upgrade takes away says so (%o)',
  async (env) => {
    const machine = await freshMachine();
    const copy = join(machine.folder, 'program');
    for (const part of ['bin', 'dist', 'package.json'])
      await cp(join(ROOT, part), join(copy, part), { recursive: true });
    await rm(join(copy, 'dist/chunks'), { recursive: true });
    const program = [process.execPath, join(copy, 'bin/skinsmith.js')] as const;
    expect(await machine.start(['help', 'formats'], { env }, program)).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: A file of skinsmith is missing: .*\nhint: Run the same command/),
    });
    const { stderr } = await machine.start(['jobs', '--json'], { env }, program);
    expect(JSON.parse(String(stderr))).toMatchObject({ error: { code: 'program_incomplete' } });
  },
);
