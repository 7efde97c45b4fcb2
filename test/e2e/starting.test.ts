import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hostedWorkshop } from '../support/program/batches.ts';
import { freshMachine, ROOT } from '../support/program/program.ts';

/** Runs a command and answers what it printed, and the file with the code that it compiled. */
async function machineWithCache() {
  const machine = await freshMachine();
  const caches = join(machine.folder, 'caches');
  const env = { NODE_COMPILE_CACHE: caches };
  const run = async (...args: string[]) => await machine.start(args, { env });
  return { run, files: () => compiledIn(caches) };
}

/** The files with what commands have compiled. */
function compiledIn(caches: string): string[] {
  return readdirSync(caches, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('skinsmith-'))
    .map((name) => join(caches, name))
    .filter((path) => statSync(path).isFile());
}

test('A command prints the same with code compiled by earlier runs, which is soon not written again', async () => {
  const { run, files } = await machineWithCache();
  const first = await run('help', 'formats');
  expect(first).toMatchObject({ exitCode: 0, stderr: '' });
  const [path = ''] = files();
  const versions = [statSync(path).ino];
  for (let more = 0; more < 3; more++) {
    expect(await run('help', 'formats')).toMatchObject({ exitCode: 0, stderr: '', stdout: first.stdout });
    versions.push(statSync(path).ino);
  }
  expect(versions[3]).toBe(versions[2]); // V8 had taken all of it
  expect(files()).toEqual([path]);
});

test("Code compiled by a run that changed V8's flags meanwhile is soon not written again either", async () => {
  const { shop } = await hostedWorkshop({ serviceTime: 400 });
  await shop.drawMany('skins', 5);
  const caches = shop.path('caches');
  const versions: string[] = [];
  for (const name of ['01', '02', '03', '04', '05']) {
    const args = ['generate', `skins/${name}.png`, '--out', `out-${name}`];
    expect(await shop.start(args, { env: { NODE_COMPILE_CACHE: caches } })).toMatchObject({ exitCode: 0 });
    const [path = ''] = compiledIn(caches);
    const { ino, mtimeMs } = statSync(path);
    versions.push(`${ino} ${mtimeMs}`);
  }
  expect(new Set(versions).size).toBeLessThan(versions.length); // one run at least had nothing to add
});

test('Damaged code that an earlier run compiled is not run but replaced', async () => {
  const { run, files } = await machineWithCache();
  const first = await run('help', 'formats');
  const [path = ''] = files();
  const damaged = readFileSync(path);
  damaged.fill(0, Math.floor(damaged.length / 2));
  writeFileSync(path, damaged);
  expect(await run('help', 'formats')).toMatchObject({ exitCode: 0, stderr: '', stdout: first.stdout });
  expect(readFileSync(path).equals(damaged)).toBe(false);
  expect(files()).toEqual([path]);
});

test.each([{}, { NODE_DISABLE_COMPILE_CACHE: '1' }])(
  'A command whose files an upgrade takes away says so (%o)',
  async (env) => {
    const machine = await freshMachine();
    const copy = join(machine.folder, 'program');
    for (const part of ['bin', 'dist', 'package.json'])
      await cp(join(ROOT, part), join(copy, part), { recursive: true });
    await rm(join(copy, 'dist/chunks'), { recursive: true });
    const program = join(copy, 'bin/skinsmith.js');
    expect(await machine.start(['help', 'formats'], { env }, program)).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: A file of skinsmith is missing: .*\nhint: Run the same command/),
    });
    const { stderr } = await machine.start(['jobs', '--json'], { env }, program);
    expect(JSON.parse(String(stderr))).toMatchObject({ error: { code: 'program_incomplete' } });
  },
);

test('A command that does not exist leaves nothing behind', async () => {
  const { run, files } = await machineWithCache();
  expect(await run('help')).toMatchObject({ exitCode: 0 });
  const before = files();
  expect(await run('genrate')).toMatchObject({ exitCode: 2 });
  expect(files()).toEqual(before);
});

test('No file of the program imports another while it runs: its loader cannot', () => {
  const folder = join(ROOT, 'dist');
  const names = ['cli.cjs', ...readdirSync(join(folder, 'chunks')).map((name) => join('chunks', name))];
  const importing = names.filter((name) =>
    /(?<![\w$.])import\(\s*["'`\w]/.test(readFileSync(join(folder, name), 'latin1')),
  );
  expect(importing).toEqual([]);
});
