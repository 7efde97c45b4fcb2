import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHosted } from '../support/hosted/run-hosted.ts';
import { freshMachine, type Machine, saying } from '../support/program/program.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { TestCaller } from '../support/server/test-caller.ts';
import { testWhole } from '../support/setup/extent.ts';

async function drawFiles(machine: Machine, from: number, count: number): Promise<string[]> {
  const files = Array.from({ length: count }, (_, n) => join(machine.folder, `skin-${from + n}.png`));
  await Promise.all(files.map((file, n) => writeFile(file, skinPng(from + n))));
  return files;
}

const jobsOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((row) => row.split('\t')[0] ?? '');

test('A job that one process queued is found by another, with its source', async () => {
  const machine = await freshMachine();
  const queued = await machine.run(['queue', 'examples/smith.png']);
  expect(queued.exitCode).toBe(0);
  const [job = ''] = jobsOf(queued.stdout);
  const status = await machine.run(['status', job, '--json']);
  expect(status.exitCode).toBe(0);
  expect(JSON.parse(status.stdout)).toMatchObject({ job, status: 'completed', source: 'examples/smith.png' });
  const listed = await machine.run(['jobs', '--json']);
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { job, status: 'completed', source: 'examples/smith.png' },
  ]);
});

// Otherwise processes/queue has three over one data folder.
testWhole('Two processes that queue at once over one data folder finish every job', async () => {
  const machine = await freshMachine();
  const [some, others] = [await drawFiles(machine, 0, 4), await drawFiles(machine, 100, 4)];
  const runs = await Promise.all(
    [some, others].map(async (files) => await machine.start(['queue', ...files])),
  );
  expect(runs.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
    [0, expect.stringMatching(/^4 sources: 4 submitted\.$/m)],
    [0, expect.stringMatching(/^4 sources: 4 submitted\.$/m)],
  ]);
  const jobs = runs.flatMap(({ stdout }) => jobsOf(String(stdout)));
  expect(new Set(jobs).size).toBe(8);
  const status = await machine.run(['status', '--wait', '--json', ...jobs]);
  expect(status.exitCode).toBe(0);
  const uuids = (JSON.parse(status.stdout) as { uuid: string }[]).map(({ uuid }) => uuid);
  expect(new Set(uuids).size).toBe(8);
});

test('queue --wait prints the skins', async () => {
  const machine = await freshMachine();
  const { exitCode, stdout } = await machine.run([
    'queue',
    '--wait',
    'examples/smith.png',
    'examples/robot.png',
    '--json',
  ]);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([
    { source: 'examples/smith.png', status: 'completed', signature: expect.any(String) },
    { source: 'examples/robot.png', status: 'completed', signature: expect.any(String) },
  ]);
});

// Otherwise e2e/batch-stop stops a batch that waits.
testWhole('Ctrl-C while waiting exits 130 and says how to continue; the job is still there', async () => {
  const machine = await freshMachine();
  const service = await runHosted({ workers: 0 });
  const child = machine.start(['queue', '--wait', '--verbose', 'examples/smith.png'], {
    env: { SKINSMITH_BASE_URL: service.url, SKINSMITH_API_KEY: service.key },
  });
  await saying(child, 'stderr', /POST \/v2\/queue/);
  child.kill('SIGINT');
  const { exitCode, stderr } = await child;
  expect(exitCode).toBe(130);
  expect(String(stderr)).toContain('1 job is still in the queue. Run the same command again to continue.');
  const { body } = await new TestCaller(service.url, { key: service.key, isOurs: false }).get('/v2/queue');
  expect(body.jobs).toHaveLength(1);
});

test('status, and generate with a lockfile, say where to paste a skin in a format for people', async () => {
  const machine = await freshMachine();
  const place = /Paste it into the server console/;
  const queued = await machine.run(['queue', 'examples/smith.png', '--json']);
  const { job } = JSON.parse(queued.stdout);
  const status = await machine.run(['status', '--wait', job, '--format', 'citizens']);
  expect(status).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(place) });
  const lock = ['examples/smith.png', '--lock', join(machine.folder, 'skins.lock')];
  expect((await machine.run(['generate', ...lock])).exitCode).toBe(0);
  const frozen = await machine.run(['generate', ...lock, '--frozen', '--format', 'citizens']);
  expect(frozen).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(place) });
});
