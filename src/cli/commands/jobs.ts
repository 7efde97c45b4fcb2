import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Deps } from '../deps.ts';
import { exitStatus } from '../exit.ts';
import { watchJobs } from '../job-watch.ts';
import { connectTelling } from '../outcomes.ts';
import { JobPrinter, jobTable } from '../output/job-printer.ts';
import { jsonDocument } from '../output/json.ts';
import { jobView } from '../output/views.ts';
import type { Runner } from '../runner.ts';

const STATUSES = ['waiting', 'processing', 'completed', 'failed', 'unknown'] as const;
const DEFAULT_LIMIT = 30;
/** Between looks at the list, where the service does not tell of jobs. */
const WATCH_SECONDS = 3;

export interface JobsOptions {
  readonly status?: string;
  readonly limit?: number;
  readonly watch?: boolean;
}

export function register(command: Command, runner: Runner, run = runJobs): void {
  command
    .description(
      'Lists your jobs, newest first, with the source each came from when this machine submitted it.',
    )
    .addOption(new Option('--status <status>', 'only jobs that stand like this').choices(STATUSES))
    .option('--limit <number>', `how many at the most (default: ${DEFAULT_LIMIT})`, parseLimit)
    .addOption(
      new Option(
        '--watch',
        'show the pending ones, then each as it changes, until interrupted; with --json a line each',
      ).conflicts('limit'),
    )
    .action(async (typed: JobsOptions) => await runner(async (deps) => await run(typed, deps)));
}

export function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

export async function runJobs(options: JobsOptions, deps: Deps): Promise<number> {
  if (options.watch) return await runWatch(options, deps);
  const { status, limit = DEFAULT_LIMIT } = options;
  const { client } = await connectTelling(await deps.settings(), deps);
  const [jobs, sources] = [await client.jobs({ signal: deps.signal }), await deps.submissions.sources()];
  const views = jobs
    .filter((job) => status === undefined || job.status === status)
    .slice(0, limit)
    .map((job) => jobView(job, sources.get(job.id)));
  if (deps.flags.json) deps.io.out.write(jsonDocument(views));
  else if (views.length === 0) await deps.talk.note('No jobs.');
  else deps.io.out.write(jobTable(views, { io: deps.io, now: deps.clock.now() }));
  return exitStatus('done');
}

/** Ends as soon as the output is read no more, or by Ctrl-C. */
async function runWatch({ status }: JobsOptions, deps: Deps): Promise<number> {
  const settings = await deps.settings();
  const { client } = await connectTelling(settings, deps);
  const { io, clock, signal, talk } = deps;
  const printer = new JobPrinter(io, { json: false, ndjson: deps.flags.json ?? false, isList: true });
  await talk.note('Watching your jobs; Ctrl-C ends it.');
  const interval = (settings['poll-interval'] ?? WATCH_SECONDS) * 1000;
  for await (const job of watchJobs({ client, clock, signal, interval })) {
    if (status !== undefined && job.status !== status) continue;
    await printer.add(jobView(job, (await deps.submissions.sources()).get(job.id)));
  }
  return exitStatus('done');
}
