import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/base/clock.ts';
import { type OpenJob, Slots, type Submission } from '../../../src/dispatch/limits.ts';
import { SharedQueue, type SharedQueueOptions } from '../../../src/dispatch/shared-queue.ts';
import { MovableClock } from '../server/movable-clock.ts';
import { ownFolder } from '../server/own-folder.ts';

/** A machine on which processes of one caller share its queue; their messages are collected. */
export async function machine() {
  return await machineWith(new MovableClock());
}

export async function machineWith<C extends Clock>(clock: C) {
  const folder = join(await ownFolder(), 'shares');
  const broken: string[] = [];
  const orphans: string[] = [];
  /** One more process. */
  const open = async (slots = new Slots<Submission>(), ports: Partial<SharedQueueOptions> = {}) => {
    const queue = await SharedQueue.open(folder, {
      clock,
      slots,
      typical: () => undefined,
      isOwnJob: () => false,
      onOrphans: (jobs) => orphans.push(...jobs),
      onBroken: (why) => broken.push(why),
      ...ports,
    });
    onTestFinished(() => queue.close());
    return queue;
  };
  return { folder, file: join(folder, 'queue-2.db'), clock, broken, orphans, open };
}

/** A job that was accepted then, by the monotonic clock. */
export function openJob(id: string, acceptedAt = 0): OpenJob<Submission> {
  const work = { key: id } as Submission;
  return { id, work, timestamp: 0, isTimed: true, acceptedAt, eta: undefined };
}
