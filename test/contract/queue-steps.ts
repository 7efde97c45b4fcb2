import { expect } from 'vitest';
import type { JobQueue, Lease, Submission } from '../../src/server/queue/port.ts';
import { LIMITS, newJob } from './jobs.ts';

/** Submits one job after the other; what became of each. */
export async function fill(
  queue: JobQueue,
  owner: string,
  names: readonly string[],
): Promise<Submission['kind'][]> {
  const kinds: Submission['kind'][] = [];
  for (const name of names) kinds.push((await queue.submit(newJob({ owner, request: name }), LIMITS)).kind);
  return kinds;
}

/** The next job, which must be there. */
export async function mustClaim(queue: JobQueue, owner: string): Promise<Lease> {
  const lease = await queue.claim(owner);
  expect(lease).toBeDefined();
  return lease!;
}
