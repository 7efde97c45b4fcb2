import type { BatchEvent, BatchSummary, LockfileOutcome } from '../../batch/options.ts';
import { CliError, exitStatus } from '../errors/exit.ts';
import { jsonLine } from '../text/json.ts';
import { count, span } from '../text/quantities.ts';
import type { BatchCall } from './call.ts';
import { exitAfterFailures } from './failure-exit.ts';
import { shownPath } from './plan-output.ts';
import { printSignerNotice } from './signer-notice.ts';
import { printSigners } from './signers.ts';
import { sharedIn, summaryView } from './summary-output.ts';

const GONE_LINES = 20;

/** Printed once, when all sources are read and there are skins to generate. */
export async function printPlan(
  { progress, seconds = 0, outdated, unknownSigner }: Extract<BatchEvent, { type: 'planned' }>,
  call: BatchCall,
): Promise<void> {
  const { context } = call;
  await printSigners({ outdated, unknownSigner }, call);
  if (progress.wanted === 0 || progress.sources < 2) return;
  const known = progress.known > 0 ? `, ${count(progress.known)} already known` : '';
  const time = seconds < 1 ? '' : `; at least ${span(seconds)}`;
  // With --force, the service may have them: it decides what is made.
  const toDo = call.typed.force ? 'to ask the service for' : 'to make';
  await context.messages.note(
    `${count(progress.sources)} sources: ${count(progress.wanted)} ${toDo}${known}${time}.`,
  );
}

/** Prints the outcome and returns the exit status. */
export async function printSummary(
  summary: BatchSummary,
  call: BatchCall,
  failures: ReadonlySet<string>,
): Promise<number> {
  const { context, follow } = call;
  if (context.flags.json) printJson(summary, context);
  else printText(summary, call);
  if (summary.end === 'interrupted') context.signal.throwIfAborted();
  if (madeBy(summary, follow) > 0) await printSignerNotice(call);
  if (summary.unproved > 0) await context.messages.warn(unprovedText(summary));
  if (summary.lockfile?.isRefused) throw pruneRefused(summary.lockfile);
  if (summary.failed > 0) return exitStatus(exitAfterFailures(failures));
  return exitStatus(isToDo(summary, call) ? 'toDo' : 'done');
}

/** A batch that makes some of its skins has done its part: the next one goes on. */
function isToDo(summary: BatchSummary, { follow, typed }: BatchCall): boolean {
  if (summary.end !== 'stopped') return false;
  const isStuck = madeBy(summary, follow) + summary.existing + summary.resumed === 0;
  return isStuck || (typed.failIfLeft ?? false);
}

function madeBy({ made, submitted }: BatchSummary, follow: boolean): number {
  return follow ? made : submitted;
}

/** On stderr, where errors are: stdout has the results. */
function printJson(summary: BatchSummary, { io, flags }: BatchCall['context']): void {
  if (!flags.quiet) io.err.write(jsonLine({ summary: summaryView(summary) }));
}

function printText(summary: BatchSummary, { context, follow, typed }: BatchCall): void {
  const { messages } = context;
  if (summary.end === 'interrupted') {
    messages.say(interruptionText(summary));
    return;
  }
  if (summary.sources !== 1 || typed.out !== undefined)
    messages.say(`${summaryText(summary, follow)}${placeText(summary, typed.out)}`);
  for (const line of goneLines(summary, GONE_LINES)) messages.say(line);
  if (summary.end === 'stopped')
    messages.say(`Stopped at --max-new ${typed.maxNew}. Run the same command again to make the rest.`);
}

/** What was dropped from the lockfile, up to a number of lines. */
function goneLines({ lockfile }: BatchSummary, most: number): string[] {
  if (!lockfile || lockfile.isRefused) return [];
  const { gone } = lockfile;
  const lines = gone.slice(0, most).map(({ label, outputs }) => {
    const files = outputs.length === 0 ? '' : `; removed ${outputs.map(shownPath).join(', ')}`;
    return `Dropped ${label} from the lockfile${files}.`;
  });
  return gone.length > most ? [...lines, `… and ${count(gone.length - most)} more.`] : lines;
}

function pruneRefused({ gone }: Pick<LockfileOutcome, 'gone'>): CliError {
  const [first] = gone;
  const whose =
    gone.length === 1 ? `${first?.label} is` : `${first?.label} and ${count(gone.length - 1)} more are`;
  return new CliError(
    'prune_would_empty',
    `${whose} gone: dropping them would leave nothing of the lockfile or of a folder, so they stay.`,
    { hint: 'Check that the folder is the right one. To drop them, add: --yes' },
  );
}

function interruptionText({ queued, finished, sources }: BatchSummary): string {
  const jobs = queued === 1 ? '1 job is' : `${count(queued)} jobs are`;
  const queue = queued === 0 ? '' : ` ${jobs} still in the queue.`;
  return `Stopped with ${count(finished)} of ${count(sources)} sources done.${queue} Run the same command again to continue.`;
}

/** What happened to the sources, in a sentence. */
export function summaryText(summary: BatchSummary, follow: boolean): string {
  const { sources, milliseconds } = summary;
  const subject = `${count(sources)} ${sources === 1 ? 'source' : 'sources'}`;
  if (isUpToDate(summary)) return `${subject}: up to date.`;
  const outcomes = outcomesOf(summary, follow).filter(([number]) => number > 0);
  const parts = outcomes.map(([number, text]) => `${count(number)} ${text}`);
  const seconds = milliseconds / 1_000;
  const time = seconds < 1 ? '' : ` in ${span(seconds)}`;
  return `${subject}: ${parts.join(', ')}${time}.`;
}

/** Nothing was to do. */
function isUpToDate({ made, resumed, existing, given, submitted, failed, left }: BatchSummary): boolean {
  return made + resumed + existing + given + submitted + failed + left === 0;
}

function outcomesOf(summary: BatchSummary, follow: boolean): (readonly [number, string])[] {
  const { made, resumed, existing, unchanged, given, submitted, failed, left } = summary;
  const earlier = resumed > 0 ? ` (${count(resumed)} in an earlier run)` : '';
  const submissions = existing === 1 ? '1 submission' : `${count(existing)} submissions`;
  const shared: [number, string] = [sharedIn(summary), 'the same as another'];
  return [
    follow ? [made + resumed, `made${earlier}`] : [submitted, 'submitted'],
    [existing, `already at the service (${submissions})`],
    [unchanged, 'unchanged'],
    [given, 'given as skin data'],
    follow ? shared : [0, ''],
    [failed, 'failed'],
    [left, 'left'],
  ];
}

function unprovedText({ unproved }: BatchSummary): string {
  const skins = unproved === 1 ? '1 signature' : `${count(unproved)} signatures`;
  return `${skins} could not be verified: no known key of the game or of the service matches.`;
}

function placeText(summary: BatchSummary, out: string | undefined): string {
  const { lockfile, finished, failed } = summary;
  const dropped =
    lockfile && lockfile.dropped > 0 ? ` ${count(lockfile.dropped)} dropped from the lockfile.` : '';
  const isWritten = out !== undefined && finished > failed && !isUpToDate(summary);
  return `${dropped}${isWritten ? ` Written to ${out}.` : ''}`;
}
