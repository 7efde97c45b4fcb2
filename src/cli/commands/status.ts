import { finishedSkin } from '../../batch/model.ts';
import { isPending, type JobAnswer, JobFailedError, type SkinClient } from '../../index.ts';
import { connectWithProgress } from '../connection/connector.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { reportOf } from '../errors/error-report.ts';
import { exitStatus } from '../errors/exit.ts';
import { namingOf } from '../errors/service-hints.ts';
import { nonEmptyWords, timeoutOption } from '../options/option-values.ts';
import { addFormatOption, type TypedOutputOptions } from '../options/skin-options.ts';
import { openFormats, RESULT_OUTPUT, ResultPrinter, type ResultView, resultView } from '../output/results.ts';
import { printFailure } from '../terminal/messages.ts';
import { span } from '../text/text.ts';

export interface StatusOptions extends TypedOutputOptions {
  readonly wait?: boolean;
}

export const status = {
  description:
    'Show the status of jobs, with the skins of completed ones.\n' +
    'The exit status is 0 if all jobs are completed, 1 if any has failed, and 8 if any is still ' +
    'pending.',
  examples: [
    ['Show the status of a job', 'skinsmith status JOB'],
    ['Wait for a job and print only the signature', 'skinsmith status JOB --wait --format signature'],
  ],
  output: [RESULT_OUTPUT],
  declare(command) {
    command.argument('<job...>', 'job IDs, as printed by queue and jobs', nonEmptyWords);
    addFormatOption(command).option('--wait', 'wait until no job is pending').addOption(timeoutOption());
  },
  run: runStatus,
} satisfies CommandModule;

export async function runStatus(
  jobs: readonly string[],
  options: StatusOptions,
  context: CommandContext,
): Promise<number> {
  const settings = await context.settings({ format: options.format });
  const json = context.flags.json ?? false;
  const isList = jobs.length > 1;
  const printer = new ResultPrinter(context.io, {
    json,
    ndjson: false,
    formats: openFormats(settings.format, options),
    isList,
  });
  const { client } = await connectWithProgress(settings, context);
  const sources = await context.jobSources.sources();
  const results: ResultView[] = [];
  try {
    for (const id of jobs) {
      const result = await lookAt(id, {
        client,
        context,
        wait: options.wait ?? false,
        source: sources.get(id) ?? id,
      });
      results.push(result);
      await printer.add(result);
    }
  } finally {
    printer.end();
  }
  if (results.some((result) => result.error)) return exitStatus('failed');
  return exitStatus(results.every((result) => result.status === 'completed') ? 'done' : 'pending');
}

interface LookOptions {
  readonly client: SkinClient;
  readonly context: CommandContext;
  readonly wait: boolean;
  readonly source: string | undefined;
}

/** Reports a missing skin and the status of its job: the skin of a completed job may have been deleted. */
const GONE: Readonly<Record<string, string>> = { job_not_found: 'unknown', skin_not_found: 'completed' };

/** Returns the status of one job. A job that the service does not know is an outcome too. */
async function lookAt(id: string, { client, context, wait, source }: LookOptions): Promise<ResultView> {
  try {
    let state = await client.job(id, { signal: context.signal });
    if (wait && isPending(state.job.status)) state = await awaitEnd(state, { client, context, source });
    const error = failureOf(state);
    if (error) await context.messages.failure({ ...error, message: `${source ?? id}: ${error.message}` });
    return resultView({
      source,
      job: id,
      skin: state.skin && finishedSkin(state.skin),
      status: state.job.status,
      error,
    });
  } catch (error) {
    const report = reportOf(error, namingOf(context));
    const status = report && GONE[report.code];
    if (!status) throw error;
    await printFailure(id, report, context);
    return resultView({ source, job: id, status, error: report });
  }
}

/** Total pause in milliseconds while a service that has answered is away or wants fewer requests. */
const PATIENCE = { budget: 15 * 60_000, patience: 24 * 60 * 60_000 };

async function awaitEnd(
  state: JobAnswer,
  { client, context, source }: Omit<LookOptions, 'wait'>,
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
