import type { Clock } from '../../base/clock.ts';
import { jobEvents } from '../../dispatch/job-events.ts';
import { isPending, type Job, type SkinClient } from '../../index.ts';

export interface WatchOptions {
  readonly client: Pick<SkinClient, 'queueList' | 'events'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds between polls, for services without job events. */
  readonly interval: number;
}

/**
 * Yields the caller's pending jobs, then each job whose status changes, without end. Uses the service's job events
 * where it has them and polls the list elsewhere.
 */
export async function* watchJobs(options: WatchOptions): AsyncGenerator<Job, void, void> {
  const seen = new Map<string, Job['status']>();
  const first = await options.client.queueList({ signal: options.signal });
  for (const { id, status } of first.jobs) if (!isPending(status)) seen.set(id, status);
  yield* changesIn(first.jobs.toReversed(), seen);
  yield* first.links['events'] === undefined ? lookForChanges(options, seen) : hearChanges(options, seen);
}

async function* lookForChanges(options: WatchOptions, seen: Map<string, Job['status']>): AsyncGenerator<Job> {
  const { clock, interval, signal } = options;
  for (;;) {
    await clock.sleep(interval, signal);
    yield* await lookAtList(options, seen);
  }
}

async function* hearChanges(options: WatchOptions, seen: Map<string, Job['status']>): AsyncGenerator<Job> {
  for await (const event of jobEvents(options)) {
    if (event.type === 'jobs') yield* changesIn(event.jobs.toReversed(), seen);
    else if (event.type === 'job') yield* changesIn([event.state.job], seen);
    // No event reports the jobs that ended meanwhile.
    else if (event.type === 'reopening') yield* await lookAtList(options, seen);
  }
}

/** Forgets jobs that are no longer in the list. */
async function lookAtList(
  { client, signal }: WatchOptions,
  seen: Map<string, Job['status']>,
): Promise<readonly Job[]> {
  const { jobs } = await client.queueList({ signal });
  const changed = changesIn(jobs.toReversed(), seen);
  const listed = new Set(jobs.map(({ id }) => id));
  for (const id of seen.keys()) if (!listed.has(id)) seen.delete(id);
  return changed;
}

function changesIn(jobs: readonly Job[], seen: Map<string, Job['status']>): readonly Job[] {
  const changed = jobs.filter(({ id, status }) => seen.get(id) !== status);
  for (const { id, status } of changed) seen.set(id, status);
  return changed;
}
