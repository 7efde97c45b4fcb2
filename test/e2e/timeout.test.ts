import { expect, test } from 'vitest';
import { submit } from '../support/hosted/run-hosted.ts';
import { hostedWorkshop, lines, NOWHERE } from '../support/program/batches.ts';
import { TestCaller } from '../support/server/test-caller.ts';

const TOLD = /^error: Stopped by --timeout after \S+( \S+)?\.$/m;

test('A batch that exceeds its timeout ends with 75 and keeps everything', async () => {
  const { shop, service } = await hostedWorkshop();
  await shop.drawMany('skins', 9);
  const unwatch = service.watch((moment, kind) => {
    if (moment === 'processed' && kind === 'submit' && service.records.accepted.length === 3) service.hold();
  });
  const stopped = await shop.run('generate', 'skins', '--out', 'out', '--timeout', '1s', '--json');
  const told = lines(stopped.stderr).map(
    (line) => JSON.parse(line) as { summary?: { made: number; sources: number } },
  );
  expect([stopped.exitCode, told.at(-1)]).toEqual([
    75,
    { error: { code: 'timed_out', message: 'Stopped by --timeout after 1 s.' } },
  ]);
  // A slow machine makes fewer than three of them in a second, and has not read all.
  const { made = 0, sources = 0 } = told[0]?.summary ?? {};
  if (made > 0) {
    expect(told[0]?.summary).toMatchObject({ end: 'interrupted', made, left: sources - made });
    expect(await shop.lock()).toHaveLength(made);
  }
  unwatch(); // else the third may be held now
  service.release();
  const { exitCode } = await shop.run('generate', 'skins', '--out', 'out', '--timeout', '10m');
  expect([exitCode, service.records.accepted.length, service.doubleSubmissions]).toEqual([0, 9, []]);
});

test('Every command that waits has a timeout, even if nothing answers', async () => {
  const { shop, service } = await hostedWorkshop({ workers: 0 });
  await shop.drawMany('skins', 9);
  const { body } = await submit(new TestCaller(service.url, { key: service.key, isOurs: false }), 100);
  const id = body.job?.id ?? '';
  const commands = [
    ['generate', 'skins/01.png'],
    ['generate', 'skins'],
    ['generate', 'skins', '--base-url', NOWHERE],
    ['queue', 'skins'],
    ['queue', 'skins', '--wait'],
    ['status', id, '--wait'],
    ['jobs', '--watch'],
  ];
  const ended = commands.map(async (line) => {
    const { exitCode, stderr } = await shop.run(...line, '--timeout', '700ms');
    return [exitCode, TOLD.test(stderr), line];
  });
  const [lone = []] = commands;
  expect(await shop.start([...lone, '--timeout', '700ms'])).toMatchObject({ exitCode: 75 });
  expect(await Promise.all(ended)).toEqual(commands.map((line) => [75, true, line]));
});

test('A command that finishes early does not wait for its timeout', async () => {
  const { shop } = await hostedWorkshop();
  await shop.drawMany('skins', 1);
  const { exitCode } = await shop.start(['generate', 'skins', '--timeout', '24h']);
  expect(exitCode).toBe(0);
});

test.each(['0s', '5', '1x', '25h999h', '', '-1s', '1s2', '999999999h'])(
  'A time of %j is refused',
  async (time) => {
    const { shop } = await hostedWorkshop();
    const { exitCode, stderr } = await shop.run('jobs', '--timeout', time);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('It must be a time like 90s, 10m or 1h30m'),
    ]);
  },
);

test('A batch that times out without a network says what failed', async () => {
  const { shop } = await hostedWorkshop();
  await shop.drawMany('skins', 2);
  const { exitCode, stderr } = await shop.run(
    ...['generate', 'skins', '--out', 'out', '--base-url', NOWHERE, '--timeout', '3s'],
  );
  expect([exitCode, lines(stderr).slice(-3)]).toEqual([
    75,
    [
      expect.stringMatching(/^The last problem: .*connection refused/i),
      'Stopped with 0 sources done, before all were read. Run the same command again to continue.',
      expect.stringMatching(TOLD),
    ],
  ]);
});
