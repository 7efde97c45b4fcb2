import { once } from 'node:events';
import { readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ResultPromise } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HostedService } from '../support/hosted/hosted-service.ts';
import { whenAccepted } from '../support/hosted/run-hosted.ts';
import { firstCells, hostedWorkshop, lines, type Workshop } from '../support/program/batches.ts';
import { dataUrl, skinPng } from '../support/server/drawn-skins.ts';
import { poll } from '../support/server/poll.ts';
import { sampled, testWhole } from '../support/setup/extent.ts';

const MAKE = ['generate', 'skins', '--out', 'out'];
const COUNT = 9;
const MANY = 100_000;

/** Skins that take a while each, and the service that makes them. */
async function busyWorkshop(options: { workers?: number; serviceTime?: number } = {}) {
  const { shop, service } = await hostedWorkshop({ serviceTime: 200, ...options });
  await shop.drawMany('skins', COUNT);
  return { shop, service };
}

/** The service works on all but the first `count` jobs until its `release`. */
function holdAfter(service: HostedService, count: number): void {
  const unwatch = service.watch((moment, kind) => {
    if (moment !== 'processed' || kind !== 'submit' || service.records.accepted.length < count) return;
    service.hold();
    unwatch();
  });
}

/** The same command once more does the rest, and nothing twice. */
async function expectToFinish(shop: Workshop, service: HostedService): Promise<void> {
  const { exitCode, stderr } = await shop.run(...MAKE);
  expect([exitCode, stderr]).toEqual([0, expect.stringMatching(new RegExp(`^${COUNT} sources: `, 'm'))]);
  expect(await shop.lock()).toHaveLength(COUNT);
  expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([COUNT, []]);
}

/** A batch that is stopped says how much is done, and what is still in the queue. */
async function expectToBeTold(
  shop: Workshop,
  service: HostedService,
  child: ResultPromise,
  status = 130,
): Promise<void> {
  const { exitCode, stdout, stderr } = await ended(child);
  expect([exitCode, stdout]).toEqual([status, '']);
  const told =
    /^Stopped with (\d+) of 9 sources done\. (\d) jobs? (?:is|are) still in the queue\. Run the same command again to continue\.$/m;
  const [, done = '', queued = ''] = told.exec(stderr) ?? [stderr];
  expect(Number(done) + Number(queued)).toBe(service.records.accepted.length);
  expect(await shop.files('out')).toHaveLength(Number(done) + 1);
}

async function ended(child: ResultPromise) {
  const { exitCode, signal, stdout, stderr } = await child;
  return { exitCode, signal, stdout: String(stdout), stderr: String(stderr) };
}

describe('A batch that is stopped', () => {
  // Otherwise batch/run/run-batch/ends and outages know it in memory.
  testWhole('in an outage ends without waiting for answers, and the same command finishes it', async () => {
    const { shop, service } = await busyWorkshop();
    const child = shop.start(MAKE);
    await whenAccepted(service, 3);
    let failed = 0;
    service.faults = ({ kind }) => {
      failed++;
      return kind === 'submit' ? { kind: 'slow', wait: 60_000 } : { kind: 'bad-gateway' };
    };
    await poll(
      () => failed,
      (count) => count >= 3,
    );
    child.kill('SIGINT');
    expect((await ended(child)).exitCode).toBe(130);
    service.faults = undefined;
    await expectToFinish(shop, service);
  });

  const SIGNALS = [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const;

  test.each(sampled(SIGNALS, 2))(
    'by %s exits with %i, says what is in the queue and how to continue, and the same command finishes it',
    async (signal, status) => {
      const { shop, service } = await busyWorkshop();
      holdAfter(service, 2);
      const child = shop.start(MAKE);
      await whenAccepted(service, 7);
      child.kill(signal);
      await expectToBeTold(shop, service, child, status);
      service.release();
      await expectToFinish(shop, service);
    },
  );

  // Otherwise cli/terminal/io/signals knows a second signal, and dispatch/lost-answers what was not answered.
  testWhole('twice ends at once, and unanswered submissions are not submitted again', async () => {
    const { shop, service } = await busyWorkshop();
    let submissions = 0;
    // One answer that takes a second, so that the others are worth waiting for.
    service.faults = ({ kind }) =>
      kind === 'submit' ? { kind: 'slow', wait: submissions++ === 0 ? 1_000 : 60_000 } : undefined;
    const child = shop.start(MAKE);
    await poll(
      async () => await jobsIn(shop),
      (jobs) => jobs === 1,
    );
    const again = setInterval(() => child.kill('SIGINT'), 100); // two of the same kind at once are one
    onTestFinished(() => clearInterval(again));
    expect(await ended(child)).toMatchObject({ exitCode: undefined, signal: 'SIGINT' });
    service.faults = undefined;
    await expectToFinish(shop, service);
  });

  // Otherwise e2e/trouble has a reader that goes away.
  testWhole(
    'by a reader that goes away ends with status 141, and the same command then prints all rows',
    async () => {
      const { shop, service } = await busyWorkshop({ workers: 2, serviceTime: 300 });
      const child = shop.start(['generate', 'skins'], { buffer: { stdout: false } });
      await once(child.stdout!, 'data');
      child.stdout?.destroy();
      const { exitCode, stderr } = await ended(child);
      expect([exitCode, stderr]).toEqual([
        141,
        expect.stringMatching(/^Stopped with [1-8] of 9 sources done\..*\n$/m),
      ]);
      const again = await shop.run('generate', 'skins');
      expect([again.exitCode, firstCells(again.stdout)]).toEqual([
        0,
        expect.objectContaining({ length: COUNT }),
      ]);
      expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([COUNT, []]);
    },
  );
});

describe('A batch that is killed', () => {
  test('while it queues continues by the same command: each source has one job, and all are printed', async () => {
    const { shop, service } = await busyWorkshop();
    const child = shop.start(['queue', 'skins']);
    const unwatch = service.watch((moment, kind) => {
      if (moment === 'processed' && kind === 'submit' && service.records.accepted.length >= 7)
        child.kill('SIGKILL');
    });
    expect(await ended(child)).toMatchObject({ signal: 'SIGKILL' });
    unwatch();
    const { exitCode, stdout } = await shop.run('queue', 'skins');
    expect([exitCode, service.doubleSubmissions]).toEqual([0, []]);
    const jobs = service.records.accepted.map(({ job }) => job);
    expect([jobs.length, firstCells(stdout).sort()]).toEqual([COUNT, jobs.sort()]);
  });
});

// Otherwise batch/run/run-batch/ahead knows when reading pauses.
testWhole(
  'Of 100,000 sources, the first are submitted while the list is still read, and what waits is not in memory',
  async () => {
    const { shop, service } = await hostedWorkshop({ workers: 0 });
    let read = 0;
    const list = function* () {
      for (; read < MANY; read++) yield `${dataUrl(skinPng(read))}\n`;
    };
    const child = shop.start(['generate', '--from', '-', '--out', 'out']);
    Readable.from(list())
      .on('error', () => {})
      .pipe(child.stdin!)
      .on('error', () => {});
    await poll(
      async () => await jobsIn(shop),
      (jobs) => jobs === 5,
    );
    const looks = service.records.requests.list ?? 0;
    await poll(
      () => service.records.requests.list ?? 0,
      (more) => more >= looks + 2,
    );
    expect(read).toBeLessThan(5_000);
    child.kill('SIGINT');
    const { exitCode, stderr } = await ended(child);
    expect([exitCode, stderr]).toEqual([130, expect.stringContaining('5 jobs are still in the queue.')]);
  },
);

// Otherwise batch/run/planner and e2e/batch know a picture under several names.
testWhole('Of 100,000 sources that repeat a few pictures, only those few are submitted', async () => {
  const { shop, service } = await hostedWorkshop({ workers: 0 });
  await shop.drawMany('skins', 50);
  const rows = Array.from({ length: MANY }, (_, n) => `skins/${String((n % 50) + 1).padStart(2, '0')}.png`);
  await shop.write('list.txt', rows.join('\n'));
  const child = shop.start(['generate', '--from', 'list.txt', '--out', 'out']);
  await whenAccepted(service, 5);
  child.kill('SIGINT');
  const { exitCode, stderr } = await ended(child);
  expect([exitCode, lines(stderr).at(-1)]).toEqual([130, 'error: Interrupted.']);
  expect(service.records.accepted).toHaveLength(5);
});

describe('A batch that was interrupted', () => {
  /** Two skins are finished, five jobs are in the queue, as the process knew when it went. */
  async function interrupted(signal: 'SIGINT' | 'SIGKILL') {
    const { shop, service } = await busyWorkshop();
    holdAfter(service, 2);
    const child = shop.start(MAKE);
    await whenAccepted(service, 7);
    await poll(
      async () => await jobsIn(shop),
      (jobs) => jobs === 7,
    );
    child.kill(signal);
    if (signal === 'SIGINT') await expectToBeTold(shop, service, child);
    await child;
    return { shop, service };
  }

  // Otherwise a new key of the same user continues below, and batch/run/batch-files knows other names of a service.
  testWhole.each(['SIGINT', 'SIGKILL'] as const)(
    'by %s continues with another key of the same user, under another name of this machine: what is finished is used and known by that name, what is pending is found',
    async (signal) => {
      const { shop, service } = await interrupted(signal);
      service.replaceKey();
      service.release();
      const other = {
        SKINSMITH_API_KEY: service.key,
        SKINSMITH_BASE_URL: service.url.replace('127.0.0.1', 'localhost'),
      };
      const { exitCode, stderr } = await shop.runIn(other, ...MAKE);
      expect([exitCode, stderr]).toEqual([0, expect.stringMatching(new RegExp(`^${COUNT} sources: `, 'm'))]);
      expect(await shop.lock()).toHaveLength(COUNT);
      expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([COUNT, []]);
      const plan = await shop.runIn({ SKINSMITH_API_KEY: service.key }, ...MAKE, '--dry-run');
      expect([plan.exitCode, plan.stderr]).toEqual([0, expect.stringContaining('Nothing to do.')]);
    },
  );

  // Otherwise dispatch/lost-answers knows what such a batch sends again.
  testWhole(
    'with an unanswered submission warns before sending it again that another key cannot see it',
    async () => {
      const { shop, service } = await busyWorkshop();
      service.faults = ({ kind }) => (kind === 'submit' ? { kind: 'slow', wait: 60_000 } : undefined);
      const child = shop.start(MAKE);
      const unanswered = await whenAccepted(service, 5).then(() => service.records.accepted.length);
      child.kill('SIGKILL');
      await child;
      service.faults = undefined;
      service.replaceKey();
      const [journal = ''] = await journalsOf(shop);
      await utimes(journal, new Date(0), new Date(0));
      const { exitCode, stderr } = await shop.runIn({ SKINSMITH_API_KEY: service.key }, ...MAKE);
      const warned = lines(stderr).filter((line) =>
        /^warning: skins\/\d+\.png: .*another key.*pay for it twice\.$/.test(line),
      );
      expect([exitCode, warned.length]).toEqual([0, unanswered]);
      const again = service.records.accepted.slice(unanswered).filter(({ duplicate }) => duplicate);
      expect(again).toHaveLength(unanswered);
    },
  );

  test('by a revoked key continues with a new one', async () => {
    const { shop, service } = await busyWorkshop();
    const unwatch = service.watch((moment, kind) => {
      if (moment !== 'processed' || kind !== 'submit' || service.records.accepted.length < 4) return;
      unwatch();
      service.replaceKey();
    });
    const revoked = await shop.run(...MAKE);
    expect([revoked.exitCode, revoked.stderr]).toEqual([4, expect.stringContaining('error: ')]);
    const { exitCode } = await shop.runIn({ SKINSMITH_API_KEY: service.key }, ...MAKE);
    expect([exitCode, service.records.accepted.length, service.doubleSubmissions]).toEqual([0, COUNT, []]);
  });

  // Otherwise base/process-lock and processes/torn-journal know both.
  testWhole(
    'names a damaged lock file or an empty journal, and submits nothing until that is resolved',
    async () => {
      const { shop, service } = await interrupted('SIGKILL');
      const [journal = ''] = await journalsOf(shop);
      await writeFile(`${journal}.lock`, 'no database '.repeat(100));
      const damaged = await shop.run(...MAKE);
      const told = new RegExp(
        `^error: ${journal}\\.lock: The lock file is damaged\\.\nhint: It holds no data\\.`,
      );
      expect([damaged.exitCode, damaged.stderr]).toEqual([1, expect.stringMatching(told)]);
      await rm(`${journal}.lock`);
      await truncate(journal);
      const { exitCode, stderr } = await shop.run(...MAKE);
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringMatching(
          /^error: \S+\.ndjson: The journal .* has lost its content.*\nhint: Restore the file/,
        ),
      ]);
      expect((await shop.run(...MAKE)).stderr).toBe(stderr);
      expect(service.records.accepted).toHaveLength(7);
      await rm(journal);
      service.release();
      expect((await shop.run(...MAKE)).exitCode).toBe(0);
    },
  );
});

/** How many jobs the journal has. */
async function jobsIn(shop: Workshop): Promise<number> {
  const [journal] = await journalsOf(shop).catch(() => []);
  if (journal === undefined) return 0;
  return lines(await readFile(journal, 'utf8')).filter((line) => line.includes('"s":"job"')).length;
}

async function journalsOf({ machine }: Workshop): Promise<string[]> {
  const folder = join(machine.dataDir, 'batches/journals');
  return (await readdir(folder)).filter((name) => name.endsWith('.ndjson')).map((name) => join(folder, name));
}
