import { describe, expect, test } from 'vitest';
import type { BatchEvent } from '../../../../src/batch/options.ts';
import { prepareScripted, runScripted } from '../../../support/scripted/run-scripted.ts';
import {
  type Asked,
  refused,
  type Script,
  type ScriptedAnswer,
} from '../../../support/scripted/scripted-service.ts';
import { sampled } from '../../../support/setup/extent.ts';
import { isWhole } from '../../../support/setup/whole-run.ts';

/** Waves of five skins, 450 ms each. */
const WAVES = isWhole ? 6 : 3;
const SKINS = 5 * WAVES;
const MOST = 1.2;

type Waiting = Extract<BatchEvent, { type: 'waiting' }>;
type Alter = NonNullable<Script['alter']>;
// biome-ignore lint/suspicious/noExplicitAny: an answer may be anything, that is what is tested
type Body = any;

/** Changes what is told of limits. */
function limits(change: (rateLimit: Body, now: number) => void): Script {
  return { alter: (_, { body }, now) => body.rateLimit && change(body.rateLimit, now) };
}

/** Changes every job in every answer. */
function jobs(change: (job: Body, now: number) => void): Script {
  const alter: Alter = (_, { body }, now) => {
    for (const job of [body.job, ...(body.jobs ?? [])]) if (job) change(job, now);
  };
  return { alter };
}

/** Changes the answers to one kind of request. */
function answers(kind: Asked, change: (answer: ScriptedAnswer) => void): Script {
  return { alter: (asked, answer) => asked === kind && change(answer) };
}

const eta = (change: (eta: number, now: number) => unknown) =>
  jobs((job, now) => job.eta !== undefined && Object.assign(job, { eta: change(job.eta, now) }));

function zeros(reset: (now: number) => number): Script {
  return limits((rateLimit, now) => {
    const window = { used: 0, limit: 0, remaining: 0, reset: reset(now) };
    rateLimit.limit = { ...window, minute: { ...window }, hour: { ...window } };
  });
}

/** Changes every row of the list. */
function inLists(change: (job: Body) => void): Script {
  return { alter: (asked, { body }) => asked === 'list' && body.jobs?.forEach(change) };
}

const inSeconds = (now: number) => Math.floor(now / 1000);
const inAMinute = (now: number) => inSeconds(now) + 60;

/** The service is so far ahead, and tells only moments. */
function moments(ahead: number): Script {
  return { ahead, ...limits((rateLimit) => void delete rateLimit.next.relative) };
}

const TABLE: Readonly<Record<string, Readonly<Record<string, Script>>>> = {
  'Limits of zero, of nothing, of less': {
    'an hour of zero, which is how the hosted service is': {},
    'all zeros, which end now': zeros(inSeconds),
    'all zeros, which end in a second': zeros((now) => inSeconds(now) + 1),
    'all zeros, which end in a minute': zeros(inAMinute),
    'limits of -1': limits(({ limit }, now) => {
      const none = { limit: -1, remaining: -1, reset: inAMinute(now) };
      Object.assign(limit, none, { minute: none, hour: none });
    }),
    'limits of null': limits(({ limit }) => {
      const none = { limit: null, remaining: null, reset: null };
      Object.assign(limit, none, { minute: none, hour: none });
    }),
    'a remainder that is negative, of no limit': limits(({ limit }) => {
      for (const window of [limit, limit.minute, limit.hour]) window.remaining = -3;
    }),
    'limits without a remainder': limits(({ limit }, now) => {
      for (const window of [limit, limit.minute, limit.hour]) {
        Object.assign(window, { limit: 5, reset: inAMinute(now) });
        delete window.remaining;
      }
    }),
    'a minute with enough left, and no hour': { perMinute: 60, ...limits(({ limit }) => delete limit.hour) },
    'an hour with enough left, and no minute': limits((rateLimit, now) => {
      rateLimit.limit = { hour: { limit: 100, remaining: 80, used: 20, reset: inSeconds(now) + 900 } };
    }),
    'no rate limit at all': { alter: (_, { body }) => delete body.rateLimit },
  },
  'The next request, and clocks that differ': {
    'a delay of 10 s after every accepted submission': limits(({ next }, now) => {
      Object.assign(next, { absolute: now + 10_000, relative: 10_000 });
    }),
    'a clock 2 s ahead': { ahead: 2_000 },
    'a clock 30 s ahead': { ahead: 30_000 },
    'a clock 10 min ahead': { ahead: 600_000 },
    'a clock an hour behind': { ahead: -3_600_000 },
    'a clock 10 min ahead, and only moments told': moments(600_000),
    'a clock 30 s behind, and only moments told': moments(-30_000),
    'a clock 10 min ahead and enough left in the minute': { ahead: 600_000, perMinute: 60 },
  },
  'An eta that means nothing': {
    'an hour ahead': eta((at) => at + 3_600_000),
    'in the past': eta((_, now) => now - 5_000),
    'in seconds': eta((at) => at / 1000),
    'ten seconds late': eta((at) => at + 10_000),
    'of zero': eta(() => 0),
    'not told': eta(() => undefined),
    'of null': eta(() => null),
    'that is text': eta((at) => String(at)),
    'that is no number': eta(() => 'soon'),
    'in ISO 8601': eta((at) => new Date(at).toISOString()),
    'of null in the list': inLists((job) => Object.assign(job, { eta: null })),
    'beside times in ISO 8601': jobs((job) =>
      Object.assign(job, { timestamp: new Date(job.timestamp).toISOString() }),
    ),
    'beside times in ISO 8601 in the list': inLists((job) =>
      Object.assign(job, { eta: null, timestamp: new Date(job.timestamp).toISOString() }),
    ),
    'beside a timestamp of null': jobs((job) => Object.assign(job, { timestamp: null })),
    'beside a timestamp in seconds': jobs((job) => Object.assign(job, { timestamp: job.timestamp / 1000 })),
    'beside no timestamp': jobs((job) => void delete job.timestamp),
  },
  'What is only advice': {
    'grants of text, numbers of null': answers('me', ({ body }) =>
      Object.assign(body, { grants: { per_minute: '60', concurrency: null, queue: 'five', plan: 7 } }),
    ),
    'no grants': answers('me', ({ body }) => void delete body.grants),
    'grants of null': answers('me', ({ body }) => Object.assign(body, { grants: null })),
    'grants that are text': answers('me', ({ body }) => Object.assign(body, { grants: 'all' })),
    'grants whose values are text': answers('me', ({ body }) =>
      Object.assign(body, { grants: { concurrency: '5', per_minute: null } }),
    ),
    'a user of null': answers('me', ({ body }) => Object.assign(body, { user: null })),
    'a rate limit that is text': {
      alter: (_, { body }) => body.rateLimit && Object.assign(body, { rateLimit: 'none' }),
    },
    'links and notes of null': {
      alter: (_, { body }) => Object.assign(body, { links: null, warnings: null, messages: null }),
    },
  },
  'A limit of jobs that is not the real one': {
    'grants of 100': answers('me', ({ body }) => Object.assign(body.grants, { queue: 100 })),
    'a concurrency of 100': answers('me', ({ body }) => Object.assign(body.grants, { concurrency: 100 })),
  },
};

/** How long a run takes when nothing is odd: always the same. */
let undisturbed: Promise<number> | undefined;

async function undisturbedTime(): Promise<number> {
  undisturbed ??= runScripted(SKINS).then(({ took }) => took);
  return await undisturbed;
}

describe.each(Object.entries(TABLE))('%s', (_, rows) => {
  test.each(sampled(Object.entries(rows), 2))('cost nothing: %s', async (_, script) => {
    const { took, summary, service } = await runScripted(SKINS, script);
    expect([summary.made, service.jobs.length, service.mostUnfinished]).toEqual([SKINS, SKINS, 5]);
    expect(took / (await undisturbedTime())).toBeLessThanOrEqual(MOST);
    expect(service.refusals.length).toBeLessThanOrEqual(10);
  });
});

test('an undisturbed run consists of waves of 450 ms', async () => {
  const { took, service } = await runScripted(SKINS);
  expect(took).toBeLessThanOrEqual(WAVES * 470 + 80);
  expect(service.requests.list.length).toBeLessThanOrEqual(1.5 * WAVES);
});

test('a limit of one job that the service does not announce is discovered by the first burst', async () => {
  const { took, summary, service } = await runScripted(SKINS, { limit: 1 });
  expect([summary.made, service.mostUnfinished]).toEqual([SKINS, 1]);
  expect(took).toBeLessThanOrEqual(MOST * SKINS * 470);
  expect(service.refusals.length).toBeLessThanOrEqual(8);
});

describe('A service that accepts nothing for now', () => {
  const closedFor = (ms: number): Script => ({
    instead: (asked, at) =>
      asked === 'submit' && at < ms
        ? { status: 503, headers: {}, body: refused('service_unavailable', 'Generation is switched off.') }
        : undefined,
  });

  test('is reported in its own words and tried less and less often, and nothing counts as lost', async () => {
    const { summary, service, events } = await runScripted(6, closedFor(60_000));
    expect([summary.made, service.jobs.length]).toEqual([6, 6]);
    const early = service.requests.submit.filter((at) => at < 18_000);
    expect(early.length).toBeLessThanOrEqual(12);
    expect(events.find(({ type }) => type === 'waiting')).toMatchObject({
      message: 'Generation is switched off.',
    });
    expect(events.filter(({ type }) => type === 'again')).toEqual([]);
  });
});

describe('A service whose game accounts are resting', () => {
  const resting = (until: number, headers: (at: number) => Record<string, string>): Script => ({
    instead: (asked, at) =>
      asked === 'submit' && at < until
        ? {
            status: 503,
            headers: headers(at),
            body: refused('no_account_available', 'No game account is available to make the skin.'),
          }
        : undefined,
  });
  const waits = (events: readonly BatchEvent[]) =>
    events.filter((event): event is Waiting => event.type === 'waiting');

  test('is waited for as long as it asks, and the message says why', async () => {
    const rest = 65 * 60_000;
    const inSecondsLeft = (at: number) => ({ 'retry-after': `${Math.ceil((rest - at) / 1_000)}` });
    const { summary, service, events } = await runScripted(6, resting(rest, inSecondsLeft));
    expect([summary.made, service.jobs.length]).toEqual([6, 6]);
    const [wait] = waits(events);
    expect(wait).toMatchObject({
      reason: 'trouble',
      message: "The service's game accounts are resting.",
      ms: rest,
    });
    expect(service.requests.submit.filter((at) => at < rest).length).toBeLessThanOrEqual(5);
  });

  test('is tried less and less often if it names no time, with the same reason', async () => {
    const { summary, events, service } = await runScripted(
      6,
      resting(60_000, () => ({})),
    );
    expect([summary.made, service.jobs.length]).toEqual([6, 6]);
    expect(new Set(waits(events).map(({ message }) => message))).toEqual(
      new Set(["The service's game accounts are resting."]),
    );
    expect(waits(events).at(-1)?.ms).toBeGreaterThan(10_000);
    expect(service.requests.submit.filter((at) => at < 18_000).length).toBeLessThanOrEqual(12);
  });
});

test.each([
  [1, 'A job that someone else submitted with this key fills the queue.'],
  [2, '2 jobs that others submitted with this key fill the queue.'],
])("A batch says that it waits for someone else's jobs in the queue (limit %i)", async (limit, message) => {
  const { clock, service, events, batch } = await prepareScripted({ limit });
  for (let n = 0; n < limit; n++) service.occupy(20_000);
  const summary = await clock.until(batch(3, { slots: limit }));
  expect([summary.made, service.refusals]).toEqual([3, []]);
  expect(events.find(({ type }) => type === 'waiting')).toEqual({
    type: 'waiting',
    reason: 'queue',
    ms: undefined,
    message,
  });
});

test('one page of a proxy with a 403 makes the batch wait, and the batch says what it got', async () => {
  let isFirst = true;
  const { summary, events } = await runScripted(6, {
    instead: (asked) => {
      if (asked !== 'submit' || !isFirst) return undefined;
      isFirst = false;
      return { status: 403, headers: {}, body: '<html>Just a moment...</html>' };
    },
  });
  expect(summary).toMatchObject({ end: 'complete', made: 6 });
  expect(events.find(({ type }) => type === 'waiting')).toMatchObject({
    message: expect.stringContaining('a check by a proxy'),
  });
});
