import { join } from 'node:path';
import type { BatchEvent, BatchSummary } from '../../batch/api/events.ts';
import type { BatchResult } from '../../batch/model/result.ts';
import { runBatch } from '../../batch/run/run-batch.ts';
import { JobPrinter } from '../output/job-printer.ts';
import { type ResultPictures, ResultPrinter } from '../output/result-printer.ts';
import { batchResultView, jobView } from '../output/views.ts';
import { printFailure } from '../terminal/source-failure.ts';
import { printWarnings } from '../terminal/warnings.ts';
import type { BatchCall } from './call.ts';
import { type Output, openOutput } from './output.ts';
import { BatchProgress, LIST_PROGRESS, type ProgressText } from './progress.ts';
import { Reports } from './reports.ts';
import { verifyRequiredSigner } from './signers.ts';
import { sourcesOf } from './sources.ts';
import { printPlan, printSummary } from './summary.ts';

/** The differences in output between one source and many. */
export interface Presentation {
  /** Where results are written in addition to stdout. */
  readonly openOutput: (call: BatchCall) => Output;
  readonly progress: ProgressText;
  /** Prints the summary and returns the exit status. */
  readonly printSummary: (summary: BatchSummary, call: BatchCall) => Promise<number>;
  /** Images shown beside results on a terminal. */
  readonly pictures?: ResultPictures;
  /** Called when the service has created a job for a source. */
  readonly accepted?: (job: string) => void;
}

const MANY: Presentation = { openOutput, progress: LIST_PROGRESS, printSummary };

/** Processes the sources: prints results (or jobs, when it does not follow them) on stdout and the rest on stderr. */
export async function runBatchCommand(call: BatchCall, presentation = MANY): Promise<number> {
  const { context, settings, typed, follow } = call;
  const started = new Date(context.clock.now());
  const service = await context.service(settings);
  const reports = await Reports.open(typed.report ?? [], { service: service.name, started });
  const progress = new BatchProgress(context, presentation.progress);
  const shown = new Shown(call, progress, presentation);
  try {
    const output = presentation.openOutput(call);
    const game = await context.game();
    const summary = await runBatch({
      sources: sourcesOf(call),
      service,
      game,
      ownKey: await context.ownKey(),
      stateDir: join(context.folders.data, 'batches'),
      lockfile: output.lockfile,
      purpose: call.purpose,
      variant: settings.variant,
      visibility: settings.visibility,
      cape: call.cape,
      force: typed.force,
      signal: context.signal,
      slots: settings.slots,
      pollInterval: settings['poll-interval'] && settings['poll-interval'] * 1_000,
      retries: typed.retries,
      maxNew: typed.maxNew,
      prune: typed.prune,
      verify: typed.verify,
      keepSignatures: typed.keepSignatures,
      acceptUnproven: typed.acceptUnproven,
      follow,
      deliver: async (result) => {
        await verifyRequiredSigner(result, typed.requireSigner, game.keys);
        await output.deliver(result);
        await reports.add(result);
      },
      onProgress: (read) => void progress.start(read),
      onEvent: (event) => shown.event(event),
    });
    await shown.settled();
    progress.stop();
    output.save();
    shown.end();
    await reports.finish(summary);
    return await presentation.printSummary(summary, call);
  } finally {
    progress.stop();
    await reports.abandon();
  }
}

/** Writes the output of a running batch, on stdout and stderr. */
class Shown {
  readonly #call: BatchCall;
  readonly #progress: BatchProgress;
  readonly #presentation: Presentation;
  readonly #results: ResultPrinter;
  readonly #jobs: JobPrinter;
  /** Queues messages in order: each waits until the progress line is cleared. */
  #said: Promise<void> = Promise.resolve();
  /** The error that a message failed with. */
  #trouble: { readonly error: unknown } | undefined;
  #isForgetful = false;

  constructor(call: BatchCall, progress: BatchProgress, presentation: Presentation) {
    const { context, settings, typed } = call;
    const shape = { json: context.flags.json ?? false, ndjson: typed.ndjson ?? false, isList: call.isList };
    this.#call = call;
    this.#progress = progress;
    this.#presentation = presentation;
    const { pictures } = presentation;
    this.#results = new ResultPrinter(context.io, { ...shape, formats: settings.format, pictures });
    this.#jobs = new JobPrinter(context.io, shape);
  }

  event(event: BatchEvent): void {
    switch (event.type) {
      case 'planned':
        this.#say(async () => await printPlan(event, this.#call));
        break;
      case 'accepted':
        this.#accepted(event);
        break;
      case 'result':
        this.#result(event.result);
        break;
      case 'waiting':
        this.#progress.wait(event.message, event.ms);
        break;
      case 'again':
        this.#progress.remark(`${event.source}: ${event.message} Trying again.`);
        break;
      case 'alone':
        this.#alone(event.message);
    }
  }

  end(): void {
    if (this.#call.follow) this.#results.end();
    else this.#jobs.end();
  }

  /** Resolves when every message is printed. @throws the error that a message failed with */
  async settled(): Promise<void> {
    await this.#said;
    if (this.#trouble) throw this.#trouble.error;
  }

  #accepted({ source, job, index }: Extract<BatchEvent, { type: 'accepted' }>): void {
    const { follow } = this.#call;
    this.#presentation.accepted?.(job.id);
    this.#progress.goesOn();
    this.#say(async () => {
      await this.#remember(job.id, source);
      if (!follow) await this.#jobs.add(jobView(job, source), index);
    });
  }

  /** The record of sources only helps people, so a failure to write it does not end the batch. */
  async #remember(job: string, source: string): Promise<void> {
    const { context } = this.#call;
    if (this.#isForgetful) return;
    try {
      await context.jobSources.record(job, source);
    } catch (error) {
      this.#isForgetful = true;
      const why = error instanceof Error ? error.message : String(error);
      await context.messages.warn(`jobs will not show which source each came from: ${why}`);
    }
  }

  #alone(why: string): void {
    const { messages, flags } = this.#call.context;
    const text = `Other skinsmith processes with this key are not taken into account: ${why}`;
    if (flags.verbose) this.#say(() => messages.say(text));
  }

  #result(result: BatchResult): void {
    const { context, follow, typed, isList } = this.#call;
    const isPrinted = follow && (typed.out === undefined || context.flags.json || typed.ndjson);
    const { error, source, index } = result;
    if (!isPrinted && !error && isList) return;
    const view = isPrinted ? batchResultView(result) : undefined; // now: the result is only valid during this call
    const notes = isList || error ? [] : result.warnings; // for many sources, the reports and the JSON have them
    this.#say(async () => {
      if (error) await printFailure(source, error, context);
      await printWarnings(notes, undefined, context);
      if (view) await this.#results.add(view, index);
    });
  }

  #say(say: () => Promise<void> | void): void {
    this.#said = this.#said
      .then(() => this.#progress.aside(say))
      .catch((error: unknown) => {
        this.#trouble ??= { error };
      });
  }
}
