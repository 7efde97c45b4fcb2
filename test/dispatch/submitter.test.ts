import { expect, test } from 'vitest';
import { SpotLimit } from '../../src/dispatch/spot-limit.ts';
import { Spots } from '../../src/dispatch/spots.ts';
import type { Submission } from '../../src/dispatch/submission.ts';
import { Submitter, type SubmitterPorts } from '../../src/dispatch/submitter.ts';
import { refusal } from '../support/client/failures.ts';

/** One submission that ends like this, until it is settled. Answers what the submitter has asked for. */
async function afterRefusal(error: Error): Promise<string[]> {
  const told: string[] = [];
  const stop = new AbortController();
  const tasks: Promise<void>[] = [];
  const sources = [{ content: { kind: 'url', url: 'https://example.org/a.png' } }];
  const work = { key: 'k', attempt: 0, losses: 0, members: sources.map((source) => ({ source })) };
  const tools = {
    session: {
      now: () => 0,
      random: () => 0,
      burst: 5,
      spots: new Spots(5),
      spotLimit: new SpotLimit(5),
      pace: { left: () => 1, openAt: () => 0 },
      intake: { isOn: false, openAt: Number.NEGATIVE_INFINITY },
      track: (task: Promise<void>) => tasks.push(task),
      post: async () => {
        throw error;
      },
    },
    record: { intent: () => {}, refused: () => told.push('not taken') },
    wakeUp: {
      notify: () => {},
      wait: async () => {
        await Promise.all(tasks);
        stop.abort();
      },
    },
    queue: { take: () => 'mine', became: () => {}, pending: 5, leave: () => {} },
    prepare: async () => ({ source: { url: 'https://example.org/a.png' }, options: {} }),
    stop: stop.signal,
    hardStop: new AbortController().signal,
    onFailed: () => told.push('failed'),
    lookSoon: () => told.push('look'),
  } as unknown as SubmitterPorts<Submission>;
  const submitter = new Submitter(tools, 10);
  submitter.add(work as unknown as Submission);
  await submitter.run();
  if (submitter.waiting > 0) told.push('again');
  return told;
}

test('A full queue is looked at: the list tells how many spots there are', async () => {
  expect(await afterRefusal(refusal(429, 'job_limit'))).toEqual(['not taken', 'look', 'again']);
});

test('A rate limit says nothing of the queue, which is not looked at', async () => {
  expect(await afterRefusal(refusal(429, 'rate_limit', 1_000))).toEqual(['not taken', 'again']);
});

test('A source that is refused for good is not sent again', async () => {
  expect(await afterRefusal(refusal(400, 'invalid_image'))).toEqual(['not taken', 'failed']);
});
