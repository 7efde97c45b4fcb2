import { expect, test } from 'vitest';
import type { JobAnswer, JobEvent } from '../../../src/client/types.ts';
import { JobEventListener, type JobEventListenerOptions } from '../../../src/dispatch/watcher.ts';
import { noAnswer } from '../../support/client/failures.ts';

const pending: JobEvent = { type: 'jobs', jobs: [] };
const job = (id: string, status: JobAnswer['job']['status']): JobEvent => ({
  type: 'job',
  state: {
    job: { id, status },
    skin: undefined,
    errors: [],
    warnings: [],
    messages: [],
    links: {},
    rateLimit: undefined,
  },
});

/** Listens to connections that break after these events, until the last of them; answers what was noticed. */
async function listen(
  connections: readonly (readonly JobEvent[])[],
  options: Partial<JobEventListenerOptions> = {},
) {
  const pauses: number[] = [];
  const told: string[] = [];
  const over = new AbortController();
  const left = [...connections];
  let loop: Promise<void> | undefined;
  const listener = new JobEventListener({
    client: {
      async *events() {
        yield* left.shift() ?? [];
        throw noAnswer(true);
      },
    },
    clock: {
      now: () => 0,
      monotonic: () => 0,
      sleep: async (ms: number) => {
        pauses.push(ms);
        if (left.length === 0) over.abort();
        over.signal.throwIfAborted();
      },
    },
    signal: over.signal,
    run: (listening) => {
      loop = listening;
    },
    onListening: (isListening) => told.push(isListening ? 'open' : 'closed'),
    onJob: (state) => told.push(`${state.job.id} ${state.job.status}`),
    ...options,
  });
  listener.start();
  listener.start();
  await expect(loop).rejects.toThrow(options.client ? 'a bug' : 'aborted');
  return { pauses, told, listener };
}

async function pausesAfter(connections: readonly ('silent' | 'heard')[]): Promise<number[]> {
  const { pauses } = await listen(connections.map((kind) => (kind === 'heard' ? [pending] : [])));
  return pauses;
}

test('Each connection that breaks at once is followed by a longer pause, of 15 s at most', async () => {
  const broken = Array.from({ length: 7 }, () => 'silent' as const);
  expect(await pausesAfter(broken)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
});

test('A connection that delivered something resets the pauses', async () => {
  const connections = ['silent', 'silent', 'silent', 'heard', 'silent'] as const;
  expect(await pausesAfter(connections)).toEqual([500, 1_000, 2_000, 500, 1_000]);
});

test('A tracker is notified when the stream opens and closes, and of each job', async () => {
  const { told } = await listen([[pending, job('a', 'waiting'), job('a', 'completed')], [pending]]);
  expect(told).toEqual(['open', 'a waiting', 'a completed', 'closed', 'open', 'closed']);
});

test('The end of a job is kept until it is read once', async () => {
  const { listener } = await listen([[pending, job('a', 'completed'), job('b', 'waiting')]]);
  expect([listener.takeEnd('a')?.job.status, listener.takeEnd('a'), listener.takeEnd('b')]).toEqual([
    'completed',
    undefined,
    undefined,
  ]);
});

test('Only the latest unclaimed ends of jobs are kept', async () => {
  const ends = Array.from({ length: 300 }, (_, n) => job(`j${n}`, 'failed'));
  const { listener } = await listen([[pending, ...ends]]);
  expect([listener.takeEnd('j43'), listener.takeEnd('j44')?.job.id]).toEqual([undefined, 'j44']);
});

test('No connection is made before one is wanted', async () => {
  const order: string[] = [];
  const untilWanted = async () => {
    order.push('asked');
  };
  const { told } = await listen([[pending], [pending]], { untilWanted });
  expect([order, told.filter((word) => word === 'open')]).toEqual([
    ['asked', 'asked'],
    ['open', 'open'],
  ]);
});

test('A bug ends the listening', async () => {
  const client: JobEventListenerOptions['client'] = {
    // biome-ignore lint/correctness/useYield: it fails before the first event
    async *events() {
      throw new TypeError('a bug');
    },
  };
  const { told } = await listen([], { client });
  expect(told).toEqual([]);
});
