import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../../../src/base/clock.ts';
import { JobSignals } from '../../../../src/server/events.ts';
import type { Generator, Texture } from '../../../../src/server/generators/port.ts';
import { nameThisNode } from '../../../../src/server/queue/leases.ts';
import type { Lease } from '../../../../src/server/queue/port.ts';
import { WorkerPool, type WorkerPoolOptions } from '../../../../src/server/workers/worker-pool.ts';
import { poll } from '../../../support/server/poll.ts';
import type { TestQueue } from '../../../support/server/test-queue.ts';

/** Four workers whose jobs take as long as the test says. */
class Workshop {
  /** The jobs whose ends were recorded, in order. */
  readonly recorded: string[] = [];
  #now = 0;
  readonly #waiting: string[] = [];
  readonly #made = new Map<string, () => void>();

  constructor(options: Pick<WorkerPoolOptions, 'gathersEnds'>) {
    const clock: Clock = {
      now: () => this.#now,
      monotonic: () => this.#now,
      sleep: async () => await new Promise(setImmediate),
    };
    const pool = new WorkerPool({
      ...options,
      count: 4,
      db: {} as never,
      queue: this.#queue() as TestQueue,
      generator: this.#generator() as Generator,
      signals: new JobSignals(),
      events: new EventEmitter(),
      clock,
      self: nameThisNode(),
      onError: (error) => {
        throw error;
      },
    });
    pool.start();
    onTestFinished(async () => {
      this.#waiting.splice(0);
      for (const end of this.#made.values()) end();
      await pool.stop(1_000);
    });
  }

  async begin(...jobs: readonly string[]): Promise<void> {
    this.#waiting.push(...jobs);
    await poll(
      () => jobs.every((job) => this.#made.has(job)),
      (areBegun) => areBegun,
    );
  }

  /** A job's skin data is there, so many milliseconds after the last thing that happened. */
  async end(job: string, milliseconds = 0): Promise<void> {
    this.#now += milliseconds;
    this.#made.get(job)?.();
    for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate);
  }

  #queue(): Partial<TestQueue> {
    return {
      claim: async (owner) => {
        const uuid = this.#waiting.shift();
        return uuid === undefined ? undefined : ({ owner, job: jobOf(uuid), hasData: false } as Lease);
      },
      nextRunAt: async () => undefined,
      adopt: async (lease) => lease,
      complete: async ({ job }) => this.recorded.push(job.uuid) > 0,
    };
  }

  #generator(): Partial<Generator> {
    return {
      signer: async () => 'it',
      generate: async ({ identity }: Texture) => {
        await new Promise<void>((resolve) => this.#made.set(identity, resolve));
        return { value: '', signature: '', url: '', account: '' };
      },
    };
  }
}

function jobOf(uuid: string): Lease['job'] {
  return { uuid, identity: uuid, cape_hash: null } as Lease['job'];
}

async function workshop(
  options: Pick<WorkerPoolOptions, 'gathersEnds'>,
  milliseconds: number,
): Promise<Workshop> {
  const shop = new Workshop(options);
  await shop.begin('first'); // the pool learns from it how long a job takes
  await shop.end('first', milliseconds);
  await shop.begin('a', 'b', 'c', 'd');
  return shop;
}

test('Ends of short jobs are recorded together if the pool gathers them', async () => {
  const shop = await workshop({ gathersEnds: true }, 20);
  await shop.end('c');
  expect(shop.recorded).toEqual(['first']);
  await shop.end('a');
  expect(shop.recorded).toEqual(['first', 'c', 'a']);
});

test.each([
  ['a pool that gathers none', {}, 20],
  ['jobs that take long', { gathersEnds: true }, 100],
])('The end of a job waits for no other: %s', async (_, options, milliseconds) => {
  const shop = await workshop(options, milliseconds);
  await shop.end('c');
  expect(shop.recorded).toEqual(['first', 'c']);
});
