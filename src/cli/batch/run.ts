import { join } from 'node:path';
import type { BatchEvent } from '../../batch/events.ts';
import { runBatch } from '../../batch/run-batch.ts';
import type { BatchResult } from '../../batch/types.ts';
import { JobPrinter } from '../output/job-printer.ts';
import { span } from '../output/progress-text.ts';
import { ResultPrinter } from '../output/result-printer.ts';
import { batchResultView, jobView } from '../output/views.ts';
import type { BatchCall } from './call.ts';
import { tellFailure } from './failures.ts';
import { openOutput } from './output.ts';
import { BatchProgress } from './progress.ts';
import { Reports } from './reports.ts';
import { sourcesOf } from './sources.ts';
import { tellEnd, tellPlan } from './summary.ts';

/** Works through many sources: results (or, without following them, jobs) on stdout, the rest on stderr. */
export async function runBatchCommand(call: BatchCall): Promise<number> {
  const { deps, settings, typed, follow } = call;
  const started = new Date(deps.clock.now());
  const service = await deps.service(settings);
  const reports = await Reports.open(typed.report ?? [], { service: service.name, started });
  const progress = new BatchProgress(deps);
  const shown = new Shown(call, progress);
  try {
    const output = openOutput(call);
    const summary = await runBatch({
      sources: sourcesOf(call),
      service,
      game: await deps.game(),
      stateDir: join(deps.folders.data, 'batches'),
      lockfile: output.lockfile,
      purpose: call.purpose,
      variant: settings.variant,
      visibility: settings.visibility,
      cape: call.cape,
      force: typed.force,
      signal: deps.signal,
      slots: settings.slots,
      pollInterval: settings['poll-interval'] && settings['poll-interval'] * 1_000,
      retries: typed.retries,
      maxNew: typed.maxNew,
      prune: typed.prune,
      verify: typed.verify,
      follow,
      deliver: async (result) => {
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
    return await tellEnd(summary, call);
  } finally {
    progress.stop();
    await reports.abandon();
  }
}

/** What a person and stdout get to see while a batch runs. */
class Shown {
  readonly #call: BatchCall;
  readonly #progress: BatchProgress;
  readonly #results: ResultPrinter;
  readonly #jobs: JobPrinter;
  /** What is said in its order: saying waits for the line to be taken away. */
  #said: Promise<void> = Promise.resolve();
  /** What went wrong in saying it. */
  #trouble: { readonly error: unknown } | undefined;
  #isForgetful = false;

  constructor(call: BatchCall, progress: BatchProgress) {
    const { deps, settings, typed } = call;
    const shape = { json: deps.flags.json ?? false, ndjson: typed.ndjson ?? false, isList: call.isList };
    this.#call = call;
    this.#progress = progress;
    this.#results = new ResultPrinter(deps.io, { ...shape, formats: settings.format });
    this.#jobs = new JobPrinter(deps.io, shape);
  }

  event(event: BatchEvent): void {
    switch (event.type) {
      case 'planned':
        this.#say(async () => await tellPlan(event, this.#call));
        break;
      case 'accepted':
        this.#accepted(event);
        break;
      case 'result':
        this.#result(event.result);
        break;
      case 'waiting':
        this.#progress.remark(`${event.message} Waiting ${span(event.ms / 1000)}.`);
        break;
      case 'again':
        this.#progress.remark(`${event.source}: ${event.message} Trying again.`);
    }
  }

  end(): void {
    if (this.#call.follow) this.#results.end();
    else this.#jobs.end();
  }

  /** Resolves when all is said. @throws what went wrong in saying it */
  async settled(): Promise<void> {
    await this.#said;
    if (this.#trouble) throw this.#trouble.error;
  }

  #accepted({ source, job, index }: Extract<BatchEvent, { type: 'accepted' }>): void {
    const { follow } = this.#call;
    this.#progress.remark(undefined);
    this.#say(async () => {
      await this.#remember(job.id, source);
      if (!follow) await this.#jobs.add(jobView(job, source), index);
    });
  }

  /** Which source a job came from is a help to people: the batch does not end for it. */
  async #remember(job: string, source: string): Promise<void> {
    const { deps } = this.#call;
    if (this.#isForgetful) return;
    try {
      await deps.submissions.record(job, source);
    } catch (error) {
      this.#isForgetful = true;
      const why = error instanceof Error ? error.message : String(error);
      await deps.talk.warn(`jobs will not show which source each came from: ${why}`);
    }
  }

  #result(result: BatchResult): void {
    const { deps, follow, typed } = this.#call;
    const isPrinted = follow && (typed.out === undefined || deps.flags.json || typed.ndjson);
    const { error, source, index } = result;
    if (!isPrinted && !error) return;
    const view = isPrinted ? batchResultView(result) : undefined; // now: it may be read only while it is told of
    this.#say(async () => {
      if (error) await tellFailure(source, error, deps);
      if (view) await this.#results.add(view, index);
    });
  }

  #say(say: () => Promise<void>): void {
    this.#said = this.#said
      .then(() => this.#progress.aside(say))
      .catch((error: unknown) => {
        this.#trouble ??= { error };
      });
  }
}
