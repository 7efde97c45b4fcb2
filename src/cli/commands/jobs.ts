import { Option } from 'commander';
import type { Clock } from '../../base/clock.ts';
import { finishedSkin } from '../../batch/model.ts';
import { inspectSource } from '../../batch/pictures.ts';
import { JobFailedError } from '../../client/errors.ts';
import type { SkinClient } from '../../client/skin-client.ts';
import type { JobAnswer, SkinSource } from '../../client/types.ts';
import { jobEvents } from '../../dispatch/watcher.ts';
import { isPending, type Job } from '../../protocol/job.ts';
import type { Connection } from '../connection/connect.ts';
import { type CommandContext, type CommandModule, connectWithProgress } from '../context/context.ts';
import { reportOf, sourceReportOf } from '../errors/error-report.ts';
import { CLOSED_PIPE, CliError, exitStatus, isInterruption } from '../errors/exit.ts';
import type { JobSource } from '../history.ts';
import { whereOffered } from '../nouns.ts';
import {
  addLimitOptions,
  limitOf,
  nonEmptyWords,
  type TypedLimit,
  timeoutOption,
  truncationNote,
} from '../options/option-values.ts';
import { addFormatOption, type TypedOutputOptions } from '../options/skin-options.ts';
import { printRows } from '../output/described.ts';
import {
  isFinished,
  JOB_COLUMNS,
  JOB_FIELDS,
  JOB_OUTPUT,
  JOB_TABLE,
  JobPrinter,
  jobView,
  openFormats,
  RESULT_OUTPUT,
  ResultPrinter,
  type ResultView,
  resultView,
  sayWhereToPaste,
} from '../output/results.ts';
import { type PackSkins, packNamed } from '../pack/pack-skins.ts';
import { textureOf } from '../preview.ts';
import { printFailure } from '../terminal/messages.ts';
import { count, span } from '../text/text.ts';

/** The job statuses that a service can filter by. */
const STATUSES_OF_SERVICES = ['waiting', 'processing', 'completed', 'failed'] as const;
const STATUSES = [...STATUSES_OF_SERVICES, 'unknown'] as const;
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
  examples: {
    'List your last ten jobs': 'skinsmith jobs --limit 10',
    'Print all failed jobs as JSON': 'skinsmith jobs --status failed --all --json',
  },
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
          'show unfinished jobs and then every change until interrupted; with --json, one line per change',
        ).conflicts(['limit', 'all']),
      )
      .addOption(timeoutOption());
  },
  run: runJobs,
} satisfies CommandModule;

export async function runJobs(options: JobsOptions, context: CommandContext): Promise<void> {
  if (options.watch) return await runWatch(options, context);
  const { status } = options;
  const { client } = await connectWithProgress(await context.settings(), context);
  const { jobs, more } = await readJobs(client, { status, limit: limitOf(options, LISTING) }, context.signal);
  const sources = await context.jobSources.sources();
  const views = jobs.map((job) => jobView(job, sources.get(job.id) ?? job.source));
  await printRows(views, JOB_TABLE, context, 'No jobs.');
  if (more) context.messages.say(truncationNote(jobs.length, LISTING, totalText(more)));
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
async function runWatch({ status }: JobsOptions, context: CommandContext): Promise<void> {
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
    yield* await readList(options, seen);
  }
}

async function* hearChanges(options: WatchOptions, seen: Map<string, Job['status']>): AsyncGenerator<Job> {
  for await (const event of jobEvents(options)) {
    if (event.type === 'jobs') yield* changesIn(event.jobs.toReversed(), seen);
    else if (event.type === 'job') yield* changesIn([event.state.job], seen);
    // No event reports the jobs that ended meanwhile.
    else if (event.type === 'reopening') yield* await readList(options, seen);
  }
}

/** Forgets jobs that are no longer in the list. */
async function readList(
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

export const status = {
  description:
    'Show the status of jobs, with the skins of completed ones.\n' +
    'The exit status is 0 if all jobs are completed, 1 if any has failed, and 8 if any is not ' +
    'finished yet.',
  examples: {
    'Show the status of a job': 'skinsmith status JOB',
    'Wait for a job and print only the signature': 'skinsmith status JOB --wait --format signature',
  },
  output: [RESULT_OUTPUT],
  declare(command) {
    command.argument('<job...>', 'job IDs, as printed by queue and jobs', nonEmptyWords);
    addFormatOption(command).option('--wait', 'wait until all jobs are finished').addOption(timeoutOption());
  },
  run: runStatus,
} satisfies CommandModule;

async function runStatus(
  jobs: readonly string[],
  options: TypedOutputOptions & { readonly wait?: boolean },
  context: CommandContext,
): Promise<number> {
  const settings = await context.settings({ format: options.format });
  const json = context.flags.json ?? false;
  const isList = jobs.length > 1;
  const pack = await packNamed(options, context.messages);
  const formats = openFormats(settings.format, { pack });
  const printer = new ResultPrinter(context.io, { json, ndjson: false, formats, isList });
  const connection = await connectWithProgress(settings, context);
  const sources = await context.jobSources.sources();
  const results: ResultView[] = [];
  try {
    for (const id of jobs) {
      const result = await readResult(id, {
        connection,
        context,
        wait: options.wait ?? false,
        source: sources.get(id) ?? id,
        pack,
      });
      results.push(result);
      await printer.add(result);
    }
  } finally {
    printer.end();
  }
  const [skin] = results;
  if (skin && !isList && isFinished(skin)) sayWhereToPaste(formats, { skin }, context);
  if (results.some((result) => result.error)) return exitStatus('failed');
  return exitStatus(results.every((result) => result.status === 'completed') ? 'done' : 'pending');
}

interface LookOptions {
  readonly connection: Connection;
  readonly context: CommandContext;
  readonly wait: boolean;
  readonly source: string | undefined;
  readonly pack: PackSkins | undefined;
}

/** Reports a missing skin and the status of its job: the skin of a completed job may have been deleted. */
const STATUS_OF_MISSING: Readonly<Record<string, string>> = {
  job_not_found: 'unknown',
  skin_not_found: 'completed',
};

/** Returns the status of one job. A job that the service does not know is an outcome too. */
async function readResult(
  id: string,
  { connection, context, wait, source, pack }: LookOptions,
): Promise<ResultView> {
  const { client } = connection;
  try {
    let state = await client.job(id, { signal: context.signal });
    if (wait && isPending(state.job.status)) state = await awaitEnd(state, { client, context, source });
    const skin = state.skin && finishedSkin(state.skin);
    const texture = async () => await textureOf(skin!, connection, context.signal);
    const error = failureOf(state) ?? (skin && (await pack?.problemOf(skin, texture)));
    if (error) await context.messages.failure({ ...error, message: `${source ?? id}: ${error.message}` });
    return resultView({
      source,
      job: id,
      skin: error ? undefined : skin,
      status: state.job.status,
      error,
    });
  } catch (error) {
    const report = reportOf(error, context);
    const status = report && STATUS_OF_MISSING[report.code];
    if (!status) throw error;
    await printFailure(id, report, context);
    return resultView({ source, job: id, status, error: report });
  }
}

/** Total pause in milliseconds while a service that has answered is away or wants fewer requests. */
const PATIENCE = { budget: 15 * 60_000, patience: 24 * 60 * 60_000 };

async function awaitEnd(
  state: JobAnswer,
  { client, context, source }: Pick<LookOptions, 'context' | 'source'> & { readonly client: SkinClient },
): Promise<JobAnswer> {
  const { clock, signal, messages } = context;
  const progress = await messages.progress(waitingText(state, source, clock.now()));
  try {
    const { skin } = await client.waitForJob(state.job, { signal, retry: PATIENCE });
    return { ...state, job: { ...state.job, status: 'completed' }, skin };
  } catch (error) {
    if (!(error instanceof JobFailedError)) throw error;
    const { code, message } = error;
    return { ...state, job: { ...state.job, status: 'failed' }, errors: [{ code, message }] };
  } finally {
    progress.stop();
  }
}

function failureOf({ job, errors }: JobAnswer): { code: string; message: string } | undefined {
  if (job.status !== 'failed') return undefined;
  return errors[0] ?? { code: 'job_failed', message: 'The job failed.' };
}

function waitingText({ job }: JobAnswer, source: string | undefined, now: number): string {
  const due =
    job.eta === undefined || job.eta <= now ? '' : `, due in about ${span((job.eta - now) / 1_000)}`;
  return `Waiting for ${source ?? job.id}${due}; Ctrl-C is safe, the job continues`;
}

export const retry = {
  description:
    'Retry failed jobs with the same pictures and options, as new jobs.\n' +
    'Prints the new jobs. A skin that the service has made in the meantime is found at once and costs nothing. ' +
    'If the service cannot retry jobs, skinsmith sends the original file, URL or player again.',
  examples: {
    'Submit a failed job again and wait for its skin': 'skinsmith retry JOB --wait',
    'Submit all failed jobs again':
      'skinsmith jobs --status failed --all | cut -f1 | xargs -r skinsmith retry',
  },
  output: [JOB_OUTPUT, { mode: '--wait', ...RESULT_OUTPUT }],
  declare: (command) =>
    command
      .argument('<job...>', 'IDs of failed jobs, as printed by jobs --status failed', nonEmptyWords)
      .option('--wait', 'wait for the new jobs and print the skins'),
  run: runRetry,
} satisfies CommandModule;

export async function runRetry(
  jobs: readonly string[],
  { wait = false }: { readonly wait?: boolean },
  context: CommandContext,
): Promise<number> {
  const { json = false } = context.flags;
  const printer = new JobPrinter(context.io, { json, ndjson: false, isList: jobs.length > 1 });
  const { client } = await connectWithProgress(await context.settings(), context);
  const retrier = new JobRetrier(client, context);
  const submitted: string[] = [];
  try {
    for (const id of jobs) {
      const state = await retrier.retry(id);
      if (!state) continue;
      submitted.push(state.job.id);
      const view = jobView(state.job, (await sourceOf(id, state, context)) ?? state.job.source);
      if (!wait) await printer.add(view); // otherwise the skins are printed instead
    }
  } finally {
    if (!wait) printer.end();
  }
  const status = wait && submitted.length > 0 ? await runStatus(submitted, { wait }, context) : 0;
  return submitted.length === jobs.length ? status : exitStatus('failed');
}

/** The source of the failed job as it was typed on this machine, which is noted for the new one. */
async function sourceOf(
  id: string,
  { job }: JobAnswer,
  { jobSources }: CommandContext,
): Promise<string | undefined> {
  const known = await jobSources.of(id);
  if (known) jobSources.record([{ ...known, job: job.id }]);
  return known?.source;
}

/** Submits failed jobs again: by the service or, where it cannot do that, from what this machine sent for them. */
class JobRetrier {
  readonly #client: SkinClient;
  readonly #context: CommandContext;
  #unable: CliError | undefined;

  constructor(client: SkinClient, context: CommandContext) {
    this.#client = client;
    this.#context = context;
  }

  /** Undefined: it cannot be tried again, which does not stop the others. */
  async retry(id: string): Promise<JobAnswer | undefined> {
    try {
      if (!this.#unable) return await this.#byService(id);
    } catch (error) {
      if (!(error instanceof CliError && error.code === 'not_offered'))
        return await this.#printRefusal(id, error);
      this.#unable = error;
    }
    try {
      return await this.#resubmit(id, this.#unable);
    } catch (error) {
      return await this.#printRefusal(id, error);
    }
  }

  async #byService(id: string): Promise<JobAnswer> {
    const { signal } = this.#context;
    return await whereOffered({ what: 'retry jobs', about: ['job_not_found'] }, () =>
      this.#client.retryJob(id, { signal }),
    );
  }

  /** Sends what the failed job was made from. @throws CliError */
  async #resubmit(id: string, unable: CliError): Promise<JobAnswer> {
    const { signal, jobSources, messages } = this.#context;
    const known = await jobSources.of(id);
    if (!known?.sent) {
      const hint = 'The job was not submitted from a file or URL on this machine. Submit its picture again.';
      throw new CliError(unable.code, unable.message, { hint });
    }
    const { job } = await this.#client.job(id, { signal });
    if (job.status !== 'failed')
      throw new CliError('job_not_failed', `Only failed jobs can be retried; this one is ${job.status}.`);
    const source = sourceToSend(known);
    await messages.note(`${unable.message} Submitting ${known.source} again.`);
    return await this.#client.queue(source, known.sent.options, { signal });
  }

  async #printRefusal(id: string, error: unknown): Promise<undefined> {
    await printFailure(id, sourceReportOf(error, this.#context), this.#context);
  }
}

/** @throws CliError if the file cannot be sent any more */
function sourceToSend({ source, sent }: JobSource): SkinSource {
  const { content, options } = sent!;
  if (content.kind === 'url') return { url: content.url };
  if (content.kind === 'user') return { user: content.user };
  const variant = options.variant === 'unknown' ? 'auto' : (options.variant ?? 'auto');
  const inspected = inspectSource(content, variant, undefined, source);
  if ('problem' in inspected) {
    const { code, message, hint } = inspected.problem;
    throw new CliError(code, message, { hint });
  }
  return { file: inspected.bytes!, fileName: `${options.name ?? 'skin'}.png` };
}
