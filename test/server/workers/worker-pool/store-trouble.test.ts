import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Clock } from '../../../../src/base/clock.ts';
import { JobSignals } from '../../../../src/server/events.ts';
import type { Generator } from '../../../../src/server/generators/port.ts';
import { nameThisNode } from '../../../../src/server/queue/leases.ts';
import { type Lease, QUEUE_TIMES } from '../../../../src/server/queue/port.ts';
import { StoreUnreachableError } from '../../../../src/server/store/failures.ts';
import { WorkerPool } from '../../../../src/server/workers/worker-pool.ts';
import { poll } from '../../../support/server/poll.ts';
import type { TestQueue } from '../../../support/server/test-queue.ts';

const CUT = new StoreUnreachableError('PostgreSQL cannot be used: the connection was reset');
const FULL = Object.assign(new Error('database or disk is full'), { errcode: 13 });

/** One worker, one job, and a store that fails as the test says. Tells what was asked of its queue, in order. */
class Workshop {
  readonly asked: string[] = [];
  readonly errors: unknown[] = [];
  readonly pool: WorkerPool;
  #waiting = 1;

  /** @param queue what is asked of it, in place of what a sound one does */
  constructor(queue: Partial<TestQueue>) {
    const clock: Clock = {
      now: () => 0,
      monotonic: () => 0,
      sleep: async () => await new Promise(setImmediate),
    };
    this.pool = new WorkerPool({
      count: 1,
      db: {} as never,
      queue: this.#heard({ ...this.#sound(), ...queue }),
      generator: this.#generator(),
      signals: new JobSignals(),
      events: new EventEmitter(),
      clock,
      self: nameThisNode(),
      onError: (error) => void this.errors.push(error),
    });
    this.pool.start();
    onTestFinished(async () => await this.pool.stop(1_000));
  }

  async untilAsked(name: string): Promise<void> {
    await poll(
      () => this.asked,
      (asked) => asked.includes(name),
    );
  }

  #sound(): Partial<TestQueue> {
    return {
      claim: async (owner) => {
        if (this.#waiting === 0) return undefined;
        this.#waiting--;
        return { owner, job: { uuid: 'j', cape_hash: null }, hasData: false } as Lease;
      },
      nextRunAt: async () => undefined,
      adopt: async (lease) => lease,
      release: async () => {
        this.#waiting++;
        return true;
      },
      releaseOthers: async () => 0,
      renew: async () => true,
      complete: async () => true,
      fail: async () => true,
    };
  }

  #heard(queue: Partial<TestQueue>): TestQueue {
    const unheard = ['claim', 'nextRunAt', 'renew', 'releaseOthers'];
    const get = (_: unknown, name: string) => {
      if (!unheard.includes(name)) this.asked.push(name);
      return queue[name as keyof TestQueue];
    };
    return new Proxy({}, { get }) as TestQueue;
  }

  #generator(): Generator {
    const generate = async () => {
      this.asked.push('generate');
      return { value: '', signature: '', url: '', account: '' };
    };
    return { signer: async () => 'it', generate } as unknown as Generator;
  }
}

/** Fails so often, then answers. */
function failing<T>(errors: readonly unknown[], answer: T): () => Promise<T> {
  const left = [...errors];
  return async () => {
    if (left.length > 0) throw left.shift();
    return answer;
  };
}

test.each([CUT, FULL])(
  'Finished skins are recorded once the store can be written again: %s',
  async (error) => {
    const shop = new Workshop({ complete: failing([error, error], true) });
    await poll(
      () => shop.asked.length,
      (count) => count >= 5,
    );
    await shop.pool.stop(1_000);
    expect(shop.asked).toEqual(['adopt', 'generate', 'complete', 'complete', 'complete']);
    expect(shop.errors).toEqual([error, error]);
  },
);

test('A job whose claim was committed but not answered is returned and made at once', async () => {
  const held: string[] = [];
  let [isWaiting, isReturned] = [true, false];
  const shop = new Workshop({
    claim: async (owner) => {
      if (!isWaiting) return undefined;
      isWaiting = false;
      if (held.length > 0) return { owner, job: { uuid: 'j', cape_hash: null }, hasData: false } as Lease;
      held.push(owner);
      throw CUT;
    },
    releaseOthers: async (owner) => {
      if (!held.includes(owner) || isReturned) return 0;
      isWaiting = isReturned = true;
      return 1;
    },
  });
  await shop.untilAsked('complete');
  expect([shop.asked, shop.errors]).toEqual([['adopt', 'generate', 'complete'], [CUT]]);
});

test('A job whose claim is committed only after its worker has returned its jobs is returned and made too', async () => {
  const steps: string[] = [];
  const shop = new Workshop({
    claim: async (owner) => {
      steps.push('claim');
      if (steps.length === 1) throw CUT;
      if (steps.at(-2) !== 'returned') return undefined;
      return { owner, job: { uuid: 'j', cape_hash: null }, hasData: false } as Lease;
    },
    releaseOthers: async () => {
      const isCommitted = steps.length === 3;
      steps.push(isCommitted ? 'returned' : 'nothing to return');
      return isCommitted ? 1 : 0;
    },
  });
  await shop.untilAsked('complete');
  expect(steps.slice(0, 5)).toEqual(['claim', 'nothing to return', 'claim', 'returned', 'claim']);
});

test('A job that could not begin because of the store goes back without counting as a failure', async () => {
  const cut = failing([CUT], undefined);
  const shop = new Workshop({ adopt: async (lease) => (await cut()) ?? lease });
  await shop.untilAsked('complete');
  expect(shop.asked).not.toContain('fail');
  expect(shop.asked.slice(0, 3)).toEqual(['adopt', 'release', 'adopt']);
});

test("An error that is not the store's fails the job", async () => {
  const shop = new Workshop({ complete: failing([new Error('a bug')], true) });
  await shop.untilAsked('fail');
  expect(shop.asked).toEqual(['adopt', 'generate', 'complete', 'fail']);
  expect(shop.errors).toEqual([new Error('a bug')]);
});

test('A worker whose lease is lost while the store is in trouble leaves the job to others', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const shop = new Workshop({
    complete: async () => await Promise.reject(CUT),
    renew: async () => false,
    release: async () => true,
  });
  await shop.untilAsked('complete');
  vi.advanceTimersToNextTimer();
  await shop.untilAsked('release');
  expect(shop.asked).not.toContain('fail');
});

test.each(['fail', 'adopt', 'release'] as const)(
  'A worker says so when the store cannot %s, and continues',
  async (broken) => {
    const shop = new Workshop({
      complete: failing(broken === 'fail' ? [new Error('a bug')] : [], true),
      adopt: broken === 'release' ? async () => await Promise.reject(CUT) : async (lease) => lease,
      [broken]: async () => await Promise.reject(FULL),
    });
    await shop.untilAsked(broken);
    await shop.pool.stop(1_000);
    expect(shop.errors).toContain(FULL);
  },
);

test('A lease is renewed early enough for another try before it ends', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const ended = Promise.withResolvers<boolean>();
  let renewals = 0;
  const shop = new Workshop({
    complete: async () => await ended.promise,
    renew: async () => {
      renewals++;
      return true;
    },
  });
  onTestFinished(() => ended.resolve(true));
  await shop.untilAsked('complete');
  vi.advanceTimersByTime(QUEUE_TIMES.lease - 1);
  expect(renewals).toBeGreaterThanOrEqual(2);
});

test('A failed renewal of a lease is reported, and its job continues', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const ended = Promise.withResolvers<boolean>();
  const shop = new Workshop({
    complete: async () => await ended.promise,
    renew: async () => await Promise.reject(CUT),
  });
  onTestFinished(() => ended.resolve(true));
  await shop.untilAsked('complete');
  vi.advanceTimersToNextTimer();
  await poll(
    () => shop.errors,
    (errors) => errors.includes(CUT),
    60_000,
  );
  ended.resolve(true);
  await shop.pool.stop(1_000);
  expect(shop.asked).toEqual(['adopt', 'generate', 'complete']);
});

test('A pool that is stopped does not wait for the store', async () => {
  const shop = new Workshop({
    complete: async () => await Promise.reject(CUT),
    release: async () => await Promise.reject(CUT),
  });
  await shop.untilAsked('complete');
  await shop.pool.stop(10 * 60_000);
  expect(shop.errors).toContain(CUT);
});
