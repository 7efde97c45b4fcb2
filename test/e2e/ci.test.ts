import { expect, test } from 'vitest';
import type { HostedService } from '../support/hosted/hosted-service.ts';
import { hostedWorkshop, lines, type Workshop } from '../support/program/batches.ts';
import { freshMachine, type Ran } from '../support/program/program.ts';

const MAKE = ['generate', 'skins', '--out', 'signed'];

/** Runs a command as a CI service does: in the same folder, on a machine that nothing is known of. */
async function onRunner(shop: Workshop, service: HostedService, ...args: string[]): Promise<Ran> {
  const env = { SKINSMITH_BASE_URL: service.url, SKINSMITH_API_KEY: service.key };
  return await (await freshMachine()).run(args, { cwd: shop.folder, env });
}

interface Summary {
  readonly made: number;
  readonly unchanged: number;
  readonly left: number;
}

function summaryIn(stderr: string): Summary {
  const line = lines(stderr).find((text) => text.startsWith('{"summary"'));
  return (JSON.parse(line ?? '') as { summary: Summary }).summary;
}

test('120 skins are made ten at a time, by runs that have only the lockfile, and each run succeeds', async () => {
  const { shop, service } = await hostedWorkshop({ serviceTime: 5 });
  await shop.drawMany('skins', 120);
  const command = [...MAKE, '--max-new', '10', '--json'];
  for (let left = 110; left >= 0; left -= 10) {
    const { exitCode, stdout, stderr } = await onRunner(shop, service, ...command);
    expect([exitCode, summaryIn(stderr)]).toMatchObject([0, { made: 10, unchanged: 110 - left, left }]);
    const statuses = (JSON.parse(stdout) as { status: string }[]).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'left')).toHaveLength(left);
    expect(await shop.lock('signed/skins.lock')).toHaveLength(120 - left);
  }
  const last = await onRunner(shop, service, ...MAKE, '--max-new', '10', '--fail-if-left');
  expect([last.exitCode, last.stderr]).toEqual([0, expect.stringMatching(/^120 sources: up to date\.$/m)]);
  expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([120, []]);
});

test('A run that leaves skins fails where that is asked for, and where it made none', async () => {
  const { shop, service } = await hostedWorkshop();
  await shop.drawMany('skins', 3);
  const failing = await shop.run(...MAKE, '--max-new', '1', '--fail-if-left');
  expect([failing.exitCode, failing.stderr]).toEqual([
    3,
    expect.stringMatching(/^3 sources: 1 made, 2 left/m),
  ]);
  const none = await shop.run(...MAKE, '--max-new', '0');
  expect([none.exitCode, none.stderr]).toEqual([
    3,
    expect.stringMatching(/^3 sources: 1 unchanged, 2 left/m),
  ]);
  expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([1, []]);
});

test('What the service already had is told apart from what was made', async () => {
  const { shop, service } = await hostedWorkshop();
  await shop.drawMany('skins', 2);
  await shop.run(...MAKE);
  await shop.draw({ 'skins/03': 3 });
  const again = await onRunner(shop, service, 'generate', 'skins', '--out', 'elsewhere');
  expect(again.stderr).toMatch(/^3 sources: 1 made, 2 already at the service \(2 submissions\)/m);
});
