import { onTestFinished } from 'vitest';
import { type JobListener, JobSignals } from '../../../src/server/events.ts';
import { nameThisNode } from '../../../src/server/queue/leases.ts';
import { type JobReads, jobReads } from '../../../src/server/queue/lists.ts';
import type { Lease } from '../../../src/server/queue/port.ts';
import { JobFeeds, type JobFollower } from '../../../src/server/service/jobs/job-feeds.ts';
import { keepTexture } from '../../../src/server/store/textures.ts';
import { generated, LIMITS, newJob, TEXTURE_HASH } from '../../contract/jobs.ts';
import { ownFolder } from '../server/own-folder.ts';
import { poll } from '../server/poll.ts';
import { openOwnStore } from '../server/running-server.ts';
import { TestQueue } from '../server/test-queue.ts';

/** What feeds read of the queue. */
export type Read = keyof JobReads;

/** Signals that know how many listen. */
export class CountedSignals extends JobSignals {
  listeners = 0;

  override listen(listener: JobListener): () => void {
    const stop = super.listen(listener);
    this.listeners++;
    return () => {
      this.listeners--;
      stop();
    };
  }
}

/** Feeds over a queue in a store of its own, and their reads of it. */
export async function world() {
  const { db } = await openOwnStore(await ownFolder());
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  const store = new TestQueue(db, { self: nameThisNode() });
  const reads: Read[] = [];
  const during: Partial<Record<Read, () => Promise<void>>> = {};
  const errors: unknown[] = [];
  const signals = new CountedSignals();
  const feeds = new JobFeeds({
    reads: spyOn(jobReads(db), reads, during),
    signals,
    onError: (error) => void errors.push(error),
  });
  onTestFinished(async () => await feeds.close());
  return { store, reads, during, errors, signals, feeds, ...tellers(store, signals) };
}

/** The same reads, noted; `during` runs after a read, before its answer is there. */
function spyOn(store: JobReads, reads: Read[], during: Partial<Record<Read, () => Promise<void>>>): JobReads {
  const noted = async <T>(name: Read, answer: Promise<T>): Promise<T> => {
    reads.push(name);
    const result = await answer;
    await during[name]?.();
    return result;
  };
  return {
    list: (...args) => noted('list', store.list(...args)),
    listAfter: (...args) => noted('listAfter', store.listAfter(...args)),
    readEnds: (...args) => noted('readEnds', store.readEnds(...args)),
    newestId: () => noted('newestId', store.newestId()),
    acceptedAfter: (...args) => noted('acceptedAfter', store.acceptedAfter(...args)),
    findEnded: (...args) => noted('findEnded', store.findEnded(...args)),
  };
}

/** Submissions and workers of another process. */
export function elsewhere(store: TestQueue, signals: JobSignals) {
  return {
    submit: async (request: string, owner: string) => {
      await store.submit(newJob({ request, owner }), LIMITS);
      signals.storeChanged();
    },
    complete: async (lease: Lease) => {
      await store.complete(lease, generated());
      signals.storeChanged();
    },
  };
}

/** Submissions and workers of this process. */
function tellers(store: TestQueue, signals: JobSignals) {
  return {
    submit: async (request: string, owner = 'ann') => {
      const job = newJob({ request, owner });
      await store.submit(job, LIMITS);
      signals.accepted(owner);
      return job.uuid;
    },
    complete: async (lease: Lease) => {
      await store.complete(lease, generated());
      signals.finished(lease.job);
    },
  };
}

/** A follower of an owner's jobs, and the events it has received. */
export function follower() {
  const heard: string[] = [];
  const following: JobFollower = {
    pending: (jobs) => void heard.push(`pending ${jobs.map((job) => job.request_key).join(' ')}`),
    job: ({ job, skin }) =>
      void heard.push(`${job.request_key} ${job.status}${skin ? ` ${skin.identity}` : ''}`),
    end: () => void heard.push('end'),
  };
  const hears = async (count: number) =>
    await poll(
      () => heard,
      (all) => all.length >= count,
    );
  return { following, heard, hears };
}
