import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshMachine, type Machine } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { giveStore } from '../support/server/running-server.ts';
import { sampled, testWhole } from '../support/setup/extent.ts';
import { isWhole } from '../support/setup/whole-run.ts';

/** The user of a service. */
const SERVICE = 65_534;
const SECRET = 'of root alone';

/** The data folder of a service of another user, with a skin, and a file of root beside it. */
async function foreignFolder() {
  const machine = await freshMachine();
  const home = join(machine.folder, 'service');
  const [data, secret] = [join(home, 'data'), join(machine.folder, 'secret')];
  await mkdir(data, { recursive: true });
  await chmod(machine.folder, 0o755);
  await writeFile(secret, SECRET, { mode: 0o644 });
  await writeFile(join(machine.folder, 'one.png'), skinPng(1));
  await copyKey(machine, data);
  await giveStore(data);
  await giveAll(home);
  machine.env['SKINSMITH_DATA_DIR'] = data;
  const run = async (...args: string[]) => await machine.start(args, { cwd: machine.folder });
  return { machine, home, data, secret, run };
}

async function copyKey(machine: Machine, data: string): Promise<void> {
  await writeFile(join(data, 'signing-key.pem'), await readFile(join(machine.dataDir, 'signing-key.pem')));
}

async function giveAll(folder: string): Promise<void> {
  await chown(folder, SERVICE, SERVICE);
  for (const name of await readdir(folder, { recursive: true }))
    await chown(join(folder, name), SERVICE, SERVICE);
}

async function ownersIn(folder: string): Promise<Set<number>> {
  const names = await readdir(folder, { recursive: true });
  return new Set(await Promise.all(names.map(async (name) => (await lstat(join(folder, name))).uid)));
}

/** Only root has other users' rights. */
describe.skipIf(process.getuid?.() !== 0)('In the data folder of another user, root', () => {
  let place: Awaited<ReturnType<typeof foreignFolder>>;

  beforeEach(async () => {
    place = await foreignFolder();
  });

  async function expectUntouched() {
    const { mode, uid } = await stat(place.secret);
    expect([mode & 0o777, uid, await readFile(place.secret, 'utf8')]).toEqual([0o644, 0, SECRET]);
  }

  test('works as that user, and backs up to and restores from files that only root has', async () => {
    const { run, data, machine } = place;
    const made = await run('generate', 'one.png', '--json');
    expect([made.exitCode, await ownersIn(data)]).toEqual([0, new Set([SERVICE])]);
    const file = join(machine.folder, 'roots');
    await mkdir(file, { mode: 0o700 });
    const backup = join(file, 'it.backup');
    const backed = await run('backup', '--out', backup, '--json');
    expect([backed.exitCode, JSON.parse(String(backed.stdout))]).toMatchObject([
      0,
      { file: backup, missing: [] },
    ]);
    expect(await stat(backup)).toMatchObject({ uid: 0, mode: 0o100_600 });
    expect(await readdir(file)).toEqual(['it.backup']);
    if (isWhole) expect(await run('backup', '--verify', backup)).toMatchObject({ exitCode: 0 });
    const restored = await run('restore', backup, '--force');
    expect([restored.exitCode, String(restored.stderr)]).toEqual([0, expect.stringContaining('Restored')]);
    expect(await ownersIn(data)).toEqual(new Set([SERVICE]));
    expect((await readdir(data)).filter((name) => name.startsWith('.'))).toEqual([]);
    const { uuid } = JSON.parse(String(made.stdout));
    if (isWhole) expect(await run('skins', 'get', uuid)).toMatchObject({ exitCode: 0 });
  });

  const LINES = [
    ['doctor', '--local'],
    ['generate', 'one.png'],
  ];
  test.each(sampled(LINES, 2))(
    'changes and reads no file of its own through a key file that is a link: %s',
    async (...args) => {
      const { run, data, secret } = place;
      await rm(join(data, 'signing-key.pem'));
      await chmod(secret, 0o644);
      await symlink(secret, join(data, 'signing-key.pem'));
      await run(...args);
      await expectUntouched();
    },
  );

  // Otherwise no link is followed to the key, above, nor by a backup that is restored, below.
  testWhole('puts no file of its own that plans.json links to into a backup', async () => {
    const { run, data, secret, machine } = place;
    await chmod(secret, 0o600);
    await symlink(secret, join(data, 'plans.json'));
    const { exitCode, stderr } = await run('backup', '--out', 'it.backup');
    expect([exitCode, String(stderr)]).toEqual([1, expect.stringContaining('plans.json')]);
    expect(await readdir(machine.folder)).not.toContain('it.backup');
    expect((await readdir(machine.folder)).filter((name) => name.startsWith('.it'))).toEqual([]);
  });

  test('restores through no link that leads into a folder of its own', async () => {
    const { run, data, machine } = place;
    await run('backup', '--out', 'it.backup');
    const own = join(machine.folder, 'own');
    await mkdir(own, { mode: 0o755 });
    await rm(data, { recursive: true });
    await symlink(own, data);
    const { lchown } = await import('node:fs/promises');
    await lchown(data, SERVICE, SERVICE);
    expect((await run('restore', 'it.backup')).exitCode).toBe(1);
    expect(await readdir(own)).toEqual([]);
  });

  test('makes a folder that is missing there as that user', async () => {
    const { run, home, data } = place;
    await rm(data, { recursive: true });
    expect(await run('generate', 'one.png')).toMatchObject({ exitCode: 0 });
    expect(await ownersIn(home)).toEqual(new Set([SERVICE]));
  });

  test('serves as that user', async () => {
    const { machine, data } = place;
    const serving = await machine.serve(['--data', data]);
    const { uid } = await stat(`/proc/${serving.process.pid}`);
    expect([uid, await readFile(`/proc/${serving.process.pid}/status`, 'utf8')]).toEqual([
      expect.any(Number),
      expect.stringMatching(/^Uid:\t65534\t65534\t65534\t65534$/m),
    ]);
    expect((await serving.caller().upload('/v2/generate', skinPng(1))).status).toBe(200);
    expect(await ownersIn(data)).toEqual(new Set([SERVICE]));
  });
});
