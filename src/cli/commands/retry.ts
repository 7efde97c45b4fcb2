import type { Command } from 'commander';
import type { JobState, SkinClient } from '../../index.ts';
import { connectWithProgress } from '../connection/connect-with-progress.ts';
import { whereOffered } from '../connection/where-offered.ts';
import type { CommandContext } from '../context/context.ts';
import type { Runner } from '../context/runner.ts';
import { concernsOneSource } from '../errors/concerns-one-source.ts';
import { reportOf } from '../errors/error-report.ts';
import { exitStatus } from '../errors/exit.ts';
import { namingOf } from '../errors/service-hints.ts';
import type { Examples } from '../help/examples.ts';
import { nonEmptyWords } from '../options/option-values.ts';
import type { CommandOutput } from '../output/described.ts';
import { JobPrinter } from '../output/job-printer.ts';
import { JOB_OUTPUT, RESULT_OUTPUT } from '../output/view-output.ts';
import { jobView } from '../output/views.ts';
import { printFailure } from '../terminal/source-failure.ts';
import { runStatus } from './status.ts';

export interface RetryOptions {
  readonly jobs: readonly string[];
  readonly wait?: boolean;
}

export const examples: Examples = [
  ['Submit a failed job again and wait for its skin', 'skinsmith retry JOB --wait'],
  [
    'Submit all failed jobs again',
    'skinsmith jobs --status failed --all | cut -f1 | xargs -r skinsmith retry',
  ],
];

export const output: readonly CommandOutput[] = [JOB_OUTPUT, { mode: '--wait', ...RESULT_OUTPUT }];

export function register(command: Command, runner: Runner, run = runRetry): void {
  command
    .description(
      'Submit failed jobs again, as new jobs of the same pictures and options.\n' +
        'Prints the new jobs. What the service has made in the meantime is found at once and costs nothing.',
    )
    .argument('<job...>', 'IDs of failed jobs, as printed by jobs --status failed', nonEmptyWords)
    .option('--wait', 'wait for the new jobs and print the skins')
    .action(
      async (jobs: string[], typed: Omit<RetryOptions, 'jobs'>) =>
        await runner(async (context) => await run({ ...typed, jobs }, context)),
    );
}

export async function runRetry(
  { jobs, wait = false }: RetryOptions,
  context: CommandContext,
): Promise<number> {
  const { json = false } = context.flags;
  const printer = new JobPrinter(context.io, { json, ndjson: false, isList: jobs.length > 1 });
  const { client } = await connectWithProgress(await context.settings(), context);
  const submitted: string[] = [];
  try {
    for (const id of jobs) {
      const state = await retryOne(id, client, context);
      if (!state) continue;
      submitted.push(state.job.id);
      const view = jobView(state.job, (await sourceOf(id, state, context)) ?? state.job.source);
      if (!wait) await printer.add(view); // otherwise the skins are printed instead
    }
  } finally {
    if (!wait) printer.end();
  }
  const status = wait && submitted.length > 0 ? await runStatus({ jobs: submitted, wait }, context) : 0;
  return submitted.length === jobs.length ? status : exitStatus('failed');
}

/** The source of the failed job as it was typed on this machine, which is noted for the new one. */
async function sourceOf(
  id: string,
  { job }: JobState,
  { jobSources }: CommandContext,
): Promise<string | undefined> {
  const source = (await jobSources.sources()).get(id);
  if (source !== undefined) jobSources.record([{ job: job.id, source }]);
  return source;
}

/** A job that cannot be tried again does not stop the others. */
async function retryOne(
  id: string,
  client: SkinClient,
  context: CommandContext,
): Promise<JobState | undefined> {
  try {
    return await whereOffered({ what: 'submitting failed jobs again', about: ['job_not_found'] }, () =>
      client.retryJob(id, { signal: context.signal }),
    );
  } catch (error) {
    const report = reportOf(error, namingOf(context));
    if (!report || report.code === 'not_offered' || !concernsOneSource(error)) throw error;
    await printFailure(id, report, context);
    return undefined;
  }
}
