import { expect } from 'vitest';
import type { Lease, SubmitResult } from '../../src/server/queue/port.ts';
import type { TestQueue } from '../support/server/test-queue.ts';
import { LIMITS, newJob } from './jobs.ts';

/** Submits one job after the other; what became of each. */
export async function fill(
  queue: TestQueue,
  owner: string,
  names: readonly string[],
): Promise<SubmitResult['kind'][]> {
  const kinds: SubmitResult['kind'][] = [];
  for (const name of names) kinds.push((await queue.submit(newJob({ owner, request: name }), LIMITS)).kind);
  return kinds;
}

/** Takes every job that can be taken; their requests, in this order. */
export async function claimAll(queue: TestQueue): Promise<string[]> {
  const claimed: string[] = [];
  for (let lease = await queue.claim('w'); lease; lease = await queue.claim('w'))
    claimed.push(lease.job.request_key);
  return claimed;
}

/** The next job, which must be there. */
export async function mustClaim(queue: TestQueue, owner: string): Promise<Lease> {
  const lease = await queue.claim(owner);
  expect(lease).toBeDefined();
  return lease!;
}
