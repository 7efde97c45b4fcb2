/** Batches at a service that knows nothing of what it accepted, for a time or for good, and pays for all that it is sent. */
import { describe, expect, test } from 'vitest';
import { openWorld } from '../../../support/hosted/batches-in-memory.ts';
import { dataAway, skinsAway } from '../../../support/hosted/data-away.ts';
import { cutOff, type Disturb } from '../../../support/hosted/hosted-in-memory.ts';
import { sampled } from '../../../support/setup/extent.ts';
import { isWhole } from '../../../support/setup/whole-run.ts';

const SKINS = 30;
/** When the data goes: a batch is under way, milliseconds. */
const FROM = 2_300;
const FOR_GOOD = Number.POSITIVE_INFINITY;
const SPANS = [6_000, 12_000, 20_000, 45_000, 120_000];
/** Milliseconds until the user must have read what the batch waits for. */
const SOON = 5_000;

/** Pays for everything: an empty database knows no pictures and counts no jobs. */
const PAYS_ALL = { serviceTime: 450, known: 'nothing', slack: 100 } as const;

/** Takes in every fifth submission without an answer. */
function losing(disturb: Disturb): Disturb {
  let submissions = 0;
  return async (request, process) => {
    const answer = await disturb(request, process);
    if (request.kind === 'submit' && ++submissions % 5 === 0) throw cutOff();
    return answer;
  };
}

interface Trouble {
  readonly lasts: number;
  readonly loses?: boolean;
  /** When runs are killed, milliseconds; the next one begins at once. */
  readonly kills?: readonly number[];
  readonly resubmitLost?: boolean;
}

/** Runs of one batch, the last of which is not killed. */
async function runs({ lasts, loses = false, kills = [], resubmitLost = false }: Trouble) {
  const world = await openWorld(PAYS_ALL);
  const { clock, hosted, batch } = world;
  const away = dataAway(hosted, clock, { from: FROM, to: FROM + lasts });
  const disturb = loses ? losing(away) : away;
  for (const at of kills) {
    const stop = new AbortController();
    hosted.disturb = async (request, process) => {
      const answer = await disturb(request, process);
      return stop.signal.aborted ? await new Promise<never>(() => {}) : answer;
    };
    const killed = clock.sleep(at - clock.monotonic()).then(() => stop.abort());
    await clock.until(batch(SKINS, { signal: stop.signal }));
    await clock.until(killed);
  }
  hosted.disturb = disturb;
  const summary = await clock.until(batch(SKINS, { resubmitLost }));
  const again = async () => await clock.until(batch(SKINS, { resubmitLost }));
  return { ...world, summary, again };
}

/** Pictures that were accepted more than once. */
function twice({ hosted }: Pick<Awaited<ReturnType<typeof runs>>, 'hosted'>): number {
  const { accepted } = hosted.records;
  return accepted.length - new Set(accepted.map(({ pixels }) => pixels)).size;
}

/** Codes of the errors of sources without a skin. */
function failures({ events }: Pick<Awaited<ReturnType<typeof runs>>, 'events'>): (string | undefined)[] {
  return events.flatMap((event) =>
    event.type === 'result' && event.result.error ? event.result.error.code : [],
  );
}

const LOSSES = [
  ['and no answer is lost', false],
  ['and each fifth answer to a submission is lost', true],
] as const;

const KILLS = [
  ['in one run', []],
  ['in three runs, two of them killed meanwhile', [3_000, 5_500]],
  ['in two runs, the first of them killed before', [FROM - 20]],
] as const;

/** Each with every way of losing and killing in `.ci/run`; else one with each, so that none is left out. */
function spansFor(loses: boolean, kills: number): readonly number[] {
  if (isWhole) return SPANS;
  return [SPANS[(2 * kills + (loses ? 1 : 0)) % SPANS.length]!];
}

describe.each(LOSSES)('While the service has no data %s', (_, loses) => {
  describe.each(KILLS)('%s', (__, kills) => {
    test.each(spansFor(loses, kills.length))(
      'for %d ms, all skins are made and nothing is submitted twice',
      async (lasts) => {
        const world = await runs({ lasts, loses, kills });
        expect(world.summary).toMatchObject({ finished: SKINS, failed: 0, left: 0, end: 'complete' });
        expect(twice(world)).toBe(0);
      },
    );
  });
});

/** Each way of killing, with and without losses; `npm test` tries one with losses. */
const FOR_GOOD_ROWS = LOSSES.flatMap(([lost, loses]) =>
  KILLS.map(([killed, kills]) => ({ lost, loses, killed, kills })),
);

test.each(sampled(FOR_GOOD_ROWS, 6, 4))(
  'While the service has no data for good $lost $killed, neither this run nor the next ones submit anything twice',
  async ({ loses, kills }) => {
    const world = await runs({ lasts: FOR_GOOD, loses, kills });
    const { summary, again } = world;
    expect(summary).toMatchObject({ finished: SKINS, left: 0 });
    expect(summary.failed).toBeGreaterThan(0);
    expect(await again()).toMatchObject({ failed: summary.failed });
    expect(new Set(failures(world))).toEqual(new Set(['job_missing']));
    expect(twice(world)).toBe(0);
  },
);

test('A batch says within five seconds that the service has no data, and submits nothing then', async () => {
  const world = await runs({ lasts: 60_000 });
  const told = world.waits.filter(({ message }) => message.includes('knows none of its jobs'));
  expect(told[0]?.at).toBeLessThanOrEqual(FROM + SOON);
  expect(world.longestSilence({ from: FROM + SOON, to: FROM + 60_000 })).toBeLessThanOrEqual(10_000);
  const submitted = world.hosted.times('submit').filter((at) => at > FROM + 1_000 && at < FROM + 60_000);
  expect(submitted).toEqual([]);
  expect(world.times().filter((at) => at > FROM && at < FROM + 60_000).length).toBeLessThan(100);
});

test('A skin that the service lost for good is submitted again after minutes if the user agrees', async () => {
  const world = await runs({ lasts: FOR_GOOD, resubmitLost: true });
  expect(world.summary).toMatchObject({ made: SKINS, failed: 0 });
  const seconds = world.hosted.records.doubleSubmissions.map(({ at }) => at - world.clock.now());
  expect(seconds.length).toBeGreaterThan(0);
  expect(world.events.filter((event) => event.type === 'again' && event.mayCost)).toHaveLength(
    seconds.length,
  );
});

describe('A finished job whose skin the service does not find', () => {
  const options = { ...PAYS_ALL, alter: { job: { skin: '(absent)' } } };

  test.each(sampled([6_000, 12_000, 20_000, 45_000, 120_000, FOR_GOOD], 3, 2))(
    'for %d ms is asked for again, and never submitted again',
    async (ms) => {
      const world = await openWorld(options);
      const { clock, hosted, batch } = world;
      hosted.disturb = skinsAway(clock, ms, (uuid) => Number.parseInt(uuid[0] ?? '', 16) < 4);
      const first = await clock.until(batch(SKINS));
      expect(failures(world).every((code) => code === 'missing_result')).toBe(true);
      expect(first).toMatchObject({ finished: SKINS, left: 0, submitted: SKINS });
      expect(first.failed > 0).toBe(ms > 26_000);
      await clock.until(clock.sleep(120_000));
      const failed = ms === FOR_GOOD ? first.failed : 0;
      if (first.failed > 0)
        expect(await clock.until(batch(SKINS))).toMatchObject({ finished: SKINS, failed });
      expect(twice(world)).toBe(0);
    },
  );
});
