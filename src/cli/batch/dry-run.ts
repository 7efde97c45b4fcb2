import { Coverage } from '../../batch/model.ts';
import { type PlannedSource, type PlanSummary, planBatch } from '../../batch/run/plan-batch.ts';
import { SignerCounts } from '../../batch/signers.ts';
import { estimateSeconds, limitsOf, readAccount, slotsOf } from '../../dispatch/service-facts.ts';
import { exitStatus } from '../errors/exit.ts';
import { sourcesOf } from '../options/skin-options.ts';
import { columnRows } from '../output/described.ts';
import type { GithubReport } from '../output/github.ts';
import { printFailure } from '../terminal/messages.ts';
import { clean, count, jsonDocument, jsonLine, span } from '../text/text.ts';
import { type BatchCall, type Output, openOutput, planInputOf } from './output.ts';
import {
  type BatchPlanView,
  EMPTY_LIST,
  PLAN_COLUMNS,
  type PlannedView,
  printSigners,
  shownPath,
} from './summary.ts';

type Counts = Record<PlanSummary, number>;

/** Reports what a run would do. The only request is one for the limits, and only when there is work to do. */
export async function dryRun(call: BatchCall, github: GithubReport): Promise<number> {
  const { context, typed } = call;
  const { io, flags } = context;
  const counts: Counts = { ...NOTHING };
  const signers = new SignerCounts();
  let needsYes = false;
  const output = openOutput(call, { isDry: true });
  for await (const planned of plan(call, output)) {
    counts[planned.outlook]++;
    if (KNOWN.has(planned.outlook)) output.deliver(planned.result);
    else if (!planned.result.error && planned.outlook !== 'gone') output.await?.(planned.result);
    needsYes ||= planned.isKept === true && !typed.yes;
    if (planned.outlook === 'outdated') signers.outdated(planned.signedBy);
    else if (planned.signedBy) signers.unknownSigner++;
    const { error, source, content } = planned.result;
    if (error) {
      await printFailure(source, error, context);
      github.add({ level: 'error', source, content, problem: error });
    }
    if (typed.ndjson) io.out.write(jsonLine(sourceView(planned)));
    else if (!flags.json && !io.out.isTTY) io.out.write(columnRows(PLAN_COLUMNS, [planned]));
    else if (!flags.json && isListed(planned.outlook)) io.out.write(`${planned.outlook}  ${clean(source)}\n`);
  }
  await printSigners({ outdated: signers.list, unknownSigner: signers.unknownSigner }, call);
  const plain = await planView(counts, signers.unknownSigner, call);
  const view = typed.prune ? { ...plain, needsYes } : plain;
  if (flags.json && !typed.ndjson) io.out.write(jsonDocument(view));
  await github.finish(planText(view), { made: 0, left: toMake(view) + view.refused });
  context.messages.say(planText(view));
  const isPlaced = (await output.tell?.()) !== false;
  if (view.refused > 0 || !isPlaced) return exitStatus('failed');
  return exitStatus(toMake(view) + absent(view) > 0 ? 'toDo' : 'done');
}

/** Sources whose skin is there. */
const KNOWN: ReadonlySet<PlanSummary> = new Set(['locked', 'given', 'made']);

const NOTHING: Counts = {
  new: 0,
  changed: 0,
  outdated: 0,
  locked: 0,
  given: 0,
  made: 0,
  unverified: 0,
  repeated: 0,
  refused: 0,
  gone: 0,
  renamed: 0,
};

function toMake(view: Pick<BatchPlanView, 'new' | 'changed' | 'outdated'>): number {
  return view.new + view.changed + view.outdated;
}

/** Entries to drop or to rename. */
function absent({ gone = 0, renamed = 0 }: Pick<BatchPlanView, 'gone' | 'renamed'>): number {
  return gone + renamed;
}

/** The outcomes that the readable output lists one by one. */
function isListed(outlook: PlanSummary): boolean {
  return outlook === 'changed' || outlook === 'outdated' || outlook === 'gone' || outlook === 'renamed';
}

async function* plan(call: BatchCall, { lockfile, own: outputs }: Output): AsyncGenerator<PlannedSource> {
  const { context, settings, typed } = call;
  const service = await context.service(settings);
  const coverage = typed.prune ? new Coverage() : undefined;
  yield* planBatch({
    sources: sourcesOf(call, { coverage }),
    coverage,
    service,
    ...planInputOf(call),
    lockfile,
    outputs,
    game: await context.game(),
    ownKey: await context.ownKey(),
  });
}

async function planView(counts: Counts, unknownSigner: number, call: BatchCall): Promise<BatchPlanView> {
  const { repeated, refused, locked, given, made, changed, outdated, unverified, gone, renamed } = counts;
  const wanted = toMake(counts);
  return {
    sources: Object.values(counts).reduce((sum, number) => sum + number) - gone - renamed,
    new: counts.new,
    changed,
    outdated,
    known: locked + given + made,
    unknownSigner,
    unverified,
    repeated,
    refused,
    ...(call.typed.prune && { gone, renamed }),
    seconds: wanted === 0 ? 0 : Math.round(await secondsFor(wanted, call)),
  };
}

async function secondsFor(wanted: number, { context, settings, typed }: BatchCall): Promise<number> {
  const count = Math.min(wanted, typed.maxNew ?? wanted);
  const { client } = await context.connect(settings);
  const { name } = await context.service(settings);
  const me = await readAccount({ client, call: { signal: context.signal } });
  return estimateSeconds(count, limitsOf(me, slotsOf(me, settings.slots), name));
}

function sourceView(planned: PlannedSource): PlannedView {
  const { outlook, result, signedBy, outputs, renamedTo } = planned;
  const { source, error } = result;
  const signer = signedBy && { signer: signedBy.signer };
  return {
    source,
    status: outlook,
    ...signer,
    ...(renamedTo !== undefined && { renamedTo }),
    ...(outputs && { outputs: outputs.map(shownPath) }),
    ...(error && { error: { code: error.code, message: error.message } }),
  };
}

function planText(view: BatchPlanView): string {
  const { sources, known, repeated, refused, seconds } = view;
  if (sources + absent(view) === 0) return EMPTY_LIST;
  const parts: [number, string][] = [
    [view.new, 'new'],
    [view.changed, 'changed'],
    [view.outdated, 'signed by another service'],
    [known, 'already known'],
    [view.unverified, 'made but unverified (accept them with --accept-unverified)'],
    [repeated, 'the same as another'],
    [refused, 'cannot be used'],
    [view.renamed ?? 0, 'renamed'],
    [view.gone ?? 0, `gone, to be dropped from the lockfile${view.needsYes ? ' only with --yes' : ''}`],
  ];
  const said = parts.filter(([number]) => number > 0).map(([number, word]) => `${count(number)} ${word}`);
  const toDo = seconds < 1 ? 'This will take a few seconds.' : `It takes at least ${span(seconds)}.`;
  const isIdle = toMake(view) + absent(view) === 0;
  const time = isIdle ? 'Nothing to do.' : toDo;
  return `${count(sources)} ${sources === 1 ? 'source' : 'sources'}: ${said.join(', ')}. ${time}`;
}
