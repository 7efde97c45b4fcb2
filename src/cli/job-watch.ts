import type { Clock } from '../clock.ts';
import { isPending, type Job, type SkinClient, SkinsmithError } from '../index.ts';

export interface WatchOptions {
  readonly client: Pick<SkinClient, 'queueList' | 'events'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds between looks, where the service does not tell of jobs. */
  readonly interval: number;
}

/** Milliseconds before listening again after the connection broke, doubled while it keeps breaking. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;

/**
 * The caller's pending jobs, then each job whenever it stands differently, without end: told by the service
 * where it does, else looked for in the list.
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
  const { client, clock, signal } = options;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
    try {
      for await (const event of client.events({ signal })) {
        pause = FIRST_PAUSE;
        yield* changesIn(event.type === 'jobs' ? event.jobs.toReversed() : [event.state.job], seen);
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof SkinsmithError)) throw error;
    }
    await clock.sleep(pause, signal);
    yield* await lookAtList(options, seen); // what ended meanwhile is told of nowhere else
  }
}

/** Jobs that the list has forgotten are forgotten here. */
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
