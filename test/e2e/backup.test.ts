import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { emptyMachine, freshMachine, PROGRAM } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { poll } from '../support/server/poll.ts';
import { giveSigningKey, runServer } from '../support/server/running-server.ts';
import { TestCaller } from '../support/server/test-caller.ts';
import { sampled, testWhole } from '../support/setup/extent.ts';

test('A backup made while serve runs restores the key and the skin', async () => {
  const machine = await freshMachine();
  const file = join(machine.folder, 'it.backup');
  const serving = await machine.serve();
  const { body } = await serving.caller().upload('/v2/generate', skinPng(1));
  const made = await machine.run(['backup', '--out', file, '--json']);
  expect([made.exitCode, JSON.parse(made.stdout)]).toEqual([
    0,
    { file, bytes: expect.any(Number), missing: [] },
  ]);
  expect(made.stderr).toContain(`To restore it: skinsmith restore ${file}`);

  const verified = await machine.run(['backup', '--verify', file]);
  expect([verified.exitCode, verified.stdout]).toEqual([
    0,
    expect.stringContaining(`${file} is intact: made 20`),
  ]);
  const proof = JSON.parse((await machine.run(['backup', '--verify', file, '--json'])).stdout);
  expect(proof).toMatchObject({ file, proven: true, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });

  const busy = await machine.run(['restore', file, '--force', '--json']);
  expect([busy.exitCode, JSON.parse(busy.stderr).error.code]).toEqual([1, 'data_in_use']);
  await serving.end('SIGTERM');
  const refused = await machine.run(['restore', file]);
  expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toMatch(
    /^error: .* already holds the data of a service\.\nhint: Move it aside with --move-aside/,
  );

  await rm(machine.dataDir, { recursive: true });
  const restored = await machine.run(['restore', file]);
  expect([restored.exitCode, restored.stderr]).toEqual([0, expect.stringContaining('to the state of 20')]);
  const { url } = await runServer({ dataDir: machine.dataDir });
  const again = new TestCaller(url, { key: serving.key, dataDir: machine.folder });
  expect((await again.get('/v2/me')).body.name).toBe('owner');
  expect((await again.get(`/v2/skins/${body.skin?.uuid}`)).body.skin).toEqual(body.skin);
});

test('The hint names the folder that was backed up, and a file that is not a backup gets no hint about restoring', async () => {
  const machine = await freshMachine();
  const [file, data] = [join(machine.folder, 'it.backup'), join(machine.folder, 'lib')];
  await mkdir(data);
  await giveSigningKey(data);
  await machine.run(['generate', 'examples/smith.png'], { env: { SKINSMITH_DATA_DIR: data } });
  const { stderr } = await machine.run(['backup', '--out', file, '--data', data]);
  expect(stderr).toContain(`To restore it: skinsmith restore ${file} --data ${data}\n`);
  const none = await machine.run(['backup', '--verify', 'package.json']);
  expect([none.exitCode, none.stderr]).toEqual([1, expect.stringMatching(/\nhint: Use a file/)]);
});

test.each([
  [[], 'missing_output', '--out skins.backup'],
  [['a.backup', '--out', 'b.backup'], 'two_outputs', 'a.backup and b.backup'],
  [['--verify'], 'needs_backup', 'skinsmith backup --verify skins.backup'],
  [['--verify', 'a.backup', '--out', 'b.backup'], 'needs_backup', 'writes nothing'],
])('backup %j says which file it needs, and writes none', async (words, code, said) => {
  const machine = await freshMachine();
  const { exitCode, stdout, stderr } = await machine.run(['backup', ...words, '--json']);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(code);
  expect(stderr).toContain(said);
});

/** A backup of a service with one skin, and the machine that made it. */
async function machineWithBackup() {
  const machine = await freshMachine();
  const file = join(machine.folder, 'it.backup');
  await machine.run(['generate', 'examples/smith.png']);
  await machine.run(['backup', '--out', file]);
  return { machine, file };
}

async function flipBytes(file: string): Promise<void> {
  const bytes = await readFile(file);
  for (let at = 5_000; at < bytes.length; at += bytes.length >> 4) bytes[at]! ^= 1;
  await writeFile(file, bytes);
}

/** Changes one bit of a stored picture's data. */
async function changePicture(file: string): Promise<void> {
  const bytes = await readFile(file);
  const start = bytes.indexOf('IDAT');
  expect(start).toBeGreaterThan(0);
  bytes[start + 8]! ^= 1;
  await writeFile(file, bytes);
}

const HARMS = [
  ['with one changed bit of a picture', 'backup_damaged', changePicture],
  ['with flipped bytes', 'backup_damaged', flipBytes],
  ['that is cut off', 'backup_damaged', async (file: string) => await truncate(file, 30_000)],
  [
    'that is none',
    'backup_damaged',
    async (file: string) => await writeFile(file, 'no backup\n'.repeat(999)),
  ],
  ['that is not there', 'backup_unreadable', async (file: string) => await rm(file)],
] as const;

// Otherwise server/store knows what is damaged.
test.each(sampled(HARMS, 4))(
  'backup --verify of a file %s exits 1 with %s, and names it',
  async (_, code, harm) => {
    const { machine, file } = await machineWithBackup();
    await harm(file);
    const { exitCode, stdout, stderr } = await machine.run(['backup', '--verify', file]);
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^error: .*it\.backup/)]);
    const told = await machine.run(['backup', '--verify', file, '--json']);
    expect([told.exitCode, JSON.parse(told.stderr)]).toMatchObject([1, { error: { code } }]);
  },
);

test('backup reports an unusable destination, and a folder without data', async () => {
  const machine = await emptyMachine();
  const none = await machine.run(['backup', '--out', join(machine.folder, 'it.backup')]);
  expect([none.exitCode, none.stderr]).toEqual([1, expect.stringMatching(/^error: No service data/)]);
  await machine.run(['generate', 'examples/smith.png']);
  // A limit of the size of files stands for a disk that is full.
  const words = [...PROGRAM, 'backup', '--out', join(machine.folder, 'it.backup')];
  const { exitCode, stderr } = await execa('bash', ['-c', 'ulimit -f 32; exec "$@"', 'bash', ...words], {
    env: machine.env,
    reject: false,
  });
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^error: Cannot write the backup .*it\.backup: /),
  ]);
  expect((await readdir(machine.folder)).filter((name) => name.includes('it.backup'))).toEqual([]);
});

// Otherwise cli/terminal/io/signals knows a second signal.
testWhole('A second signal ends serve at once, whatever is under way', async () => {
  const machine = await freshMachine();
  const serving = await machine.serve(['--pace', '20000', '--workers', '1']);
  await serving.caller().upload('/v2/queue', skinPng(1));
  await poll(
    () => serving.caller().get('/v2/queue'),
    ({ body }) => body.jobs?.[0]?.status === 'processing',
  );
  serving.process.kill('SIGTERM');
  const ready = await poll(
    () => serving.caller().get('/ready'),
    ({ status }) => status !== 200,
  );
  expect([ready.status, ready.body]).toMatchObject([503, { reasons: ['stopping'] }]);
  serving.process.kill('SIGTERM');
  const { signal } = await serving.process;
  expect(signal).toBe('SIGTERM');
});
