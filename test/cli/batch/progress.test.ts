import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { RunningProgress } from '../../../src/batch/options.ts';
import { BatchProgress, LIST_PROGRESS, singleSentence } from '../../../src/cli/batch/progress.ts';
import { Messages } from '../../../src/cli/terminal/messages.ts';
import { testIo } from '../../support/cli/test-io.ts';

beforeEach(() => vi.useFakeTimers({ now: new Date(2026, 10, 22, 13, 0) }));
afterEach(() => vi.useRealTimers());

const pass = async (seconds: number) => await vi.advanceTimersByTimeAsync(seconds * 1_000);

interface Shown {
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** The number of sources, of which ten are read. */
  readonly total?: Promise<number | undefined>;
}

/** Where a batch of ten stands that finishes one skin a second, until it is stopped. */
async function batch({ isTTY = true, columns = 160, total }: Shown = {}) {
  const { io, err } = testIo({ errTTY: isTTY, columns });
  const line: string[] = [];
  const spin = async () => ({
    text: (next: string) => void line.push(next),
    aside: async () => {},
    stop: () => {},
  });
  const progress = new BatchProgress(
    { messages: new Messages(io, {}, spin), clock: systemClock },
    LIST_PROGRESS,
  );
  const began = systemClock.monotonic();
  const read = () => {
    const finished = Math.min(5, Math.floor((systemClock.monotonic() - began) / 1_000));
    return {
      sources: 10,
      allRead: total === undefined,
      finished,
      failed: 0,
      queued: 0,
      leastSeconds: 0,
    } as RunningProgress;
  };
  await progress.start(read, total);
  return { progress, err, last: () => line.at(-1) };
}

describe('A batch that waits', () => {
  test('says for how long and until when, and shows no contradicting time left', async () => {
    const { progress, last } = await batch();
    await pass(5);
    expect(last()).toContain(' left');
    progress.wait('Too many requests.', 65 * 60_000);
    await pass(1);
    expect(last()).toContain('too many requests · next in 65 min (14:05) · safe to interrupt');
    expect(last()).not.toContain(' left');
    progress.stop();
  });

  test('shows the day if it continues on another day', async () => {
    const { progress, last } = await batch();
    progress.wait('Too many requests.', 24 * 3_600_000);
    await pass(1);
    expect(last()).toContain('(Mon 23 Nov, 13:00)');
    progress.stop();
  });

  test('fits the time of the next try on a narrow terminal', async () => {
    const { progress, last } = await batch({ columns: 80 });
    progress.wait('The service has a very long explanation of why it wants fewer requests.', 300_000);
    await pass(1);
    expect(last()).toContain('… · next in 5 min (13:05) · safe to interrupt');
    progress.stop();
  });

  test('says in a log for how long and until when', async () => {
    const { progress, err } = await batch({ isTTY: false });
    progress.wait('Too many requests.', 65 * 60_000);
    await pass(6);
    expect(err()).toContain('Too many requests. Retrying in 65 min, at 14:05; Ctrl-C is safe.');
    progress.stop();
  });

  test('logs a new reason at once, and then repeats it every few seconds', async () => {
    const { progress, err } = await batch({ isTTY: false });
    const lines = () =>
      err()
        .split('\n')
        .filter((line) => line.includes('Nobody answers.')).length;
    progress.wait('Nobody answers.', 60_000);
    await pass(1.5);
    expect(lines()).toBe(1);
    await pass(3);
    expect(lines()).toBe(1);
    await pass(3);
    expect(lines()).toBe(2);
    progress.stop();
  });

  test('for resting game accounts says so, and until when', async () => {
    const resting = "The service's game accounts are resting.";
    const { progress, last } = await batch();
    progress.wait(resting, 65 * 60_000);
    await pass(1);
    expect(last()).toContain(
      "the service's game accounts are resting · next in 65 min (14:05) · safe to interrupt",
    );
    progress.stop();
    const log = await batch({ isTTY: false });
    log.progress.wait(resting, 65 * 60_000);
    await pass(6);
    expect(log.err()).toContain(`${resting} Retrying in 65 min, at 14:05; Ctrl-C is safe.`);
    log.progress.stop();
  });

  test('for other programs says how long it has waited', async () => {
    const { progress, last } = await batch();
    for (let n = 0; n < 40; n++) {
      progress.wait('5 jobs that others submitted with this key fill the queue.', undefined);
      await pass(0.3);
    }
    expect(last()).toContain('fill the queue · waiting for 12 s · safe to interrupt');
    await pass(9);
    expect(last()).not.toContain('others');
    progress.stop();
  });

  test('no longer says so once it continues, and shows the longest of several waits', async () => {
    const { progress, last } = await batch();
    progress.wait('Too many requests.', 65 * 60_000);
    progress.wait('A texture cannot be read.', 500);
    await pass(1);
    expect(last()).toContain('too many requests');
    progress.goesOn();
    await pass(1);
    expect(last()).not.toContain('waiting');
    progress.stop();
  });
});

test('A log says how long one skin has taken, and then why it waits, in a sentence of its own', () => {
  const view = { job: undefined, seconds: 5, remark: 'The service is busy.' };
  expect(singleSentence('a.png', view)).toBe('Generating a.png, 5 s. The service is busy.');
  expect(singleSentence('a.png', { ...view, remark: undefined })).toBe('Generating a.png, 5 s.');
});

describe('A batch that is still reading its sources', () => {
  test('shows the total once it is known, and how much time is left', async () => {
    const { progress, last } = await batch({ total: Promise.resolve(30_000) });
    await pass(3);
    expect(last()).toMatch(/ 3 of 30,000 · .* left$/);
    progress.stop();
  });

  test.each([
    ['is not known', async () => undefined],
    ['cannot be known', async () => await Promise.reject(new Error('no folder'))],
  ])('says how many sources there are so far if the total %s', async (_, total) => {
    const { progress, last } = await batch({ total: total() });
    await pass(3);
    expect(last()).toMatch(/ 3 of 10 so far · [^·]*$/);
    progress.stop();
  });
});
