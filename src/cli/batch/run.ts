import { existsSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { type BatchResult, Coverage } from '../../batch/model.ts';
import {
  type BatchEvent,
  type BatchService,
  type BatchSummary,
  DeliveryError,
  type Progress,
} from '../../batch/options.ts';
import { runBatch } from '../../batch/run/run-batch.ts';
import type { GameKeys } from '../../batch/signers.ts';
import { countSources } from '../../batch/sources/arguments.ts';
import { exitStatus } from '../errors/exit.ts';
import type { JobSource } from '../history.ts';
import { rootsOf, sourcesOf, specOf } from '../options/skin-options.ts';
import { GithubReport } from '../output/github.ts';
import { JobPrinter, jobView, ResultPrinter, resultView } from '../output/results.ts';
import { printFailure, printWarnings } from '../terminal/messages.ts';
import { clean, count } from '../text/text.ts';
import {
  type BatchCall,
  formatsOf,
  type Output,
  openOutput,
  planInputOf,
  verifyDocument,
  verifyRequiredSigner,
} from './output.ts';
import { BatchProgress, LIST_PROGRESS, type Presentation } from './progress.ts';
import type { About, Reports } from './reports.ts';
import { mergeAdvice, printPlan, printSummary, summaryText } from './summary.ts';

interface Shown {
  readonly progress: BatchProgress;
  readonly presentation: Presentation;
  readonly github: GithubReport;
}

/** Sources that are named one by one because they could not have the name of their file. */
const SECOND_NAMES = 10;

class RunOutput {
  readonly #call: BatchCall;
  readonly #progress: BatchProgress;
  readonly #presentation: Presentation;
  readonly #github: GithubReport;
  readonly #results: ResultPrinter;
  readonly #jobs: JobPrinter;
  /** Queues messages in order: each waits until the progress line is cleared. */
  #printed: Promise<void> = Promise.resolve();
  #trouble: { readonly error: unknown } | undefined;
  /** Jobs whose sources are not recorded yet. */
  readonly #accepted: JobSource[] = [];
  #isForgetful = false;
  readonly #failures = new Set<string>();
  /** Why the batch waits, or waited until it was stopped. */
  #lastProblem: string | undefined;
  #secondNames = 0;
  /** Sources whose names the service got in another form. */
  #converted = 0;

  constructor(call: BatchCall, { progress, presentation, github }: Shown) {
    const { context, typed } = call;
    const shape = { json: context.flags.json ?? false, ndjson: typed.ndjson ?? false, isList: call.isList };
    this.#call = call;
    this.#progress = progress;
    this.#presentation = presentation;
    this.#github = github;
    const { pictures } = presentation;
    this.#results = new ResultPrinter(context.io, {
      ...shape,
      formats: formatsOf(call),
      pictures,
      verify: (text, format) => verifyDocument(text, { name: 'The output', format }, call),
    });
    this.#jobs = new JobPrinter(context.io, shape);
  }

  event(event: BatchEvent): void {
    switch (event.type) {
      case 'planned':
        this.#print(async () => await printPlan(event, this.#call));
        break;
      case 'accepted':
        this.#tellAccepted(event);
        break;
      case 'result':
        this.#result(event.result);
        break;
      case 'left':
        this.#left(event);
        break;
      case 'waiting':
        if (event.reason === 'trouble') this.#lastProblem = event.message;
        this.#progress.wait(event.message, event.ms);
        break;
      case 'again':
        if (event.mayCost) this.warn(`${event.source}: ${event.message}`);
        else this.#progress.remark(`${event.source}: ${event.message} Retrying.`);
        break;
      case 'alone':
        this.#alone(event.message);
    }
  }

  warn(message: string): void {
    this.#print(async () => await this.#call.context.messages.warn(message));
  }

  get failures(): ReadonlySet<string> {
    return this.#failures;
  }

  end(): void {
    if (this.#call.follow) this.#results.end();
    else this.#jobs.end();
  }

  /** The same after an error, once every message is printed; does nothing after `end`. */
  async endEarly(): Promise<void> {
    await this.#printed;
    this.#results.endEarly();
    this.#jobs.endEarly();
  }

  /** Resolves when every message is printed. @throws the error that a message failed with */
  async settled(): Promise<void> {
    const more = this.#secondNames - SECOND_NAMES;
    if (more > 0)
      this.#print(() => this.#call.context.messages.say(`… and ${count(more)} more with another name.`));
    const names = this.#converted - 1;
    if (names > 0)
      this.#print(() =>
        this.#call.context.messages.say(
          `… and ${count(names)} more ${names === 1 ? 'name' : 'names'} in the form that the service takes.`,
        ),
      );
    await this.#printed;
    if (this.#trouble) throw this.#trouble.error;
  }

  /** Why a batch that was stopped got no further, if the service was in trouble. */
  tellLastProblem(): void {
    const problem = this.#lastProblem;
    if (problem !== undefined && !this.#call.context.flags.json)
      this.#call.context.messages.say(`The last problem: ${clean(problem)}`);
  }

  #tellAccepted(event: Extract<BatchEvent, { type: 'accepted' }>): void {
    const { source, job, index, content, options } = event;
    const { follow } = this.#call;
    this.#presentation.accepted?.(job.id);
    this.#progress.goesOn();
    this.#lastProblem = undefined;
    const isElsewhere = content.kind === 'file' || content.kind === 'url' || content.kind === 'user';
    this.#remember({ job: job.id, source, ...(isElsewhere && { sent: { content, options } }) });
    if (!follow) this.#print(async () => await this.#jobs.add(jobView(job, source), index));
  }

  /** Jobs that are accepted at the same time are recorded together: opening the file takes longer than writing to it. */
  #remember(job: JobSource): void {
    if (this.#accepted.push(job) > 1) return;
    this.#print(async () => {
      await nextTurn();
      await this.#record(this.#accepted.splice(0));
    });
  }

  /** The record of sources only helps people, so a failure to write it does not end the batch. */
  async #record(jobs: readonly JobSource[]): Promise<void> {
    const { context } = this.#call;
    if (this.#isForgetful) return;
    try {
      context.jobSources.record(jobs);
    } catch (error) {
      this.#isForgetful = true;
      const why = error instanceof Error ? error.message : String(error);
      await context.messages.warn(`jobs will not show which source each came from: ${why}`);
    }
  }

  #alone(why: string): void {
    const { messages, flags } = this.#call.context;
    const text = `Cannot coordinate with other skinsmith processes that use this key: ${why}`;
    if (flags.verbose) this.#print(() => messages.say(text));
  }

  #result(result: BatchResult): void {
    const { context, follow, typed, isList } = this.#call;
    const isWritten = typed.out !== undefined || typed.into !== undefined;
    const isPrinted = follow && (!isWritten || context.flags.json || typed.ndjson);
    const { error, source, index, content, stem } = result;
    if (error) this.#failures.add(error.code);
    else if (result.wantedStem !== undefined && typed.out !== undefined) this.#secondName(result);
    if (isList && result.origin === 'made') this.#tellConverted(result);
    if (!isPrinted && !error && isList) return;
    const view = isPrinted ? resultView(result) : undefined; // now: the result is only valid during this call
    const notes = isList || error ? [] : result.warnings; // for many sources, the reports and the JSON have them
    this.#print(async () => {
      if (error) {
        await printFailure(source, error, context);
        this.#github.add({ level: 'error', source, content, problem: error });
      }
      await printWarnings(notes, undefined, context);
      if (view) await this.#results.add(view, index, stem);
    });
  }

  /** For programs, so that every source is in the JSON output. */
  #left({ source, index }: Extract<BatchEvent, { type: 'left' }>): void {
    const { context, typed } = this.#call;
    if (!context.flags.json && !typed.ndjson) return;
    this.#print(async () => await this.#results.add(resultView({ source, status: 'left' }), index));
  }

  /** A source gets a second name only once: the lockfile records it. */
  #secondName({ source, stem, wantedStem }: BatchResult): void {
    if (++this.#secondNames > SECOND_NAMES) return;
    const text = `${source} is written as ${stem}: another source has the name ${wantedStem}.`;
    this.#print(() => this.#call.context.messages.say(text));
  }

  /** The first of many sources: the reports and the JSON have them all. */
  #tellConverted({ source, warnings }: BatchResult): void {
    const note = warnings.find(({ code }) => code === 'name_changed');
    if (note && ++this.#converted === 1)
      this.#print(() => this.#call.context.messages.say(clean(`${source}: ${note.message}`)));
  }

  #print(say: () => Promise<void> | void): void {
    this.#printed = this.#printed
      .then(() => this.#progress.aside(say))
      .catch((error: unknown) => {
        this.#trouble ??= { error };
      });
  }
}

const MANY: Presentation = { openOutput, progress: LIST_PROGRESS, printSummary };

/** Processes the sources: prints results (or jobs, when it does not follow them) on stdout and the rest on stderr. */
export async function runBatchCommand(
  call: BatchCall,
  { presentation = MANY, github = new GithubReport(call.context) } = {},
): Promise<number> {
  const { context } = call;
  const started = new Date(context.clock.now());
  const service = await context.service(call.settings);
  const reports = await reportsOf(call, { service: service.name, started });
  const progress = new BatchProgress(context, presentation.progress);
  const shown = new RunOutput(call, { progress, presentation, github });
  const unbound = boundNewObjects();
  try {
    const output = presentation.openOutput(call);
    const isFirst = output.lockfile !== undefined && !existsSync(output.lockfile);
    const summary = await runSources(call, { service, output, reports, progress, shown, github });
    if (summary.end === 'interrupted') shown.tellLastProblem();
    const advice =
      isFirst && summary.lockfile?.written ? await mergeAdvice(output.lockfile ?? '') : undefined;
    if (advice !== undefined) context.messages.say(advice);
    const status = await presentation.printSummary(summary, call, shown.failures);
    const isPlaced = summary.end === 'interrupted' || (await output.tell?.()) !== false;
    return isPlaced || status !== 0 ? status : exitStatus('failed');
  } finally {
    unbound();
    progress.stop();
    await shown.endEarly();
    await reports?.abandon();
  }
}

/** The reports that the user wants, if any. @throws CliError when one cannot be written */
export async function reportsOf(call: BatchCall, about: About): Promise<Reports | undefined> {
  if (call.typed.report === undefined) return undefined;
  return await (await import('./reports.ts')).Reports.open(call, about);
}

interface RunParts extends Omit<Shown, 'presentation'> {
  readonly service: BatchService;
  readonly output: Output;
  readonly reports: Reports | undefined;
  readonly shown: RunOutput;
}

async function runSources(call: BatchCall, parts: RunParts): Promise<BatchSummary> {
  const { service, output, reports, progress, shown, github } = parts;
  const { context, typed } = call;
  const left: Extract<BatchEvent, { type: 'left' }>[] = [];
  const coverage = new Coverage();
  const game = await context.game();
  const summary = await runBatch({
    ...skinInputOf(call),
    sources: sourcesOf(call, { warn: (message) => shown.warn(message), coverage }),
    coverage,
    service,
    game,
    ownKey: await context.ownKey(),
    lockfile: output.lockfile,
    outputs: output.own,
    deliver: async (result) => await deliver(result, call, { output, reports, keys: game.keys }),
    deliverAll: output.save,
    onProgress: (read) => {
      github.counted = () => toMake(read());
      progress.start(read, countSources(specOf(typed), rootsOf(context)));
    },
    onEvent: (event) => {
      if (event.type === 'accepted') reports?.accepted(event.index);
      if (event.type === 'left' && reports) left.push(event);
      shown.event(event);
    },
  });
  await shown.settled();
  const why = summary.end === 'halted' ? 'not submitted' : 'left by --max-new';
  for (const { index, source } of left) await reports?.skip(index, source, why);
  progress.stop();
  shown.end();
  await reports?.finish(summary);
  await github.finish(summaryText(summary, call.follow), toMake(summary));
  return summary;
}

/** Writes a result and reports it. Returns its files. @throws CliError, DeliveryError */
async function deliver(
  result: BatchResult,
  { typed }: BatchCall,
  { output, reports, keys }: Pick<RunParts, 'output' | 'reports'> & { readonly keys: GameKeys },
): Promise<readonly string[]> {
  try {
    await verifyRequiredSigner(result, typed.requireSigner, keys);
    const files = output.deliver(result);
    await reports?.add(result);
    return files;
  } catch (error) {
    if (error instanceof DeliveryError) await reports?.add(undelivered(result, error));
    throw error;
  }
}

/** What is made, and what is still to be made, as far as the sources are read. */
function toMake({ made, sources, finished, failed }: Progress) {
  return { made, left: sources - finished + failed };
}

/** The result as the batch reports it then. */
function undelivered({ index, source, stem, content }: BatchResult, error: DeliveryError): BatchResult {
  const { code, message } = error;
  return { index, source, stem, content, warnings: [], error: { code, message } };
}

/** What the user wants of the batch, as typed and set. */
function skinInputOf(call: BatchCall) {
  const { settings, typed, follow } = call;
  return {
    ...planInputOf(call),
    slots: settings.slots,
    pollInterval: settings['poll-interval'] && settings['poll-interval'] * 1_000,
    retries: typed.retries,
    resubmitLost: typed.resubmitLost || undefined,
    maxNew: typed.maxNew,
    prune: typed.prune && typed.yes ? ('all' as const) : typed.prune,
    verify: typed.verify,
    acceptUnverified: typed.acceptUnverified,
    follow,
  };
}

/**
 * Limits heap growth. Images are large and short-lived, and by default V8 lets hundreds of megabytes of them pile up
 * before it collects. With the limit, 30,000 files take no longer and use 140 MB instead of 290 (measured). Only for
 * plans: the embedded service needs a large heap, and collecting that often would cost a fifth of the time.
 */
export function keepMemoryFlat(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=10');
}

/** Bytes for new objects, and milliseconds between looks at how many there are. */
const NEW_OBJECTS = 32 * 1024 * 1024;
const HEAP_LOOK = 500;

/**
 * Ends the growth of the space for new objects at 32 MB, a quarter of what V8 takes with the embedded service: 1,500 skins
 * take no longer and 58 MB less (measured). @returns what ends the watch
 */
function boundNewObjects(): () => void {
  const look = () => {
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (!space || space.space_size < NEW_OBJECTS) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    clearInterval(timer);
  };
  const timer = setInterval(look, HEAP_LOOK).unref();
  return () => clearInterval(timer);
}
