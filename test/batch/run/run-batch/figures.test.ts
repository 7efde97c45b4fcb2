/** The figures of bench P3 to P4 on a clock of the tests' own: what remains there is what the machine takes. */
import { expect, test } from 'vitest';
import { runScripted } from '../../../support/scripted/run-scripted.ts';
import type { Script } from '../../../support/scripted/scripted-service.ts';
import { sampled } from '../../../support/setup/extent.ts';
import { isWhole } from '../../../support/setup/whole-run.ts';

/** The ends of windows are told by that clock only. */
const CLOCKS = [
  ['clock', 0],
  ['clock, 10 min ahead,', 600_000],
] as const;

test.each(sampled(CLOCKS, 2, 1))(
  '60 skins at 20 in a minute of the service’s %s are made without one refusal',
  async (_, ahead) => {
    const { took, summary, service } = await runScripted(60, { perMinute: 20, ahead });
    expect([summary.made, service.refusals]).toEqual([60, []]);
    expect(took).toBeLessThanOrEqual(2.2 * 60_000);
  },
);

test('A limit that the service never announces costs one refusal per pause', async () => {
  const script: Script = { perMinute: 10, alter: (_, { body }) => void delete body.rateLimit };
  const { summary, service } = await runScripted(25, script);
  expect(summary.made).toBe(25);
  expect(service.refusals.length).toBeLessThanOrEqual(25);
});

/** As the hosted service answers. */
const HOSTED: Script = { tellsEnds: true };

/** Of the whole run; half of them keep the same limits. */
const MANY = isWhole ? 200 : 100;

test(`${MANY} skins of 300 ms leave no slot idle for long, and need few requests`, async () => {
  const { took, service } = await runScripted(MANY, { ...HOSTED, serviceTime: () => 300 });
  const { list, job, me, other, submit } = service.requests;
  expect(took / ((MANY * 300) / 5)).toBeLessThanOrEqual(1.08);
  expect([list, job, me, other, submit].flat().length / MANY).toBeLessThanOrEqual(2.1);
});

const BEGINNINGS: readonly (readonly [string, Script])[] = [
  ['at once', { perMinute: 60 }],
  ['at the next full second', { perMinute: 60, spread: true }],
];

test.each(sampled(BEGINNINGS, 2, 1))(
  '30 skins of 1.5 s that begin %s take 14 s and 14 looks at most',
  async (_, script) => {
    for (const hosted of [HOSTED, { ...HOSTED, ahead: 600_300 }]) {
      const { took, service } = await runScripted(30, { ...hosted, ...script, serviceTime: () => 1_500 });
      expect(took).toBeLessThanOrEqual(14_000);
      expect(service.requests.list.length).toBeLessThanOrEqual(14);
    }
  },
);

test('30 skins of 1.5 s take 14 s and at most 14 looks when the service sends no estimates', async () => {
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

test('the duration of the first job is used for the second at once', async () => {
  expect((await unnoticed(2, 140)).wait).toBeLessThanOrEqual(150);
});

/** So many times between two, spread as evenly as by chance; other ones for each seed. */
function timesBetween(least: number, most: number, count: number, seed: number): readonly number[] {
  const part = (n: number) => (seed * 0.414_214 + n * 0.618_034 + n * n * 0.324_718) % 1;
  return Array.from({ length: count }, (_, n) => least + (most - least) * part(n));
}

/** Requests a skin, and the time in parts of what five slots need: the means of some batches of `count` skins. */
async function uneven(
  [least, most]: readonly [number, number],
  count: number,
  script: Script,
  seeds: number[],
) {
  const runs: { requests: number; time: number }[] = [];
  for (const seed of seeds) {
    const times = timesBetween(least, most, count, seed);
    const answers: Script = { ...HOSTED, ...script, serviceTime: (n) => times[n] ?? 0 };
    const { took, service } = await runScripted(count, answers);
    if (most > 1_500) expect(service.requests.list.length / (took / 1_000)).toBeLessThanOrEqual(2);
    const requests = Object.values(service.requests).flat().length / count;
    runs.push({ requests, time: took / (times.reduce((sum, time) => sum + time) / 5) });
  }
  const mean = (of: 'requests' | 'time') => runs.reduce((sum, run) => sum + run[of], 0) / runs.length;
  return { requests: mean('requests'), time: mean('time') };
}

/** All requests of the start are in it: three, and some until the first job has ended. Only 0.3 to 1.8 s favour time. */
const WITHOUT_ESTIMATES: readonly (readonly [
  string,
  readonly [number, number],
  readonly (readonly [number, requests: number, time: number])[],
])[] = [
  [
    '0.2 to 1.2 s',
    [200, 1_200],
    [
      [60, 2.3, 1.72],
      [200, 2.2, 1.68],
    ],
  ],
  [
    '0.3 to 1.8 s',
    [300, 1_800],
    [
      [60, 2.55, 1.35],
      [200, 2.5, 1.3],
    ],
  ],
  [
    '1 to 3 s',
    [1_000, 3_000],
    [
      [60, 2.3, 1.5],
      [200, 2.2, 1.48],
    ],
  ],
  [
    '3 to 8 s',
    [3_000, 8_000],
    [
      [60, 2.3, 1.44],
      [200, 2.2, 1.42],
    ],
  ],
];

test.each(sampled(WITHOUT_ESTIMATES, 4, 1))(
  'jobs of %s without estimates need few requests and leave few slots idle',
  async (_, span, limits) => {
    for (const [count, requests, time] of sampled(limits, 2)) {
      const mean = await uneven(span, count, NO_ETA, count < 100 ? [1, 2, 3, 4] : [1]);
      expect(mean.requests).toBeLessThanOrEqual(requests);
      expect(mean.time).toBeLessThanOrEqual(time);
    }
  },
);

const SPANS: readonly (readonly [string, readonly [number, number]])[] = [
  ['0.2 to 1.2 s', [200, 1_200]],
  ['0.3 to 1.8 s', [300, 1_800]],
  ['1 to 3 s', [1_000, 3_000]],
  ['3 to 8 s', [3_000, 8_000]],
];

test.each(sampled(SPANS, 3))(
  'jobs of %s with estimates need 2.2 requests each and leave hardly a slot idle',
  async (_, span) => {
    for (const count of sampled([60, 200], 2)) {
      const mean = await uneven(span, count, {}, [1]);
      expect(mean.requests).toBeLessThanOrEqual(2.2);
      expect(mean.time).toBeLessThanOrEqual(1.1);
    }
  },
);
