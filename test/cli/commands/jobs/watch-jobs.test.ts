import { describe, expect, test } from 'vitest';
import { type WatchOptions, watchJobs } from '../../../../src/cli/commands/jobs.ts';
import { type Job, type JobEvent, NetworkError } from '../../../../src/index.ts';
import { fakeClock } from '../../../support/client/fake-clock.ts';

const EVENTS = { events: '/v2/queue/events' };

function job(id: string, status: Job['status']): Job {
  return { id, status };
}

/** Lists newest first, as services do; what comes after the last of them is an interruption. */
function watch(lists: readonly Job[][], streams: readonly (readonly (JobEvent | Error)[])[] = []) {
  const stop = new AbortController();
  const clock = fakeClock();
  const [nextList, nextStream] = [lists.values(), streams.values()];
  const interrupt = () => {
    stop.abort();
    return stop.signal.reason as Error;
  };
  const client: WatchOptions['client'] = {
    queueList: async () => {
      const { value, done } = nextList.next();
      if (done) throw interrupt();
      return { jobs: value, links: streams.length > 0 ? EVENTS : {} };
    },
    events: async function* () {
      for (const event of nextStream.next().value ?? [interrupt()]) {
        if (event instanceof Error) throw event;
        yield event;
      }
    },
  };
  return { clock, jobs: watchJobs({ client, clock, signal: stop.signal, interval: 3_000 }) };
}

async function told(jobs: AsyncIterable<Job>): Promise<string[]> {
  const lines: string[] = [];
  try {
    for await (const { id, status } of jobs) lines.push(`${id} ${status}`);
  } catch (error) {
    expect(error).toHaveProperty('name', 'AbortError');
    return lines;
  }
  throw new Error('watching has no end of its own');
}

const change = (id: string, status: Job['status']): JobEvent => ({
  type: 'job',
  state: {
    job: job(id, status),
    skin: undefined,
    errors: [],
    warnings: [],
    messages: [],
    links: {},
    rateLimit: undefined,
  },
});
const pending = (...jobs: Job[]): JobEvent => ({ type: 'jobs', jobs });
const broken = () => new NetworkError('The connection broke.', { cause: undefined, mayHaveArrived: true });

describe('Watching jobs', () => {
  test('begins with the pending jobs, the oldest first, and skips jobs that have ended', async () => {
    const { jobs } = watch([[job('c', 'waiting'), job('b', 'completed'), job('a', 'processing')]]);
    expect(await told(jobs)).toEqual(['a processing', 'c waiting']);
  });

  test('polls the list if the service sends no events, and shows what changed', async () => {
    const { jobs, clock } = watch([
      [job('a', 'waiting')],
      [job('a', 'waiting')],
      [job('b', 'completed'), job('a', 'processing')],
      [job('c', 'waiting'), job('b', 'completed'), job('a', 'failed')],
    ]);
    expect(await told(jobs)).toEqual(['a waiting', 'a processing', 'b completed', 'a failed', 'c waiting']);
    expect(clock.sleeps).toEqual([3_000, 3_000, 3_000, 3_000]);
  });

  test('listens if the service sends events, and shows nothing twice', async () => {
    const { jobs, clock } = watch(
      [[job('a', 'waiting')]],
      [
        [
          pending(job('a', 'waiting')),
          change('b', 'waiting'),
          change('a', 'completed'),
          change('b', 'failed'),
        ],
      ],
    );
    expect(await told(jobs)).toEqual(['a waiting', 'b waiting', 'a completed', 'b failed']);
    expect(clock.sleeps).toEqual([500]);
  });

  test('finds jobs that ended while the connection was broken, and waits longer before each new try', async () => {
    const { jobs, clock } = watch(
      [
        [job('a', 'waiting')],
        [job('a', 'completed')],
        [job('a', 'completed')],
        [job('b', 'failed'), job('a', 'completed')],
      ],
      [[broken()], [broken()], [broken()]],
    );
    expect(await told(jobs)).toEqual(['a waiting', 'a completed', 'b failed']);
    expect(clock.sleeps).toEqual([500, 1_000, 2_000]);
  });

  test('waits a short time again after an event', async () => {
    const { jobs, clock } = watch([[], [], [], []], [[broken()], [pending(), broken()], [broken()]]);
    expect(await told(jobs)).toEqual([]);
    expect(clock.sleeps).toEqual([500, 500, 1_000]);
  });

  test('ends with an error that is not a network problem', async () => {
    const { jobs } = watch([[]], [[new TypeError('a bug')]]);
    await expect(told(jobs)).rejects.toThrow();
  });
});
