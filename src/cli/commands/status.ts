import type { Command } from 'commander';
import { finishedSkin } from '../../batch/finished-skin.ts';
import { isPending, JobFailedError, type JobState, type SkinClient } from '../../index.ts';
import type { Deps } from '../deps.ts';
import { exitStatus } from '../exit.ts';
import { connectTelling } from '../outcomes.ts';
import { ResultPrinter } from '../output/result-printer.ts';
import { type ResultView, resultView } from '../output/views.ts';
import type { Runner } from '../runner.ts';
import { tellable } from '../told-error.ts';
import { addFormatOption, type TypedOutputOptions } from './skin-options.ts';

export interface StatusOptions extends TypedOutputOptions {
  readonly jobs: readonly string[];
  readonly wait?: boolean;
}

export function register(command: Command, runner: Runner, run = runStatus): void {
  command
    .description(
      'Says where jobs stand, with the skins of those that are completed. ' +
        'Exit status 0: all completed, 1: any failed, 8: any still pending.',
    )
    .argument('<job...>', 'job ids, as queue and jobs print them');
  addFormatOption(command)
    .option('--wait', 'wait until none is pending')
    .action(
      async (jobs: string[], typed: Omit<StatusOptions, 'jobs'>) =>
        await runner(async (deps) => await run({ ...typed, jobs }, deps)),
    );
}

export async function runStatus(options: StatusOptions, deps: Deps): Promise<number> {
  const settings = await deps.settings({ format: options.format });
  const json = deps.flags.json ?? false;
  const isList = options.jobs.length > 1;
  const printer = new ResultPrinter(deps.io, { json, ndjson: false, formats: settings.format, isList });
  const { client } = await connectTelling(settings, deps);
  const sources = await deps.submissions.sources();
  const results: ResultView[] = [];
  try {
    for (const id of options.jobs) {
      const result = await lookAt(id, {
        client,
        deps,
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
  readonly deps: Deps;
  readonly wait: boolean;
  readonly source: string | undefined;
}

/** What is gone, and how its job stands: the skin of a completed job may have been deleted since. */
const GONE: Readonly<Record<string, string>> = { job_not_found: 'unknown', skin_not_found: 'completed' };

/** Where one job stands. One that the service does not know is an outcome as well. */
async function lookAt(id: string, { client, deps, wait, source }: LookOptions): Promise<ResultView> {
  try {
    let state = await client.job(id, { signal: deps.signal });
    if (wait && isPending(state.job.status)) state = await awaitEnd(state, { client, deps, source });
    const error = failureOf(state);
    if (error) await deps.talk.failure({ ...error, message: `${source ?? id}: ${error.message}` });
    return resultView({
      source,
      job: id,
      skin: state.skin && finishedSkin(state.skin),
      status: state.job.status,
      error,
    });
  } catch (error) {
    const told = tellable(error);
    const status = told && GONE[told.code];
    if (!status) throw error;
    await deps.talk.failure({ ...told, message: `${id}: ${told.message}` });
    return resultView({ source, job: id, status, error: told });
  }
}

async function awaitEnd(
  state: JobState,
  { client, deps, source }: Omit<LookOptions, 'wait'>,
): Promise<JobState> {
  const progress = await deps.talk.progress(`Waiting for ${source ?? state.job.id}`);
  try {
    const { skin } = await client.waitForJob(state.job, { signal: deps.signal });
    return { ...state, skin, job: { ...state.job, status: 'completed' } };
  } catch (error) {
    if (!(error instanceof JobFailedError)) throw error;
    return { ...state, job: { ...state.job, status: 'failed' }, errors: [error] };
  } finally {
    progress.stop();
  }
}

function failureOf({ job, errors }: JobState): { code: string; message: string } | undefined {
  if (job.status !== 'failed') return undefined;
  return errors[0] ?? { code: 'job_failed', message: 'The job failed.' };
}
