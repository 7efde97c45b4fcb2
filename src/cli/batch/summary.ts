import type { BatchEvent, BatchSummary } from '../../batch/api/batches.ts';
import { exitStatus } from '../errors/exit.ts';
import { count, span } from '../text/quantities.ts';
import type { BatchCall } from './call.ts';
import { exitAfterFailures } from './failure-exit.ts';
import { printSignerNotice } from './signer-notice.ts';
import { printSigners } from './signers.ts';

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
  const { context, follow, typed } = call;
  if (summary.end === 'interrupted') {
    context.messages.say(interruptionText(summary));
    context.signal.throwIfAborted();
  }
  const isWorthSaying = summary.sources !== 1 || typed.out !== undefined;
  if (isWorthSaying) context.messages.say(`${summaryText(summary, follow)}${placeText(summary, typed.out)}`);
  if (summary.end === 'stopped') {
    context.messages.say(`Stopped at --max-new ${typed.maxNew}: ${count(summary.left)} or more are left.`);
  }
  if ((follow ? summary.made : summary.submitted) > 0) await printSignerNotice(call);
  if (summary.unproved > 0) await context.messages.warn(unprovedText(summary));
  if (summary.failed > 0) return exitStatus(exitAfterFailures(failures));
  return exitStatus(summary.end === 'stopped' ? 'toDo' : 'done');
}

function interruptionText({ queued, finished, sources }: BatchSummary): string {
  const jobs = queued === 1 ? '1 job is' : `${count(queued)} jobs are`;
  const queue = queued === 0 ? '' : ` ${jobs} still in the queue.`;
  return `Stopped with ${count(finished)} of ${count(sources)} sources done.${queue} Run the same command again to continue.`;
}

function summaryText(summary: BatchSummary, follow: boolean): string {
  const { sources, made, resumed, failed, finished, submitted, milliseconds } = summary;
  const known = finished - made - resumed - failed;
  const earlier = resumed > 0 ? ` (${count(resumed)} in an earlier run)` : '';
  const parts = follow
    ? [`${count(made + resumed)} made${earlier}`, known > 0 ? `${count(known)} already known` : undefined]
    : [`${count(submitted)} submitted`];
  parts.push(failed > 0 ? `${count(failed)} failed` : undefined);
  const seconds = milliseconds / 1_000;
  const time = seconds < 1 ? '' : ` in ${span(seconds)}`;
  return `${count(sources)} ${sources === 1 ? 'source' : 'sources'}: ${parts.filter(Boolean).join(', ')}${time}.`;
}

function unprovedText({ unproved }: BatchSummary): string {
  const skins = unproved === 1 ? '1 signature' : `${count(unproved)} signatures`;
  return `${skins} could not be verified: no known key of the game or of the service matches.`;
}

function placeText({ lockfile, finished, failed }: BatchSummary, out: string | undefined): string {
  const dropped =
    lockfile && lockfile.dropped > 0 ? ` ${count(lockfile.dropped)} dropped from the lockfile.` : '';
  return `${dropped}${out === undefined || finished === failed ? '' : ` Written to ${out}.`}`;
}
