import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HostedService } from '../support/hosted/hosted-service.ts';
import { hostedWorkshop, lines, NOWHERE, type Workshop } from '../support/program/batches.ts';
import { freshMachine, type Ran } from '../support/program/program.ts';
import { isWhole } from '../support/setup/whole-run.ts';

const MAKE = ['generate', 'skins', '--out', 'signed'];
const MANY = isWhole ? 50 : 20;

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

test(`${MANY} skins are made ten at a time, by runs that have only the lockfile, and each run succeeds`, async () => {
  const { shop, service } = await hostedWorkshop({ serviceTime: 5 });
  await shop.drawMany('skins', MANY);
  const command = [...MAKE, '--max-new', '10', '--json'];
  for (let left = MANY - 10; left >= 0; left -= 10) {
    const { exitCode, stdout, stderr } = await onRunner(shop, service, ...command);
    expect([exitCode, summaryIn(stderr)]).toMatchObject([0, { made: 10, unchanged: MANY - 10 - left, left }]);
    const statuses = (JSON.parse(stdout) as { status: string }[]).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'left')).toHaveLength(left);
    expect(await shop.lock('signed/skins.lock')).toHaveLength(MANY - left);
  }
  const last = await onRunner(shop, service, ...MAKE, '--max-new', '10', '--fail-if-left');
  expect([last.exitCode, last.stderr]).toEqual([0, expect.stringContaining(`${MANY} sources: up to date.`)]);
  expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([MANY, []]);
});

test('A run that leaves skins fails on request, and if it made none', async () => {
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

test('A skin that the service already had does not count against --max-new', async () => {
  const { shop, service } = await hostedWorkshop({ serviceTime: 5 });
  await shop.drawMany('skins', 6);
  await shop.run('generate', 'skins', '--out', 'lost');
  await shop.drawMany('skins', 12);
  const first = await onRunner(shop, service, ...MAKE, '--max-new', '3', '--json');
  expect([first.exitCode, summaryIn(first.stderr)]).toMatchObject([0, { made: 3, existing: 6, left: 3 }]);
  const second = await onRunner(shop, service, ...MAKE, '--max-new', '3', '--json');
  expect([second.exitCode, summaryIn(second.stderr)]).toMatchObject([0, { made: 3, unchanged: 9, left: 0 }]);
  expect(service.records.accepted).toHaveLength(18);
});

test('Skins that the service already had are distinguished from newly made ones', async () => {
  const { shop, service } = await hostedWorkshop();
  await shop.drawMany('skins', 2);
  await shop.run(...MAKE);
  await shop.draw({ 'skins/03': 3 });
  const again = await onRunner(shop, service, 'generate', 'skins', '--out', 'elsewhere');
  expect(again.stderr).toMatch(/^3 sources: 1 made, 2 already at the service \(2 submissions\)/m);
});

test('--allow-new checks new pictures without a service, marks them in JSON, and needs --frozen', async () => {
  const { shop } = await hostedWorkshop();
  await shop.drawMany('skins', 1);
  await shop.run(...MAKE);
  await shop.draw({ 'skins/02': 2 });
  const frozen = [...MAKE, '--frozen', '--base-url', NOWHERE, '--report', 'junit=skins.xml'];
  const strict = await shop.run(...frozen, '--json');
  expect([strict.exitCode, JSON.parse(strict.stdout)]).toMatchObject([3, [{}, { status: 'failed' }]]);
  expect(await shop.read('skins.xml')).toMatch(
    /tests="2" failures="1" errors="0" skipped="0"[\s\S]*<failure message="[^"]*is not in the lockfile\./,
  );
  const { exitCode, stdout } = await shop.run(...frozen, '--allow-new', '--json');
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, [{ status: 'completed' }, { status: 'new' }]]);
  expect(await shop.read('skins.xml')).toMatch(
    /tests="2" failures="0" errors="0" skipped="1"[\s\S]*<skipped message="new/,
  );
  const alone = await shop.run(...MAKE, '--allow-new');
  expect([alone.exitCode, alone.stderr]).toEqual([2, expect.stringContaining('Add --frozen.')]);
});

test('--frozen also reports sources that are gone, and fails because of them', async () => {
  const { shop } = await hostedWorkshop();
  await shop.drawMany('skins', 2);
  await shop.run(...MAKE);
  await rm(join(shop.folder, 'skins/02.png'));
  const frozen = [...MAKE, '--frozen', '--report', 'junit=skins.xml', '--report', 'html=skins.html'];
  const { exitCode, stderr } = await shop.runIn({ GITHUB_ACTIONS: 'true' }, ...frozen);
  expect([exitCode, stderr]).toEqual([
    3,
    expect.stringMatching(/^::error .*title=skinsmith%3A gone::skins\/02\.png is in/m),
  ]);
  expect(await shop.read('skins.xml')).toMatch(
    /tests="2" failures="1" errors="0" skipped="0"[\s\S]*<failure message="[^"]*is in the lockfile, but/,
  );
  expect(await shop.read('skins.html')).toContain('is in the lockfile, but');
});

test('A JUnit report has the time of each skin, and every source, left or not delivered', async () => {
  const { shop } = await hostedWorkshop({ serviceTime: 300 });
  await shop.drawMany('skins', 3);
  const report = ['--report', 'junit=skins.xml', '--max-new', '1'];
  await shop.run(...MAKE, ...report);
  const first = await shop.read('skins.xml');
  const [, time = ''] = /name="skins\/01\.png" time="([\d.]+)"/.exec(first) ?? [];
  expect(Number(time)).toBeGreaterThan(0);
  expect(first.match(/<testcase/g)).toHaveLength(3);
  expect(first).toContain('tests="3" failures="0" errors="0" skipped="2"');
  await shop.run(...MAKE, ...report, '--require-signer', 'game');
  const second = await shop.read('skins.xml');
  expect(second.match(/<testcase/g)).toHaveLength(3);
  expect(second).toMatch(/failures="[12]"[\s\S]*type="wrong_signer"/);
});
