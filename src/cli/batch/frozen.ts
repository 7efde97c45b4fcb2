import { entryProblem } from '../../batch/lockfile/lockfile.ts';
import { type BatchResult, Coverage, type SourceProblem } from '../../batch/model.ts';
import { DeliveryError, type PlanOptions } from '../../batch/options.ts';
import { type PlannedSource, planBatch } from '../../batch/run/plan-batch.ts';
import type { GameKeys, PublicSigningKey } from '../../batch/signers.ts';
import type { RequiredSigner } from '../../batch/verify-skin.ts';
import type { CommandContext } from '../context/context.ts';
import { type CliError, exitStatus, usageError } from '../errors/exit.ts';
import { sourcesOf } from '../options/skin-options.ts';
import type { GithubReport } from '../output/github.ts';
import {
  ResultPrinter,
  type ResultView,
  resultView,
  sayWhereToPaste,
  skinFields,
} from '../output/results.ts';
import { printFailure, printWarnings } from '../terminal/messages.ts';
import { clean, count, jsonLine } from '../text/text.ts';
import {
  type BatchCall,
  formatsOf,
  type Output,
  openOutput,
  planInputOf,
  verifyDocument,
  verifyRequiredSigner,
} from './output.ts';
import type { Reports } from './reports.ts';
import { reportsOf } from './run.ts';
import { EMPTY_LIST, SignerTally, type SummaryView, shownPath } from './summary.ts';

/** Writes all results from the lockfile, without a service or network access. */
export async function runFrozen(call: BatchCall, github: GithubReport): Promise<number> {
  const { context } = call;
  const output = openOutput(call);
  const { lockfile, own } = output;
  if (lockfile === undefined) throw needsLockfile();
  const started = new Date(context.clock.now());
  const reports = await reportsOf(call, { service: 'lockfile', started });
  const game = await context.game();
  const ownKey = await context.ownKey();
  const run = new FrozenRun(call, { output, github, reports, ownKey, gameKeys: game.keys.offline() });
  try {
    for await (const planned of plan(call, { lockfile, outputs: own, game, ownKey })) await run.take(planned);
    await run.finish();
  } finally {
    await run.endEarly();
  }
  return await run.tellEnd();
}

interface FrozenParts {
  readonly output: Output;
  readonly github: GithubReport;
  readonly reports: Reports | undefined;
  readonly ownKey: PublicSigningKey | undefined;
  readonly gameKeys: GameKeys;
}

/** What a run with --frozen prints, writes and counts. */
class FrozenRun {
  readonly #call: BatchCall;
  readonly #parts: FrozenParts;
  readonly #printer: ResultPrinter;
  readonly #isPrinted: boolean;
  readonly #tally;
  #delivered: BatchResult | undefined;

  constructor(call: BatchCall, parts: FrozenParts) {
    const { context, typed, isList } = call;
    const shape = { json: context.flags.json ?? false, ndjson: typed.ndjson ?? false, isList };
    this.#call = call;
    this.#parts = parts;
    this.#printer = new ResultPrinter(context.io, {
      ...shape,
      formats: formatsOf(call),
      verify: (text, format) => verifyDocument(text, { name: 'The output', format }, call),
    });
    const isWritten = typed.out !== undefined || typed.into !== undefined;
    this.#isPrinted = !isWritten || shape.json || shape.ndjson;
    const none = { sources: 0, missing: 0, fresh: 0, failed: 0, given: 0, gone: 0, renamed: 0 };
    this.#tally = { ...none, signers: new SignerTally(parts.ownKey) };
  }

  async take(planned: PlannedSource): Promise<void> {
    const { outlook } = planned;
    if (outlook === 'gone' || outlook === 'renamed') {
      this.#tally[outlook]++;
      return await reportGone(planned, { call: this.#call, ...this.#parts });
    }
    this.#tally.sources++;
    if (isMissing(planned) && this.#call.typed.allowNew) return await this.#announce(planned);
    const result = await deliver(planned, this.#call.typed.requireSigner, this.#parts);
    this.#delivered = result;
    this.#count(planned, result);
    if (result.error) await this.#tellFailure(result, result.error);
    if (this.#isPrinted) await this.#printer.add(resultView(result), result.index, result.stem);
    await this.#parts.reports?.add(result);
  }

  async #announce(planned: PlannedSource): Promise<void> {
    this.#tally.fresh++;
    await announce(planned, { context: this.#call.context, ...this.#parts });
    if (this.#isPrinted) await this.#printer.add(freshView(planned), planned.result.index);
  }

  #count(planned: PlannedSource, { error, skin }: BatchResult): void {
    if (isMissing(planned)) this.#tally.missing++;
    else if (error) this.#tally.failed++;
    else if (planned.outlook === 'given') this.#tally.given++;
    if (!error && skin?.signedBy) this.#tally.signers.add(skin.signedBy);
  }

  async #tellFailure(result: BatchResult, problem: SourceProblem): Promise<void> {
    await printFailure(result.source, problem, this.#call.context);
    this.#parts.github.add({ level: 'error', ...result, problem });
  }

  async finish(): Promise<void> {
    this.#printer.end();
    this.#parts.output.save({ isWhole: true });
    await this.#parts.reports?.finish(summaryOf(this.#tally, this.#call.typed));
  }

  /** After an error; does nothing after `finish`. */
  async endEarly(): Promise<void> {
    this.#printer.endEarly();
    await this.#parts.reports?.abandon();
  }

  async tellEnd(): Promise<number> {
    const { context, typed, isList } = this.#call;
    const { github, output } = this.#parts;
    const { fresh, gone, renamed, missing, failed } = this.#tally;
    const skin = this.#delivered?.skin;
    if (this.#delivered && skin && !isList && !typed.ndjson)
      sayWhereToPaste(formatsOf(this.#call), { ...this.#delivered, skin: skinFields(skin) }, context);
    const text = endText(this.#tally, typed);
    if (fresh + gone + renamed > 0 && typed.allowNew) github.notice('new', text);
    await github.finish(text, { made: 0, left: missing + fresh + failed });
    printEnd(this.#tally, this.#call);
    const isPlaced = (await output.tell?.()) !== false;
    if (failed > 0 || !isPlaced) return exitStatus('failed');
    return exitStatus(!typed.allowNew && missing + gone + renamed > 0 ? 'toDo' : 'done');
  }
}

/** A source that the lockfile has, but not its folder or list: an error, unless new pictures are allowed. */
async function reportGone(
  planned: PlannedSource,
  { call, github, reports }: { call: BatchCall; github: GithubReport; reports: Reports | undefined },
): Promise<void> {
  const { context, typed } = call;
  const result = { ...bare(planned.result), error: goneProblem(planned) };
  if (!typed.allowNew) {
    await printFailure(result.source, result.error, context);
    github.add({ level: 'error', ...result, problem: result.error });
    await reports?.add(result);
    return;
  }
  const { renamedTo } = planned;
  const fate = renamedTo === undefined ? 'gone, to be dropped' : `renamed to ${renamedTo}`;
  if (!context.flags.json) {
    const to = renamedTo === undefined ? '' : ` to ${clean(renamedTo)}`;
    context.messages.say(`${planned.outlook}: ${clean(result.source)}${to}`);
  }
  github.add({ level: 'notice', ...result, problem: { code: planned.outlook, message: fate } });
  await reports?.skip(result.index, result.source, fate);
}

/** A skin that the run without --frozen will make, where that is allowed. */
async function announce(
  { outlook, result }: PlannedSource,
  {
    context,
    github,
    reports,
  }: { context: CommandContext; github: GithubReport; reports: Reports | undefined },
): Promise<void> {
  const { source, content, index, warnings } = result;
  if (!context.flags.json) context.messages.say(`${outlook}: ${clean(source)}`);
  await printWarnings(warnings, source, context);
  const message = outlook === 'repeated' ? 'to be made with another source' : `${outlook}, to be made`;
  github.add({ level: 'notice', source, content, problem: { code: outlook, message } });
  await reports?.skip(index, source, message);
}

function freshView({ outlook, result: { source, warnings } }: PlannedSource): ResultView {
  return resultView({ source, status: outlook, warnings });
}

interface Tally {
  readonly sources: number;
  readonly missing: number;
  /** Missing or changed, where that is allowed. */
  readonly fresh: number;
  readonly failed: number;
  /** Valid skin data given as a source, whether or not the lockfile has it. */
  readonly given: number;
  /** Sources in the lockfile that do not exist any more. */
  readonly gone: number;
  /** Those whose skin one new source has. */
  readonly renamed: number;
  readonly signers: SignerTally;
}

async function* plan(
  call: BatchCall,
  known: Pick<PlanOptions, 'lockfile' | 'outputs' | 'ownKey'> & Required<Pick<PlanOptions, 'game'>>,
): AsyncGenerator<PlannedSource> {
  const coverage = new Coverage();
  yield* planBatch({
    // There is no service and so no journal: whatever is not in the lockfile is missing.
    sources: sourcesOf(call, { coverage }),
    coverage,
    service: { name: 'lockfile', caller: '' },
    ...planInputOf(call),
    ...known,
    game: { keys: known.game.keys.offline() },
    // No service is selected, so no entry is outdated because of its signer.
    keepSignatures: true,
  });
}

/** Reads the skin before anything is written, so that a damaged entry fails only its own source. */
async function deliver(
  planned: PlannedSource,
  required: RequiredSigner | undefined,
  { output, gameKeys }: FrozenParts,
): Promise<BatchResult> {
  const { result } = planned;
  if (isMissing(planned)) return { ...bare(result), error: missingProblem(planned) };
  const read = knownSkin(result);
  if ('problem' in read) return { ...bare(result), error: read.problem };
  try {
    await verifyRequiredSigner(result, required, gameKeys);
    output.deliver(result);
    return result;
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    const { code, message, hint } = error;
    return { ...bare(result), error: { code, message, hint } };
  }
}

function knownSkin(result: BatchResult): Pick<BatchResult, 'skin'> | { readonly problem: SourceProblem } {
  try {
    return { skin: result.skin };
  } catch (error) {
    return { problem: entryProblem(error) };
  }
}

function bare({ index, source, stem, content }: BatchResult): BatchResult {
  return { index, source, stem, content, warnings: [] };
}

/** What is `repeated` always repeats a missing source; the lockfile has the others. */
function isMissing({ outlook }: PlannedSource): boolean {
  return outlook === 'new' || outlook === 'changed' || outlook === 'repeated';
}

function missingProblem({ outlook, result: { source } }: PlannedSource): SourceProblem {
  return outlook === 'changed'
    ? { code: 'changed', message: `${source} differs from the lockfile in pixels or options.` }
    : { code: 'missing', message: `${source} is not in the lockfile.` };
}

function goneProblem({ result: { source }, outputs = [], renamedTo }: PlannedSource): SourceProblem {
  if (renamedTo !== undefined)
    return {
      code: 'renamed',
      message: `${source} is in the lockfile, but ${renamedTo} has its picture now.`,
      hint: 'To rename it there as well, run the same command without --frozen: nothing is made again.',
    };
  const files = outputs.length === 0 ? '' : ` Its output remains: ${outputs.map(shownPath).join(', ')}.`;
  return {
    code: 'gone',
    message: `${source} is in the lockfile, but it is gone from its folder or list.${files}`,
    hint: 'To drop it, run the same command with --prune instead of --frozen.',
  };
}

function printEnd(tally: Tally, { context, typed }: BatchCall): void {
  if (!context.flags.json) context.messages.say(endText(tally, typed));
  else if (!context.flags.quiet) context.io.err.write(jsonLine({ summary: tallyView(tally) }));
}

function tallyView({ sources, missing, fresh, failed, given, gone, renamed }: Tally): SummaryView {
  const left = missing + fresh;
  const unchanged = sources - left - failed - given;
  const nothing = { made: 0, resumed: 0, existing: 0, shared: 0, submitted: 0, dropped: 0, seconds: 0 };
  return { end: 'complete', ...nothing, sources, unchanged, given, failed, left, gone, renamed };
}

function endText(
  { sources, missing, fresh, failed, given, gone, renamed, signers }: Tally,
  { out, allowNew }: BatchCall['typed'],
): string {
  if (sources + gone === 0) return EMPTY_LIST;
  const known = sources - missing - fresh - failed - given;
  const parts = [`${count(known)} in the lockfile`];
  if (given > 0) parts.push(`${count(given)} given as skin data`);
  if (missing > 0) parts.push(`${count(missing)} missing or changed`);
  if (fresh > 0) parts.push(`${count(fresh)} to be made`);
  if (failed > 0) parts.push(`${count(failed)} failed`);
  if (renamed > 0) parts.push(`${count(renamed)} renamed`);
  if (gone > 0)
    parts.push(`${count(gone)} more in the lockfile without a source${allowNew ? ', to be dropped' : ''}`);
  const hint = missing > 0 ? ' Run without --frozen to make them.' : '';
  const place = out === undefined || known + given === 0 ? '' : ` Written to ${out}.`;
  const end = `${count(sources)} ${sources === 1 ? 'source' : 'sources'}: ${parts.join(', ')}.${place}${hint}`;
  return [end, signers.text].filter(Boolean).join(' ');
}

/** For reports, which list the sources that are gone, too. */
function summaryOf(
  { sources, missing, fresh, failed, gone, renamed }: Tally,
  { allowNew }: BatchCall['typed'],
) {
  const absent = gone + renamed;
  return {
    sources: sources + absent,
    failed: failed + missing + (allowNew ? 0 : absent),
    made: 0,
    resumed: 0,
    left: fresh + (allowNew ? absent : 0),
    milliseconds: 0,
  };
}

function needsLockfile(): CliError {
  return usageError(
    'no_lockfile_named',
    '--frozen needs a lockfile.',
    'Give its folder with --out DIR, or the file with --lock FILE.',
  );
}
