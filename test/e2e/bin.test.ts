import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { VERSION } from '../../src/base/version.ts';
import { freshMachine, ROOT, saying } from '../support/program/program.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { sampled } from '../support/setup/extent.ts';

/** Makes a Node say that it is an old one; what it starts is itself again. */
const OLD = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.19.0'})`;
const BIN = join(ROOT, 'bin/skinsmith.js');

function underOldNode(bin: string, args: readonly string[], env: Record<string, string> = {}) {
  return execa(process.execPath, ['--import', OLD, bin, ...args], { env, reject: false, cwd: ROOT });
}

test('With an old Node, the program runs under the Node in its own folder, with its exit status', async () => {
  expect(await underOldNode(BIN, ['--version'])).toMatchObject({ exitCode: 0, stdout: VERSION });
  expect(await underOldNode(BIN, ['genrate'])).toMatchObject({ exitCode: 2 });
});

const SIGNALS = [
  ['SIGTERM', 0],
  ['SIGINT', 0],
] as const;

test.each(sampled(SIGNALS, 2))(
  '%s to the old Node reaches the program, and both end in the same way',
  async (signal, exitCode) => {
    const { env } = await freshMachine();
    const child = underOldNode(BIN, ['serve', '--double'], env);
    await saying(child, 'stdout', /\n/);
    child.kill(signal);
    expect(await child).toMatchObject({ exitCode });
  },
);

test('The command says which Node is needed and how to get it, where no other is found', async () => {
  const folder = await ownFolder();
  await cp(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  expect(await underOldNode(join(folder, 'bin/skinsmith.js'), ['--version'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(
      /^skinsmith needs Node 22\.19 or newer; this is Node 20\.19\.0\.\nInstall Node 24 .*, or use a clone/,
    ),
  });
});

test('The command says what to do where the program is not built', async () => {
  const folder = await ownFolder();
  await cp(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const ran = await execa(process.execPath, [join(folder, 'bin/skinsmith.js'), '--version'], {
    reject: false,
  });
  expect(ran).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/not built here\. .* npm install$/),
  });
});
