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

/** Nothing is known of when jobs end until the first has. */
const NO_ETA: Script = { alter: (_, { body }) => void delete body.job?.eta };

/** Milliseconds between the end of the last of so many jobs and the end of the batch. */
async function unnoticed(count: number, serviceTime: number) {
  const { took, service } = await runScripted(count, { ...NO_ETA, serviceTime: () => serviceTime });
  const begun = service.requests.submit[0] ?? Number.NaN;
  return { wait: begun + took - Math.max(...service.jobs.map(({ endsAt }) => endsAt)), service };
}

test('the end of a lone job without an estimate is noticed within 0.2 s in the median, with few lists', async () => {
  const waits: number[] = [];
  for (const time of [150, 400, 700, 1_100, 1_600, 1_900, 3_300]) {
    const { wait, service } = await unnoticed(1, time);
    waits.push(wait);
    expect(service.requests.list.length).toBeLessThanOrEqual(3 + (2 * time) / 1_000);
  }
  waits.sort((a, b) => a - b);
  expect(waits[3]).toBeLessThanOrEqual(200);
  expect(waits.at(-1)).toBeLessThanOrEqual(600);
});

test('what the first job of two has taught is used for the second at once', async () => {
  expect((await unnoticed(2, 140)).wait).toBeLessThanOrEqual(150);
});

test.each([60, 200])(
  '%i uneven jobs leave few spots idle: 1.3 × at two looks a second and three requests a skin',
  async (count) => {
    const times = Array.from(
      { length: count },
      (_, n) => 300 + 1_500 * ((n * 0.618_034 + n * n * 0.324_718) % 1),
    );
    const { took, service } = await runScripted(count, { ...NO_ETA, serviceTime: (n) => times[n] ?? 0 });
    expect(took / (times.reduce((sum, time) => sum + time) / 5)).toBeLessThanOrEqual(1.3);
    const { list, job, me, other, submit } = service.requests;
    expect([list, job, me, other, submit].flat().length / count).toBeLessThanOrEqual(3);
    expect(list.length / (took / 1000)).toBeLessThanOrEqual(2);
  },
);
