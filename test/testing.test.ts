import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { convert, SkinClient } from '../src/index.ts';
import { type Double, type Scenario, startDouble } from '../src/testing.ts';
import { typeLine } from './support/cli/type-line.ts';
import { skinPng } from './support/server/drawn-skins.ts';
import { ownFolder } from './support/server/own-folder.ts';
import { sampled } from './support/setup/extent.ts';

// Our own clients, as the authors of others would test theirs: through the published double alone. stop() throws if one
// of them was impolite: more than five jobs, a job polled twice in a second, a submission repeated, the key elsewhere.

type Expected = Parameters<Double['expect']>[0];

/** A double over loopback, which judges its clients when the test ends. */
async function open(scenario: Scenario, expected: Expected = { polite: true }): Promise<Double> {
  const double = await startDouble({ scenario });
  double.expect(expected);
  onTestFinished(async () => await double.stop());
  return double;
}

function clientOf({ url, key }: Double): SkinClient {
  const client = new SkinClient({ baseUrl: url, apiKey: key, insecureHttp: true });
  onTestFinished(async () => await client.close());
  return client;
}

/** A folder of pictures: by names that may be scenarios, or so many others. */
async function pictures(names: readonly string[] | number): Promise<string> {
  const folder = await ownFolder();
  const all = typeof names === 'number' ? Array.from({ length: names }, (_, n) => `skin-${n}`) : names;
  await Promise.all(all.map(async (name, n) => await writeFile(join(folder, `${name}.png`), skinPng(n))));
  return folder;
}

const MADE = ['limit-429', 'slow-1500', 'polls-2', 'late-300', 'duplicate'];

test(`The client gets its skin from jobs named ${MADE.join(', ')}`, async () => {
  const client = clientOf(await open({ service: { time: '100ms' } }));
  const make = async (name: string, number: number) => {
    const { job } = await client.queue({ file: skinPng(number) }, { name });
    return (await client.waitForJob(job)).skin.texture.data.signature.length > 0;
  };
  // One after the other to the queue, as a limit counts for all.
  const first = await make(MADE[0] ?? '', 0);
  expect([first, ...(await Promise.all(MADE.slice(1).map(make)))]).toEqual(MADE.map(() => true));
});

test.each(['drop', 'lose', 'cut', 'html-502'])(
  'The client cannot know whether a submission named %s was accepted, and does not repeat it',
  async (name) => {
    const double = await open({});
    await expect(clientOf(double).queue({ file: skinPng(1) }, { name })).rejects.toThrow();
    expect(double.requests.filter(({ kind }) => kind === 'submit')).toHaveLength(1);
  },
);

test('The client polls a job that never ends until the caller aborts', async () => {
  const double = await open({});
  const client = clientOf(double);
  const { job } = await client.queue({ file: skinPng(1) }, { name: 'never' });
  const stop = new AbortController();
  const waiting = client.waitForJob(job, { signal: stop.signal });
  const watch = setInterval(() => {
    if (double.requests.filter(({ kind }) => kind === 'job').length >= 2) stop.abort();
  }, 10);
  await expect(waiting).rejects.toThrow();
  clearInterval(watch);
});

const TROUBLE: Readonly<Record<string, Scenario>> = {
  'a rate limit': {
    service: { time: '100ms' },
    rules: [
      { on: { route: 'POST /v2/queue', every: 4 }, do: { fault: 'rate-limit', wait: '1s', says: 'next' } },
    ],
  },
  'lost answers': {
    service: { time: ['100ms', '400ms'] },
    rules: [{ on: { route: 'POST /v2/queue', every: 3 }, times: 2, do: { fault: 'reset-after' } }],
  },
  'connections that drop': {
    service: { time: '100ms' },
    rules: [{ on: { route: 'POST /v2/queue', every: 4 }, times: 2, do: { fault: 'reset' } }],
  },
  'a list that lags': { service: { time: '200ms', listLag: '1s' } },
  'jobs that fail once': {
    service: { time: '100ms' },
    rules: [{ on: { name: 'skin-1*' }, do: { job: { fails: 'skin_change_failed', times: 1 } } }],
  },
  'pages with a 502': {
    service: { time: '100ms' },
    rules: [{ on: { route: 'GET /v2/queue', every: 2 }, times: 2, do: { fault: 'bad-gateway' } }],
  },
};

/**
 * All but `waits`: batches submit several at once, and on a busy machine some are still on their way long after a 429.
 * Tests in dispatch/ see the others wait, by a clock of their own.
 */
const SEVERAL: Expected = { maxPending: 5, pollGap: '1s', keyOnApi: true, onceEach: true };

/** A batch of eight to its end: what failed, and the results that were read twice. */
async function convertThrough(scenario: Scenario) {
  const double = await open(scenario, SEVERAL);
  const folder = await pictures(8);
  const failed: unknown[] = [];
  const { made, known } = await convert({
    client: clientOf(double),
    sources: [folder],
    stateDir: join(folder, '.state'),
    lockfile: join(folder, 'skins.lock'),
    deliver: (result) => void ('error' in result && result.error && failed.push(result.error)),
  });
  const reads = double.requests.flatMap(({ kind, job, jobStatus }) =>
    kind === 'job' && jobStatus === 'completed' ? [job] : [],
  );
  return { skins: made + known, failed, twice: reads.length - new Set(reads).size };
}

/** batch/run/run-batch has the others. */
const TRIED = sampled(Object.entries(TROUBLE), 2, 1);
const NAMES = TRIED.map(([name]) => name);

test(`convert() makes every skin once, through ${NAMES.join(', ')}`, async () => {
  const ends = TRIED.map(async ([name, scenario]) => [name, await convertThrough(scenario)] as const);
  const expected = { skins: 8, failed: [], twice: 0 };
  expect(await Promise.all(ends)).toEqual(NAMES.map((name) => [name, expected]));
});

test('The command line does so, too: its files are named after the trouble', async () => {
  const double = await open({ service: { time: '100ms' } }, SEVERAL);
  const folder = await pictures(['limit-429', 'slow-700', 'lose', 'duplicate', 'polls-2', 'knight']);
  const out = join(folder, 'out');
  const { status } = await typeLine(['generate', folder, '--out', out], {
    url: double.url,
    key: double.key,
  });
  expect(status).toBe(0);
  expect(readFileSync(join(out, 'skins.lock'), 'utf8').match(/"signature"/g)).toHaveLength(6);
  expect(readdirSync(out)).toHaveLength(7);
});
