import { inspectSource } from '../../batch/pictures.ts';
import type { JobAnswer, SkinClient, SkinSource } from '../../index.ts';
import { connectWithProgress, whereOffered } from '../connection/connector.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { concernsOneSource, reportOf } from '../errors/error-report.ts';
import { CliError, exitStatus } from '../errors/exit.ts';
import { namingOf } from '../errors/service-hints.ts';
import type { JobSource } from '../history.ts';
import { nonEmptyWords } from '../options/option-values.ts';
import { JOB_OUTPUT, JobPrinter, jobView, RESULT_OUTPUT } from '../output/results.ts';
import { printFailure } from '../terminal/messages.ts';
import { runStatus } from './status.ts';

export interface RetryOptions {
  readonly wait?: boolean;
}

export const retry = {
  description:
    'Submit failed jobs again, as new jobs of the same pictures and options.\n' +
    'Prints the new jobs. A skin that the service has made in the meantime is found at once and costs nothing. ' +
    'At a service that cannot retry jobs, submits the file, URL or player again that this machine sent.',
  examples: [
    ['Submit a failed job again and wait for its skin', 'skinsmith retry JOB --wait'],
    [
      'Submit all failed jobs again',
      'skinsmith jobs --status failed --all | cut -f1 | xargs -r skinsmith retry',
    ],
  ],
  output: [JOB_OUTPUT, { mode: '--wait', ...RESULT_OUTPUT }],
  declare(command) {
    command
      .argument('<job...>', 'IDs of failed jobs, as printed by jobs --status failed', nonEmptyWords)
      .option('--wait', 'wait for the new jobs and print the skins');
  },
  run: runRetry,
} satisfies CommandModule;

export async function runRetry(
  jobs: readonly string[],
  { wait = false }: RetryOptions,
  context: CommandContext,
): Promise<number> {
  const { json = false } = context.flags;
  const printer = new JobPrinter(context.io, { json, ndjson: false, isList: jobs.length > 1 });
  const { client } = await connectWithProgress(await context.settings(), context);
  const retrying = new Retrying(client, context);
  const submitted: string[] = [];
  try {
    for (const id of jobs) {
      const state = await retrying.retry(id);
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
class Retrying {
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
      if (!(error instanceof CliError && error.code === 'not_offered')) return await this.#refused(id, error);
      this.#unable = error;
    }
    try {
      return await this.#again(id, this.#unable);
    } catch (error) {
      return await this.#refused(id, error);
    }
  }

  async #byService(id: string): Promise<JobAnswer> {
    const { signal } = this.#context;
    return await whereOffered({ what: 'retry jobs', about: ['job_not_found'] }, () =>
      this.#client.retryJob(id, { signal }),
    );
  }

  /** Sends what the failed job was made from. @throws CliError */
  async #again(id: string, unable: CliError): Promise<JobAnswer> {
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

  async #refused(id: string, error: unknown): Promise<undefined> {
    const report = reportOf(error, namingOf(this.#context));
    if (!report || !concernsOneSource(error)) throw error;
    await printFailure(id, report, this.#context);
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
