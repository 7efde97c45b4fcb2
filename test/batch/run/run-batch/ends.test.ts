import { getEventListeners } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { BatchSource } from '../../../../src/batch/model.ts';
import { prepareScripted } from '../../../support/scripted/run-scripted.ts';
import { skinPng } from '../../../support/server/drawn-skins.ts';

function sourceOf(label: string, skin: number): BatchSource {
  return { label, stem: label, content: { kind: 'bytes', bytes: skinPng(skin) } };
}

test('Once all sources are read, the plan is reported', async () => {
  const { clock, events, batch } = await prepareScripted();
  const summary = await clock.until(batch(3));
  const planned = events.filter(({ type }) => type === 'planned');
  expect(planned).toMatchObject([{ progress: { sources: 3, wanted: 3, allRead: true } }]);
  expect(summary).toMatchObject({ allRead: true, made: 3, end: 'complete' });
});

test('The job of a picture is also reported for a source that arrives later with the same picture', async () => {
  const { clock, events, batch } = await prepareScripted({ serviceTime: () => 60_000 });
  const accepted = Promise.withResolvers<void>();
  async function* sources() {
    yield sourceOf('first', 1);
    await accepted.promise;
    yield sourceOf('again', 1);
  }
  const told: string[] = [];
  const onEvent = (event: (typeof events)[number]) => {
    if (event.type !== 'accepted') return;
    told.push(event.source);
    accepted.resolve();
  };
  expect(await clock.until(batch(0, { sources: sources(), onEvent }))).toMatchObject({
    finished: 2,
    submitted: 1,
  });
  expect(told).toEqual(['first', 'again']);
});

test('A source whose picture was just made is a duplicate within this run', async () => {
  const { folder, clock, events, batch } = await prepareScripted();
  const finished = Promise.withResolvers<void>();
  const lockfile = join(folder, 'skins.lock');
  const fileOf = (label: string): BatchSource => {
    const path = join(folder, `${label}.png`);
    writeFileSync(path, skinPng(1));
    return { label, stem: label, content: { kind: 'file', path } };
  };
  async function* sources() {
    yield { ...fileOf('first'), name: 'Ann' };
    await finished.promise;
    yield { ...fileOf('again'), name: 'Bob' };
  }
  const told: unknown[] = [];
  const onEvent = (event: (typeof events)[number]) => {
    if (event.type !== 'result') return;
    const { origin, warnings } = event.result;
    told.push([origin, warnings.some(({ code }) => code === 'name_not_used')]);
    finished.resolve();
  };
  const summary = await clock.until(batch(0, { sources: sources(), onEvent, lockfile }));
  const entries = readFileSync(lockfile, 'utf8').trim().split('\n');
  expect(entries.map((line) => JSON.parse(line).source)).toEqual(['again.png', 'first.png']);
  expect(summary).toMatchObject({ sources: 2, made: 1, resumed: 0, repeated: 1, known: 0, finished: 2 });
  expect(told).toEqual([
    ['made', false],
    ['repeated', true],
  ]);
});

test('A batch ends with the reason when the rest of its sources cannot be read', async () => {
  const { clock, batch } = await prepareScripted();
  const reason = new Error('The list cannot be read.');
  async function* sources() {
    yield sourceOf('first', 1);
    throw reason;
  }
  await expect(clock.until(batch(0, { sources: sources() }))).rejects.toBe(reason);
});

test('A result that cannot be stored ends the batch at once, and nothing more is submitted', async () => {
  const { clock, service, batch } = await prepareScripted();
  const reason = new Error('no space left');
  const refused = Promise.withResolvers<void>();
  async function* sources() {
    yield sourceOf('first', 1);
    await refused.promise;
    await setImmediate();
    for (let skin = 2; skin < 9; skin++) yield sourceOf(`later ${skin}`, skin);
  }
  const deliver = () => {
    refused.resolve();
    throw reason;
  };
  await expect(clock.until(batch(0, { sources: sources(), deliver }))).rejects.toBe(reason);
  expect(service.requests.submit).toHaveLength(1);
});

test('A batch that reads nothing is complete, and never contacts the service', async () => {
  const { clock, service, batch } = await prepareScripted();
  expect(await clock.until(batch(0))).toMatchObject({ sources: 0, left: 0, end: 'complete' });
  expect(Object.values(service.requests).flat()).toEqual([]);
});

const UNWRITABLE = "The service's store cannot be read or written.";

test.each([
  ['embedded', 60_000],
  ['https://service.example', 15 * 60_000],
])(
  'A batch waits for the service %s, which cannot store anything, for %i ms and ends with the reason',
  async (serviceName, patience) => {
    const body = { success: false, errors: [{ code: 'service_unavailable', message: UNWRITABLE }] };
    const { clock, batch } = await prepareScripted({
      instead: (asked) => (asked === 'submit' ? { status: 503, headers: {}, body } : undefined),
    });
    await expect(clock.until(batch(2, { serviceName }))).rejects.toThrow(UNWRITABLE);
    expect(clock.monotonic()).toBeLessThan(patience + 1_000);
    expect(clock.monotonic()).toBeGreaterThan(0.75 * patience);
  },
);

test.each([
  ['is over', undefined, 0],
  ['has failed', new Error('no space left'), 1],
])('A batch that %s leaves a journal only if it may continue: %s', async (_, reason, left) => {
  const { clock, folder, batch } = await prepareScripted();
  const deliver = () => {
    if (reason) throw reason;
  };
  await clock.until(batch(2, { deliver }).catch((error: unknown) => expect(error).toBe(reason)));
  const files = await readdir(join(folder, 'state/journals'));
  expect(files.filter((name) => name.endsWith('.ndjson'))).toHaveLength(left);
});

test('A batch that is interrupted before it begins does nothing', async () => {
  const { clock, service, batch } = await prepareScripted();
  const summary = await clock.until(batch(3, { signal: AbortSignal.abort() }));
  expect(summary).toMatchObject({ end: 'interrupted', sources: 0, submitted: 0 });
  expect(service.requests.submit).toEqual([]);
});

test('A batch that was interrupted leaves no timer that would keep its process alive', async () => {
  const { clock, batch } = await prepareScripted();
  let asleep = 0;
  const sleep = async (ms: number, signal?: AbortSignal) => {
    asleep++;
    await clock.sleep(ms, signal).finally(() => asleep--);
  };
  const counting = { now: () => clock.now(), monotonic: () => clock.monotonic(), sleep };
  await clock.until(batch(1, { clock: counting, signal: AbortSignal.abort() }));
  await setImmediate();
  expect(asleep).toBe(0);
});

test('A batch that has ended ignores interruptions', async () => {
  const { clock, batch } = await prepareScripted();
  const { signal } = new AbortController();
  await clock.until(batch(1, { signal }));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('While a job is on the service the progress says so', async () => {
  const { clock, batch } = await prepareScripted();
  const queued: number[] = [];
  let progress: () => { queued: number } = () => ({ queued: -1 });
  const onProgress = (read: typeof progress) => {
    progress = read;
  };
  const onEvent = ({ type }: { type: string }) => {
    if (type === 'accepted') queued.push(progress().queued);
  };
  await clock.until(batch(1, { onProgress, onEvent }));
  expect([...queued, progress().queued]).toEqual([1, 0]);
});

test.skipIf(process.platform !== 'linux')(
  'Nothing is submitted where the lockfile cannot be written',
  async () => {
    const { clock, service, batch } = await prepareScripted();
    const lockfile = '/proc/skins.lock';
    await expect(clock.until(batch(2, { lockfile }))).rejects.toMatchObject({ path: lockfile });
    expect(service.requests.submit).toEqual([]);
  },
);
