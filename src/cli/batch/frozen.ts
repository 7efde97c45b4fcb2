import { join } from 'node:path';
import { DeliveryError } from '../../batch/options.ts';
import { type PlannedSource, planBatch } from '../../batch/plan-batch.ts';
import type { BatchResult, SourceProblem } from '../../batch/types.ts';
import { CliError, exitStatus } from '../exit.ts';
import { count } from '../output/progress-text.ts';
import { ResultPrinter } from '../output/result-printer.ts';
import { batchResultView } from '../output/views.ts';
import type { BatchCall } from './call.ts';
import { tellFailure } from './failures.ts';
import { type Output, openOutput } from './output.ts';
import { Reports } from './reports.ts';
import { sourcesOf } from './sources.ts';

/** Writes everything from the lockfile, with no service and no network at all. */
export async function runFrozen(call: BatchCall): Promise<number> {
  const { deps, typed, settings } = call;
  const output = openOutput(call);
  if (output.lockfile === undefined) throw needsLockfile();
  const shape = { json: deps.flags.json ?? false, ndjson: typed.ndjson ?? false, isList: call.isList };
  const printer = new ResultPrinter(deps.io, { ...shape, formats: settings.format });
  const isPrinted = typed.out === undefined || shape.json || shape.ndjson;
  const reports = await Reports.open(typed.report ?? [], {
    service: 'lockfile',
    started: new Date(deps.clock.now()),
  });
  const tally = { sources: 0, missing: 0, failed: 0 };
  try {
    for await (const planned of plan(call, output.lockfile)) {
      const result = deliver(planned, output);
      tally.sources++;
      if (isMissing(planned)) tally.missing++;
      else if (result.error) tally.failed++;
      if (result.error) await tellFailure(result.source, result.error, deps);
      if (isPrinted) await printer.add(batchResultView(result), result.index);
      await reports.add(result);
    }
    printer.end();
    output.save();
    await reports.finish(summaryOf(tally));
  } finally {
    await reports.abandon();
  }
  deps.talk.say(endText(tally, typed.out));
  if (tally.missing > 0) return exitStatus('toDo');
  return exitStatus(tally.failed > 0 ? 'failed' : 'done');
}

interface Tally {
  readonly sources: number;
  readonly missing: number;
  readonly failed: number;
}

async function* plan(call: BatchCall, lockfile: string): AsyncGenerator<PlannedSource> {
  const { deps, settings } = call;
  yield* planBatch({
    // No service, no journal of one: what is not in the lockfile is missing.
    sources: sourcesOf(call),
    service: { name: 'lockfile', caller: '' },
    stateDir: join(deps.folders.data, 'batches'),
    lockfile,
    variant: settings.variant,
    visibility: settings.visibility,
    cape: call.cape,
    signal: deps.signal,
  });
}

function deliver(planned: PlannedSource, output: Output): BatchResult {
  const { result } = planned;
  if (isMissing(planned)) return { ...bare(result), error: missingProblem(planned) };
  try {
    output.deliver(result);
    return result;
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return { ...bare(result), error: { code: error.code, message: error.message } };
  }
}

function bare({ index, source, stem, content }: BatchResult): BatchResult {
  return { index, source, stem, content, warnings: [] };
}

/** A duplicate is one of a source that is missing: others are found in the lockfile themselves. */
function isMissing({ outlook }: PlannedSource): boolean {
  return outlook === 'new' || outlook === 'changed' || outlook === 'duplicate';
}

function missingProblem({ outlook, result: { source } }: PlannedSource): SourceProblem {
  return outlook === 'changed'
    ? { code: 'changed', message: `${source} is another picture, or wanted otherwise, than in the lockfile.` }
    : { code: 'missing', message: `${source} is not in the lockfile.` };
}

function endText({ sources, missing, failed }: Tally, out: string | undefined): string {
  const known = sources - missing - failed;
  const parts = [`${count(known)} in the lockfile`];
  if (missing > 0) parts.push(`${count(missing)} missing or changed`);
  if (failed > 0) parts.push(`${count(failed)} failed`);
  const hint = missing > 0 ? ' Run it without --frozen to make them.' : '';
  const place = out === undefined ? '' : ` Written to ${out}.`;
  return `${count(sources)} ${sources === 1 ? 'source' : 'sources'}: ${parts.join(', ')}.${place}${hint}`;
}

function summaryOf({ sources, missing, failed }: Tally) {
  return { sources, failed: failed + missing, made: 0, left: 0, milliseconds: 0 };
}

function needsLockfile(): CliError {
  return new CliError('no_lockfile_named', '--frozen works from a lockfile, but none was named.', {
    exit: 'usage',
    hint: 'Name the folder it is in with --out DIR, or the file itself with --lock FILE.',
  });
}
