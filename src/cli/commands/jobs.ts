import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Deps } from '../deps.ts';
import { exitStatus } from '../exit.ts';
import { connectTelling } from '../outcomes.ts';
import { jobTable } from '../output/job-printer.ts';
import { jsonDocument } from '../output/json.ts';
import { jobView } from '../output/views.ts';
import type { Runner } from '../runner.ts';

const STATUSES = ['waiting', 'processing', 'completed', 'failed', 'unknown'] as const;
const DEFAULT_LIMIT = 30;

export interface JobsOptions {
  readonly status?: string;
  readonly limit?: number;
}

export function register(command: Command, runner: Runner, run = runJobs): void {
  command
    .description(
      'Lists your jobs, newest first, with the source each came from when this machine submitted it.',
    )
    .addOption(new Option('--status <status>', 'only jobs that stand like this').choices(STATUSES))
    .option('--limit <number>', `how many at the most (default: ${DEFAULT_LIMIT})`, parseLimit)
    .action(async (typed: JobsOptions) => await runner(async (deps) => await run(typed, deps)));
}

export function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

export async function runJobs({ status, limit = DEFAULT_LIMIT }: JobsOptions, deps: Deps): Promise<number> {
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
