import { join } from 'node:path';
import { estimateSeconds } from '../../batch/plan/estimate.ts';
import { type Outlook, type PlannedSource, planBatch } from '../../batch/plan-batch.ts';
import { limitsOf, slotsOf } from '../../batch/service/first-contact.ts';
import { type Me, ServiceError } from '../../index.ts';
import { exitStatus } from '../exit.ts';
import { jsonDocument, jsonLine } from '../output/json.ts';
import { count, span } from '../output/progress-text.ts';
import { clean, tabRows } from '../output/text.ts';
import type { BatchCall } from './call.ts';
import { tellFailure } from './failures.ts';
import { openOutput } from './output.ts';
import { sourcesOf } from './sources.ts';

/** JSON of the whole plan. Absent values are left out. */
interface PlanView {
  readonly sources: number;
  readonly new: number;
  readonly changed: number;
  readonly known: number;
  readonly duplicates: number;
  readonly refused: number;
  /** How long it takes at the least, by the caller's limits. */
  readonly seconds: number;
}

type Counts = Record<Outlook, number>;

/** Says what would be done. Nothing is sent but a look at the limits, and that only when there is work. */
export async function dryRun(call: BatchCall): Promise<number> {
  const { deps, typed } = call;
  const { io, flags } = deps;
  const counts: Counts = { new: 0, changed: 0, locked: 0, made: 0, duplicate: 0, refused: 0 };
  for await (const planned of plan(call)) {
    counts[planned.outlook]++;
    const { error, source } = planned.result;
    if (error) await tellFailure(source, error, deps);
    if (typed.ndjson) io.out.write(jsonLine(sourceView(planned)));
    else if (!flags.json && !io.out.isTTY) io.out.write(sourceRow(planned));
    else if (!flags.json && isWorth(planned.outlook)) io.out.write(`${planned.outlook}  ${clean(source)}\n`);
  }
  const view = await planView(counts, call);
  if (flags.json && !typed.ndjson) io.out.write(jsonDocument(view));
  deps.talk.say(planText(view));
  if (view.new + view.changed > 0) return exitStatus('toDo');
  return exitStatus(view.refused > 0 ? 'failed' : 'done');
}

/** What a person wants to see one by one. */
function isWorth(outlook: Outlook): boolean {
  return outlook === 'changed';
}

async function* plan(call: BatchCall): AsyncGenerator<PlannedSource> {
  const { deps, settings, typed } = call;
  const service = await deps.service(settings);
  yield* planBatch({
    sources: sourcesOf(call),
    service,
    stateDir: join(deps.folders.data, 'batches'),
    lockfile: openOutput(call, { isDry: true }).lockfile,
    purpose: call.purpose,
    variant: settings.variant,
    visibility: settings.visibility,
    cape: call.cape,
    force: typed.force,
    signal: deps.signal,
  });
}

async function planView(counts: Counts, call: BatchCall): Promise<PlanView> {
  const { duplicate, refused, locked, made, changed } = counts;
  const wanted = counts.new + changed;
  return {
    sources: wanted + locked + made + duplicate + refused,
    new: counts.new,
    changed,
    known: locked + made,
    duplicates: duplicate,
    refused,
    seconds: wanted === 0 ? 0 : Math.round(await secondsFor(wanted, call)),
  };
}

async function secondsFor(wanted: number, { deps, settings }: BatchCall): Promise<number> {
  const { client, isEmbedded } = await deps.connect(settings);
  const me = await readMe(() => client.me({ signal: deps.signal }));
  return estimateSeconds(wanted, limitsOf(me, slotsOf(me, settings.slots), isEmbedded));
}

/** Callers without an account have no limits to read. */
async function readMe(read: () => Promise<Me>): Promise<Me | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'user_not_found' || error.code === 'unauthorized')) {
      return undefined;
    }
    throw error;
  }
}

function sourceView({ outlook, result: { source, error } }: PlannedSource) {
  return { source, outlook, ...(error && { error: { code: error.code, message: error.message } }) };
}

/** `source, outlook, why`. */
function sourceRow({ outlook, result: { source, error } }: PlannedSource): string {
  return tabRows([[source, outlook, error?.message]]);
}

function planText(view: PlanView): string {
  const { sources, known, duplicates, refused, seconds } = view;
  const parts: [number, string][] = [
    [view.new, 'new'],
    [view.changed, 'changed'],
    [known, 'known already'],
    [duplicates, 'the same as another'],
    [refused, 'cannot be used'],
  ];
  const said = parts.filter(([number]) => number > 0).map(([number, word]) => `${count(number)} ${word}`);
  const toDo = seconds < 1 ? 'It takes a moment.' : `It takes about ${span(seconds)} at the least.`;
  const time = view.new + view.changed === 0 ? 'Nothing to do.' : toDo;
  return `${count(sources)} ${sources === 1 ? 'source' : 'sources'}: ${said.join(', ')}. ${time}`;
}
