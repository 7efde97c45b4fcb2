import { Option } from 'commander';
import type { Clock } from '../../base/clock.ts';
import { jobEvents } from '../../dispatch/job-tracker.ts';
import { isPending, type Job, type SkinClient } from '../../index.ts';
import { connectWithProgress } from '../connection/connector.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { CLOSED_PIPE, exitStatus, isInterruption } from '../errors/exit.ts';
import {
  addLimitOptions,
  limitOf,
  type TypedLimit,
  timeoutOption,
  truncationNote,
} from '../options/option-values.ts';
import { printRows } from '../output/described.ts';
import { JOB_COLUMNS, JOB_FIELDS, JOB_TABLE, JobPrinter, jobView } from '../output/results.ts';
import { count } from '../text/text.ts';

/** The job statuses that a service can filter by. */
const STATUSES_OF_SERVICES = ['waiting', 'processing', 'completed', 'failed'] as const;
const STATUSES = [...STATUSES_OF_SERVICES, 'unknown'] as const;
/** Number of jobs per request. */
const MAX_PAGE = 500;
const LISTING = { what: 'jobs', usual: 30, all: 'list all jobs that the service remembers' };
/** Milliseconds between polls of the list, for services without job events. */
const WATCH_SECONDS = 3;

export interface JobsOptions extends TypedLimit {
  readonly status?: string;
  readonly watch?: boolean;
}

export const jobs = {
  description:
    'List your jobs, newest first.\n' +
    'Jobs submitted from this machine show the source as you typed it; others, as the service knows it.',
  examples: [
    ['List your last ten jobs', 'skinsmith jobs --limit 10'],
    ['Print all failed jobs as JSON', 'skinsmith jobs --status failed --all --json'],
  ],
  output: [
    { columns: JOB_COLUMNS, json: { shape: 'list', fields: JOB_FIELDS } },
    { mode: '--watch', columns: JOB_COLUMNS, json: { shape: 'lines', fields: JOB_FIELDS } },
  ],
  declare(command) {
    command.addOption(new Option('--status <status>', 'show only jobs with this status').choices(STATUSES));
    addLimitOptions(command, LISTING)
      .addOption(
        new Option(
          '--watch',
          'show pending jobs and then every change until interrupted; with --json, one line per change',
        ).conflicts(['limit', 'all']),
      )
      .addOption(timeoutOption());
  },
  run: runJobs,
} satisfies CommandModule;

export async function runJobs(options: JobsOptions, context: CommandContext): Promise<number> {
  if (options.watch) return await runWatch(options, context);
  const { status } = options;
  const { client } = await connectWithProgress(await context.settings(), context);
  const { jobs, more } = await readJobs(client, { status, limit: limitOf(options, LISTING) }, context.signal);
  const sources = await context.jobSources.sources();
  const views = jobs.map((job) => jobView(job, sources.get(job.id) ?? job.source));
  await printRows(views, JOB_TABLE, context, 'No jobs.');
  if (more) context.messages.say(truncationNote(jobs.length, LISTING, totalText(more)));
  return exitStatus('done');
}

function totalText({ total, isAll }: More): string {
  return isAll ? count(total) : `more than ${count(total)}`;
}

/** There are more jobs than were wanted: their number, and whether that is all or only those seen. */
interface More {
  readonly total: number;
  readonly isAll: boolean;
}

/** The newest jobs with that status, at most `limit`. Counts the others on the page that has the last of them. */
async function readJobs(
  client: SkinClient,
  { status, limit }: { status: string | undefined; limit: number },
  signal: AbortSignal,
): Promise<{ jobs: Job[]; more?: More }> {
  const jobs = new Map<string, Job>();
  let seen = -1; // a service without pages may ignore the cursor
  const asked = STATUSES_OF_SERVICES.find((known) => known === status);
  let wanted: Job[];
  let after: string | undefined;
  do {
    const page = await client.jobPage({ size: MAX_PAGE, status: asked, after }, { signal });
    for (const job of page.jobs) jobs.set(job.id, job);
    after = jobs.size > seen ? page.next : undefined;
    seen = jobs.size;
    wanted = [...jobs.values()].filter((job) => status === undefined || job.status === status);
  } while (after !== undefined && wanted.length <= limit);
  if (wanted.length <= limit) return { jobs: wanted };
  return { jobs: wanted.slice(0, limit), more: { total: wanted.length, isAll: after === undefined } };
}

/** Ends when the reader closes the output, or on Ctrl-C. */
async function runWatch({ status }: JobsOptions, context: CommandContext): Promise<number> {
  const settings = await context.settings();
  const { client } = await connectWithProgress(settings, context);
  const { io, clock, signal, messages } = context;
  const printer = new JobPrinter(io, { json: false, ndjson: context.flags.json ?? false, isList: true });
  await messages.note('Watching your jobs; press Ctrl-C to stop.');
  const interval = (settings['poll-interval'] ?? WATCH_SECONDS) * 1000;
  try {
    for await (const job of watchJobs({ client, clock, signal, interval })) {
      if (status !== undefined && job.status !== status) continue;
      await printer.add(jobView(job, (await context.jobSources.sources()).get(job.id) ?? job.source));
    }
  } catch (error) {
    if (!isInterruption(error) || signal.reason === CLOSED_PIPE) throw error; // Ctrl-C is the normal way to end it
  }
  return exitStatus('done');
}

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
