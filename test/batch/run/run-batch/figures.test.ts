/** The figures of bench P3 to P4 on a clock of the tests' own: what remains there is what the machine takes. */
import { expect, test } from 'vitest';
import { runScripted } from '../../../support/scripted/run-scripted.ts';
import type { Script } from '../../../support/scripted/scripted-service.ts';

test.each([
  ['clock', 0],
  ['clock, 10 min ahead,', 600_000], // the ends of windows are told by that clock only
])('60 skins at 20 in a minute of the service’s %s are made without one refusal', async (_, ahead) => {
  const { took, summary, service } = await runScripted(60, { perMinute: 20, ahead });
  expect([summary.made, service.refusals]).toEqual([60, []]);
  expect(took).toBeLessThanOrEqual(2.2 * 60_000);
});

/** As the hosted service answers. */
const HOSTED: Script = { tellsEnds: true };

test('200 skins of 300 ms leave no spot idle for long, and need few requests', async () => {
  const { took, service } = await runScripted(200, { ...HOSTED, serviceTime: () => 300 });
  const { list, job, me, other, submit } = service.requests;
  expect(took / ((200 * 300) / 5)).toBeLessThanOrEqual(1.08);
  expect([list, job, me, other, submit].flat().length / 200).toBeLessThanOrEqual(2.1);
});

test.each([
  ['at once', { perMinute: 60 }],
  ['at the next full second', { perMinute: 60, spread: true }],
])('30 skins of 1.5 s that begin %s take 14 s and 14 looks at most', async (_, script) => {
  for (const hosted of [HOSTED, { ...HOSTED, ahead: 600_300 }]) {
    const { took, service } = await runScripted(30, { ...hosted, ...script, serviceTime: () => 1_500 });
    expect(took).toBeLessThanOrEqual(14_000);
    expect(service.requests.list.length).toBeLessThanOrEqual(14);
  }
});

test('30 skins of 1.5 s take 14 s and 14 looks at most when the service does not tell their ends', async () => {
  const { took, service } = await runScripted(30, { serviceTime: () => 1_500, perMinute: 60 });
  expect(took).toBeLessThanOrEqual(14_000);
  expect(service.requests.list.length).toBeLessThanOrEqual(14);
});

test('uneven jobs leave few spots idle: 1.25 × at two looks a second', async () => {
  const times = Array.from(
    { length: 200 },
    (_, n) => 300 + 1_500 * ((n * 0.618_034 + n * n * 0.324_718) % 1),
  );
  const { took, service } = await runScripted(200, {
    serviceTime: (n) => times[n] ?? 0,
    alter: (_, { body }) => void delete body.job?.eta,
  });
  expect(took / (times.reduce((sum, time) => sum + time) / 5)).toBeLessThanOrEqual(1.25);
  const { list } = service.requests;
  expect(list.length / (took / 1000)).toBeLessThanOrEqual(2);
});
