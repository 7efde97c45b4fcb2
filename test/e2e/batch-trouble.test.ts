import { once } from 'node:events';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Fate } from '../../src/double/plans.ts';
import {
  embeddedWorkshop,
  hostedWorkshop,
  lines,
  pixelsOf,
  type Workshop,
} from '../support/program/batches.ts';
import { PROGRAM, ROOT } from '../support/program/program.ts';
import { poll } from '../support/server/poll.ts';
import { sampled, testWhole } from '../support/setup/extent.ts';

const MAKE = ['generate', '-r', 'skins', '--out', 'out'];
const NO_STACK = expect.not.stringMatching(/\n\s+at |This is a bug/);

function sum(counts: object): number {
  return Object.values(counts).reduce((total: number, count) => total + Number(count), 0);
}

describe('A service', () => {
  // Otherwise e2e/serve is killed and started again, and batch/run/run-batch/outages has services that are away.
  testWhole(
    'of our own can be killed and restarted on its port without losing a skin or making one twice',
    async () => {
      const count = 12;
      const shop = await embeddedWorkshop();
      await shop.drawMany('skins', count);
      const pace = ['--pace', '150'];
      const serving = await shop.machine.serve(pace);
      const { port } = new URL(serving.url);
      const env = { SKINSMITH_BASE_URL: serving.url, SKINSMITH_API_KEY: serving.key };
      const child = shop.start(MAKE, { env });
      await poll(
        () => shop.files('.'),
        (files) => files.some((file) => /^out\/.*\.json$/.test(file)),
      );
      await serving.end('SIGKILL');
      await shop.machine.serve([...pace, '--port', port], serving.key);
      const { exitCode, stderr } = await child;
      expect([exitCode, String(stderr)]).toEqual([
        0,
        expect.stringContaining(`${count} sources: ${count} made`),
      ]);
      const { stdout } = await shop.runIn(env, 'jobs', '--json', '--limit', '50');
      expect(JSON.parse(stdout)).toHaveLength(count);
    },
  );

  test('that does not take the key ends the batch at once, with status 4', async () => {
    const { shop, service } = await hostedWorkshop();
    await shop.drawMany('skins', 20);
    const { exitCode, stderr } = await shop.runIn({ SKINSMITH_API_KEY: 'x'.repeat(70) }, ...MAKE);
    expect([exitCode, stderr]).toEqual([4, expect.stringMatching(/^error: .*\nhint: .*skinsmith login\n$/m)]);
    expect(sum(service.records.requests)).toBeLessThanOrEqual(3);
  });

  test('that is down from the start, for longer than the batch waits, is given up with status 75', async () => {
    const { shop } = await hostedWorkshop();
    await shop.drawMany('skins', 3);
    const { url, requests } = await closedForAnHour();
    const { exitCode, stdout, stderr } = await shop.run(...MAKE, '--base-url', url);
    expect([exitCode, stdout, stderr]).toEqual([75, '', expect.stringMatching(/^error: .*\n/m)]);
    expect(requests()).toBeLessThanOrEqual(3);
  });

  test('that fails temporarily is tried again as often as --retries says', async () => {
    const fate = (pixels: string): Fate | undefined =>
      pixels === pixelsOf(1) ? { kind: 'fails', times: 2, code: 'skin_change_failed' } : undefined;
    const { shop, service } = await hostedWorkshop({ fate });
    await shop.drawMany('skins', 2);
    const hasty = await shop.run(...MAKE, '--retries', '0');
    expect([hasty.exitCode, hasty.stderr]).toEqual([1, expect.stringMatching(/^error: skins\/01\.png: /m)]);
    expect(service.records.accepted).toHaveLength(2);
    const patient = await shop.run(...MAKE, '--retries', '1');
    expect([patient.exitCode, patient.stderr]).toEqual([0, expect.stringMatching(/1 made, 1 unchanged/)]);
    expect(service.records.accepted).toHaveLength(4);
  });

  // Otherwise batch/run/run-batch/outages, in memory: with other answers, and for longer.
  testWhole(
    'that resets requests for single jobs for a time gets few of them, and all skins are made',
    async () => {
      const { shop, service } = await hostedWorkshop({ serviceTime: 20 });
      await shop.drawMany('skins', 15);
      let until = Number.POSITIVE_INFINITY;
      let failed = 0;
      service.faults = (request) => {
        if (request.kind !== 'job' || Date.now() > until) return undefined;
        if (failed++ === 0) until = Date.now() + 1_500;
        return { kind: 'reset', wait: 0 };
      };
      const { exitCode, stderr } = await shop.run(...MAKE);
      expect([exitCode, stderr]).toEqual([0, expect.stringContaining('15 sources: 15 made')]);
      expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([15, []]);
      expect(failed).toBeLessThanOrEqual(20);
    },
  );

  test('that answers all submissions with a 502 has one outage, after which nothing counts as in the queue', async () => {
    const { shop, service } = await hostedWorkshop({ serviceTime: 20 });
    await shop.drawMany('skins', 8);
    service.faults = ({ kind }) => (kind === 'submit' ? { kind: 'bad-gateway', wait: 0 } : undefined);
    const { exitCode, stderr } = await shop.run(...MAKE, '--timeout', '3s');
    expect(exitCode).toBe(75);
    expect(stderr).not.toMatch(/answer was lost|[1-9]\d* in the queue/);
    expect(stderr.match(/^error: /gm)).toHaveLength(1);
    expect(service.records.accepted).toEqual([]);
  });

  test('that returns another skin gets no output written', async () => {
    const { shop } = await hostedWorkshop({
      fate: (pixels) => (pixels === pixelsOf(2) ? { kind: 'wrong', times: 9 } : undefined),
    });
    await shop.drawMany('skins', 3);
    const { exitCode, stderr } = await shop.run(...MAKE);
    expect([exitCode, await shop.files('out')]).toEqual([1, ['01.json', '03.json', 'skins.lock']]);
    expect(stderr).toMatch(/^error: skins\/02\.png: /m);
  });
});

/** A service in maintenance: every request is answered with when to come back. */
async function closedForAnHour(): Promise<{ url: string; requests: () => number }> {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.writeHead(503, { 'retry-after': '3600' }).end('In maintenance.');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests: () => requests };
}

describe('An output', () => {
  test('with a file in its way is reported before anything is sent', async () => {
    const { shop, service } = await hostedWorkshop();
    await shop.drawMany('skins', 3);
    await shop.write('out', 'in the way');
    expect(await shop.run(...MAKE)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('out is one file, but several sources are given.'),
    });
    expect(await shop.run('generate', 'skins', '--out', 'out/')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: .*\/out\/?: Something with this name already exists/),
    });
    expect(sum(service.records.requests)).toBe(0);
  });

  test('that cannot be written fails only its source, and is written by a later run', async () => {
    const { shop, service } = await hostedWorkshop();
    await shop.draw({ 'skins/a': 1, 'skins/b': 2, 'skins/guild/c': 3 });
    await mkdir(shop.path('out/a.json'), { recursive: true });
    await shop.write('out/guild', 'in the way');
    const { exitCode, stderr } = await shop.run(...MAKE);
    expect([exitCode, stderr]).toEqual([1, NO_STACK]);
    const errors = lines(stderr).filter((line) => line.startsWith('error: '));
    expect(errors.sort()).toEqual([
      expect.stringMatching(/skins\/a\.png: .*out\/a\.json/),
      expect.stringMatching(/skins\/guild\/c\.png: .*out\/guild/),
    ]);
    expect(await shop.files('out')).toEqual(['b.json', 'guild', 'skins.lock']);
    for (const name of ['a.json', 'guild']) await rm(shop.path('out', name), { recursive: true });
    expect((await shop.run(...MAKE)).exitCode).toBe(0);
    expect([await shop.files('out'), service.records.accepted.length]).toEqual([
      ['a.json', 'b.json', 'guild/c.json', 'skins.lock'],
      3,
    ]);
  });

  test('on a full disk is reported without a stack trace', async () => {
    const shop = await embeddedWorkshop();
    await shop.drawMany('skins', 3);
    const { exitCode, stderr } = await withStdout('/dev/full', shop, `generate "${shop.path('skins')}"`);
    expect([exitCode, stderr]).toEqual([1, NO_STACK]);
    expect(stderr).toContain('The disk is full.');
  });

  // All is written in the last moment, when no work is left that the error could end.
  const LINES = [
    ...['generate examples/smith.png', 'config path', '', '--version', '--help', 'help jobs'],
    'jobs --help',
  ];
  test.each(sampled(LINES, 7, 4))(
    'of skinsmith %s on a full disk is reported without a stack trace',
    async (line) => {
      const { exitCode, stderr } = await withStdout('/dev/full', await embeddedWorkshop(), line);
      expect([exitCode, stderr]).toEqual([1, NO_STACK]);
      expect(stderr).toMatch(/^error: The disk is full\.$/m);
    },
  );

  test('is not lost if the data folder is full: the same command continues once there is space', async () => {
    const { shop, service } = await hostedWorkshop();
    await shop.drawMany('skins', 3);
    const full = join(shop.machine.dataDir, 'submissions.ndjson');
    await symlink('/dev/full', full);
    expect((await shop.run(...MAKE)).stderr).toEqual(NO_STACK);
    await rm(full);
    expect((await shop.run(...MAKE)).exitCode).toBe(0);
    expect([await shop.files('out'), service.doubleSubmissions]).toEqual([
      ['01.json', '02.json', '03.json', 'skins.lock'],
      [],
    ]);
  });

  test('that is a pipe, not a file, is written into and stays what it is', async () => {
    const shop = await embeddedWorkshop();
    await shop.drawMany('skins', 1);
    await execa('mkfifo', [shop.path('pipe')]);
    const reader = execa('cat', [shop.path('pipe')], { reject: false });
    onTestFinished(() => void reader.kill());
    const { exitCode } = await shop.run('generate', 'skins/01.png', '--out', 'pipe');
    const { stdout } = await reader;
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('"signature"')]);
  });
});

/** Runs a line as a shell does that sends its output elsewhere. */
async function withStdout(target: string, shop: Workshop, line: string) {
  const options = { cwd: ROOT, env: shop.machine.env, extendEnv: false, reject: false } as const;
  return await execa('sh', ['-c', `exec "$@" ${line} > ${target}`, 'sh', ...PROGRAM], options);
}
