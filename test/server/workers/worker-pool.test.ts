import { EventEmitter, once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Clock } from '../../../src/base/clock.ts';
import { JobSignals } from '../../../src/server/events.ts';
import type { Generator } from '../../../src/server/generators/port.ts';
import { nameThisNode } from '../../../src/server/queue/leases.ts';
import type { Lease } from '../../../src/server/queue/port.ts';
import { StoreTooNewError } from '../../../src/server/store/process-memory.ts';
import { WorkerPool } from '../../../src/server/workers/worker-pool.ts';
import { poll } from '../../support/server/poll.ts';
import type { TestQueue } from '../../support/server/test-queue.ts';

/** Sleeps end at once: a pool that sits trouble out must come back. */
const hasty: Clock = { now: () => 0, monotonic: () => 0, sleep: async () => await new Promise(setImmediate) };

test.each(['claim', 'nextRunAt'] as const)(
  'A worker outlives a store whose %s fails, and says so',
  async (broken) => {
    const calls = { claim: 0, nextRunAt: 0 };
    const failOnce = async (name: keyof typeof calls) => {
      calls[name]++;
      if (name === broken && calls[name] === 1) throw new Error('disk I/O error');
      return undefined;
    };
    const queue = {
      claim: async () => await failOnce('claim'),
      nextRunAt: async () => await failOnce('nextRunAt'),
      releaseOthers: async () => 0,
    } as Partial<TestQueue> as TestQueue;
    const errors: unknown[] = [];
    const pool = new WorkerPool({
      events: new EventEmitter(),
      count: 1,
      db: {} as never,
      queue,
      generator: {} as never,
      signals: new JobSignals(),
      clock: hasty,
      self: nameThisNode(),
      onError: (error) => void errors.push(error),
    });
    pool.start();
    onTestFinished(async () => await pool.stop(1_000));
    await poll(
      () => calls.claim,
      (claims) => claims >= 3,
    );
    expect(errors).toEqual([new Error('disk I/O error')]);
    expect(pool.trouble).toBeUndefined();
  },
);

test('Workers do not spin while all waiting jobs are held back', async () => {
  let claims = 0;
  const queue = {
    claim: async () => void claims++,
    nextRunAt: async () => undefined,
  } as Partial<TestQueue> as TestQueue;
  const signals = new JobSignals();
  const slept: number[] = [];
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: async (ms, signal) => {
      slept.push(ms);
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    },
  };
  const pool = new WorkerPool({
    count: 3,
    db: {} as never,
    queue,
    generator: {} as never,
    signals,
    events: new EventEmitter(),
    clock,
    self: nameThisNode(),
    onError: () => {},
  });
  pool.start();
  onTestFinished(async () => await pool.stop(1_000));
  await poll(
    () => slept.length,
    (count) => count >= 1,
  );
  expect([claims, slept]).toEqual([3, [5_000]]);
  signals.storeChanged();
  await poll(
    () => slept.length,
    (count) => count >= 2,
  );
  expect(claims).toBe(6);
});

test('Callers who wait for a job learn of an unusable store before the next attempt', async () => {
  const signals = new JobSignals();
  let told = 0;
  signals.listen({ accepted: () => {}, finished: () => {}, storeChanged: () => void told++ });
  const slept = Promise.withResolvers<number>();
  const over = Promise.withResolvers<void>();
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: async () => {
      slept.resolve(told);
      await over.promise;
    },
  };
  const broken = new Error('disk I/O error');
  const pool = new WorkerPool({
    count: 1,
    db: {} as never,
    queue: { claim: async () => await Promise.reject(broken) } as Partial<TestQueue> as TestQueue,
    generator: {} as never,
    signals,
    events: new EventEmitter(),
    clock,
    self: nameThisNode(),
    onError: () => {},
  });
  pool.start();
  onTestFinished(async () => {
    const stopped = pool.stop(1_000);
    over.resolve();
    await stopped;
  });
  expect(await slept.promise).toBe(1);
  expect(pool.trouble).toBe(broken);
});

test('A worker leaves its job to others once the store has become too new to renew its lease', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const tooNew = new StoreTooNewError('newer');
  const refuse = async () => await Promise.reject(tooNew);
  const lease = { owner: 'a/1/x#0', job: { uuid: 'j', cape_hash: null }, hasData: false } as Lease;
  const begun = Promise.withResolvers<AbortSignal>();
  const queue = {
    claim: async () => lease,
    adopt: async () => lease,
    renew: refuse,
    release: refuse,
  } as Partial<TestQueue> as TestQueue;
  const generator = {
    signer: async () => 'it',
    generate: async (_: unknown, signal: AbortSignal) => {
      begun.resolve(signal);
      await once(signal, 'abort');
      throw signal.reason;
    },
  } as unknown as Generator;
  const slept = Promise.withResolvers<void>();
  const pool = new WorkerPool({
    count: 1,
    db: {} as never,
    queue,
    generator,
    signals: new JobSignals(),
    events: new EventEmitter(),
    clock: { ...hasty, sleep: async () => await slept.promise },
    self: nameThisNode(),
    onError: () => {},
  });
  pool.start();
  await begun.promise;
  vi.advanceTimersToNextTimer();
  await poll(
    () => pool.trouble,
    (trouble) => trouble === tooNew,
  );
  expect(pool.busy).toBe(0);
  const stopped = pool.stop(1_000);
  slept.resolve();
  await stopped;
});
