import { execFile } from 'node:child_process';
import { basename, dirname, relative } from 'node:path';
import { promisify } from 'node:util';
import type { SignedBy } from '../../batch/model.ts';
import type { BatchEvent, BatchSummary, LockfileOutcome } from '../../batch/options.ts';
import type { PlannedSource, PlanSummary } from '../../batch/run/plan-batch.ts';
import { type OutdatedSkins, type PublicSigningKey, signerText } from '../../batch/signers.ts';
import { classifyFailure } from '../../client/errors.ts';
import { reportOf } from '../errors/error-report.ts';
import { CliError, type ExitName, exitStatus } from '../errors/exit.ts';
import type { ServiceNaming } from '../errors/service-hints.ts';
import type { Columns, CommandOutput, Fields } from '../output/described.ts';
import { count, jsonLine, span } from '../text/text.ts';
import type { BatchCall } from './output.ts';

/** A line of JSON output for one source of the plan. */
export interface PlannedView {
  readonly source: string;
  readonly status: PlanSummary;
  readonly signer?: string;
  readonly renamedTo?: string;
  readonly outputs?: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
}

export const PLAN_COLUMNS = {
  source: ({ result }) => result.source,
  status: ({ outlook }) => outlook,
  message: ({ result, renamedTo, outputs = [] }) =>
    result.error?.message ??
    (renamedTo !== undefined ? `is now ${renamedTo}` : undefined) ??
    (outputs.length > 0 ? `deletes ${outputs.map(shownPath).join(', ')}` : undefined),
} satisfies Columns<PlannedSource>;

/** A path as users type it. */
export function shownPath(path: string): string {
  return relative(process.cwd(), path);
}

const PLAN_FIELDS = {
  sources: 'number of sources',
  new: 'skins to make',
  changed: 'skins to make because the picture or its options have changed',
  outdated: 'skins to make because another service signed the one in the lockfile',
  known: 'skins that are already made',
  unknownSigner: 'known skins with an unknown signer',
  unverified: 'skins made earlier that are unverified (see --accept-unverified)',
  repeated: 'sources with the same picture and options as another',
  refused: 'sources that cannot be used',
  gone: 'with --prune: sources in the lockfile that their folder or list no longer has',
  renamed: 'with --prune: sources in the lockfile whose picture exactly one new source has',
  needsYes: 'with --prune: whether dropping these needs --yes',
  seconds: 'least time to make the skins, in seconds',
};

type WithPrune = 'gone' | 'renamed' | 'needsYes';

/** JSON output for the whole plan. Absent values are omitted. */
export type BatchPlanView = { readonly [Name in Exclude<keyof typeof PLAN_FIELDS, WithPrune>]: number } & {
  readonly [Name in WithPrune]?: Name extends 'needsYes' ? boolean : number;
};

const PLANNED_FIELDS = {
  source: 'the source as you typed it',
  status:
    'new, changed, outdated, locked (in the lockfile), given (skin data), made (in an earlier, ' +
    'interrupted run), unverified, repeated, refused, or with --prune gone (to be dropped from the lockfile) or renamed',
  signer: 'who signed the skin in the lockfile, if that matters',
  renamedTo: 'the new name of a source that was renamed',
  outputs: 'files that --prune deletes with a source that is gone',
  error: { about: 'why the source is refused', fields: { code: 'error code', message: 'what is wrong' } },
} satisfies Fields<PlannedView>;

export const PLAN_OUTPUT: readonly CommandOutput[] = [
  {
    mode: '--dry-run',
    columns: PLAN_COLUMNS,
    columnMeanings: {
      source: PLANNED_FIELDS.source,
      status: PLANNED_FIELDS.status,
      message:
        'why the source is refused, the files that are deleted with one that is gone, or the new name of one',
    },
    json: { shape: 'object', fields: PLAN_FIELDS },
  },
  { mode: '--dry-run --ndjson', json: { shape: 'lines', fields: PLANNED_FIELDS } },
];

export type SummaryView = {
  readonly [Name in keyof typeof SUMMARY_FIELDS]: Name extends 'end' ? BatchSummary['end'] : number;
};

export const SUMMARY_FIELDS = {
  end: 'complete, stopped (by --max-new), halted (nothing more was submitted, see the error) or interrupted (by a signal or --timeout)',
  sources: 'number of sources',
  made: 'sources whose skin was made',
  resumed: 'sources whose skin an earlier, interrupted run made',
  existing: 'sources that were submitted, but whose skin the service already had',
  unchanged: 'sources whose skin is in the lockfile: nothing was sent',
  given: 'sources that are skin data themselves',
  shared: 'sources with the same picture and options as another',
  submitted: 'submissions that the service accepted',
  failed: 'sources without a skin because of an error',
  left: 'sources that are not done: see end; with --frozen, those that are not in the lockfile',
  dropped: 'entries that --prune dropped from the lockfile, because their source is gone',
  gone: 'sources in the lockfile whose folder or list no longer has them',
  renamed: 'sources in the lockfile that have another name now: their entries move',
  seconds: 'time from the first submission to the last result',
};

function summaryView(summary: BatchSummary): SummaryView {
  const { end, sources, made, resumed, existing, unchanged, given, submitted, failed, left } = summary;
  const outcomes = { made, resumed, existing, unchanged, given, shared: sharedIn(summary) };
  const dropped = summary.lockfile?.dropped ?? 0;
  return {
    end,
    sources,
    ...outcomes,
    submitted,
    failed,
    left,
    dropped,
    gone: summary.lockfile?.gone.length ?? 0,
    renamed: summary.lockfile?.renamed.length ?? 0,
    seconds: Math.round(summary.milliseconds) / 1_000,
  };
}

/** Sources that share the skin of another one. */
function sharedIn(summary: BatchSummary): number {
  const { finished, made, resumed, existing, unchanged, given, failed } = summary;
  return finished - made - resumed - existing - unchanged - given - failed;
}

const MERGED = 'The lockfile had conflict markers of a merge: the lines of both sides were kept.';
/** Lines about sources that are gone, and about those that were renamed. */
const MAX_LINES = 20;

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
  const largeness = largenessText(summary.lockfile);
  if (largeness !== undefined) await context.messages.warn(largeness);
  if (summary.lockfile?.isRefused) throw pruneRefused(summary.lockfile);
  if (summary.end === 'halted') throw haltError(summary, context);
  if (summary.end === 'complete' && summary.left > 0 && follow) throw leftError(summary);
  if (summary.failed > 0) return exitStatus(exitAfterFailures(failures));
  return exitStatus(isToDo(summary, call) ? 'toDo' : 'done');
}

/** Nothing that the user chose explains it. */
function leftError({ left }: BatchSummary): CliError {
  const sources = left === 1 ? '1 source has' : `${count(left)} sources have`;
  return new CliError('sources_left', `${sources} neither a skin nor an error.`, {
    hint: 'Run the same command again: it continues with them. This is a bug in skinsmith; please report it.',
  });
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
  if (summary.lockfile?.isMerged) messages.say(MERGED);
  for (const line of [...renameLines(summary), ...goneLines(summary)]) messages.say(line);
  if (summary.end === 'stopped')
    messages.say(
      `Stopped at --max-new ${count(typed.maxNew ?? 0)}. Run the same command again to make the rest.`,
    );
}

function goneLines({ lockfile }: BatchSummary): string[] {
  if (!lockfile || lockfile.dropped === 0) return [];
  return firstOf(lockfile.gone, ({ label, outputs }) => {
    const files = outputs.length === 0 ? '' : `; deleted ${outputs.map(shownPath).join(', ')}`;
    return `Dropped ${label} from the lockfile${files}.`;
  });
}

function renameLines({ lockfile }: BatchSummary): string[] {
  return firstOf(lockfile?.renamed ?? [], ({ from, to, outputs }) => {
    const files = outputs.map((output) => `; ${shownPath(output.from)} is now ${shownPath(output.to)}`);
    return `Renamed ${from} to ${to} in the lockfile${files.join('')}.`;
  });
}

function firstOf<T>(all: readonly T[], line: (one: T) => string): string[] {
  const lines = all.slice(0, MAX_LINES).map(line);
  return all.length > MAX_LINES ? [...lines, `… and ${count(all.length - MAX_LINES)} more.`] : lines;
}

function pruneRefused({ gone }: Pick<LockfileOutcome, 'gone'>): CliError {
  const [first] = gone;
  const whose =
    gone.length === 1 ? `${first?.label} is` : `${first?.label} and ${count(gone.length - 1)} more are`;
  return new CliError(
    'prune_would_empty',
    `${whose} gone: kept, because dropping them would empty the lockfile or a folder.`,
    { hint: 'Check that the folder is the right one. To drop them, add: --yes' },
  );
}

function interruptionText({ queued, finished, sources, allRead }: BatchSummary): string {
  const jobs = queued === 1 ? '1 job is' : `${count(queued)} jobs are`;
  const queue = queued === 0 ? '' : ` ${jobs} still in the queue.`;
  const done = allRead
    ? `${count(finished)} of ${count(sources)} sources done`
    : `${count(finished)} sources done, before all were read`;
  return `Stopped with ${done}.${queue} Run the same command again to continue.`;
}

/** Nothing but a list may have no sources. */
export const EMPTY_LIST = 'No sources: the list is empty.';

/** What happened to the sources, in a sentence. */
export function summaryText(summary: BatchSummary, follow: boolean): string {
  const { sources, milliseconds } = summary;
  if (sources === 0 && summary.end === 'complete') return EMPTY_LIST;
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
  const skins = unproved === 1 ? '1 skin has' : `${count(unproved)} skins have`;
  return `${skins} an unknown signer: no known key of Mojang or of the service matches.`;
}

const MEBIBYTE = 1024 * 1024;
/** See https://docs.github.com/repositories/working-with-files/managing-large-files. */
const GITHUB_WARNS = 50 * MEBIBYTE;

/** Said before a host refuses the file, when there is still time. */
function largenessText(lockfile: LockfileOutcome | undefined): string | undefined {
  if (!lockfile?.written || lockfile.bytes <= GITHUB_WARNS) return undefined;
  const size = count(Math.ceil(lockfile.bytes / MEBIBYTE));
  return (
    `The lockfile has ${size} MiB: GitHub warns of files over 50 MiB and refuses those over 100 MiB. ` +
    'Give each folder a lockfile of its own: --lock FILE'
  );
}

function placeText(summary: BatchSummary, out: string | undefined): string {
  const { lockfile, finished, failed } = summary;
  const dropped =
    lockfile && lockfile.dropped > 0 ? ` ${count(lockfile.dropped)} dropped from the lockfile.` : '';
  const staying = lockfile && lockfile.dropped === 0 && !lockfile.isRefused ? lockfile.gone.length : 0;
  const orphans =
    staying > 0 ? ` ${count(staying)} in the lockfile without a source: --prune drops them.` : '';
  const isWritten = out !== undefined && finished > failed && !isUpToDate(summary);
  return `${dropped}${orphans}${isWritten ? ` Written to ${out}.` : ''}`;
}

/** Exit statuses for failures that are not caused by the source, by error code. */
const EXITS: ReadonlyMap<string, ExitName> = new Map([
  ['game_unreachable', 'tryLater'],
  ['unreachable', 'tryLater'],
  ['job_missing', 'tryLater'],
  ['missing_result', 'tryLater'],
  ['insufficient_grants', 'notAllowed'],
]);

/** The exit status after failures with these codes: a special one only if it holds for all of them. */
export function exitAfterFailures(codes: ReadonlySet<string>): ExitName {
  const [first = 'failed', ...others] = new Set([...codes].map((code) => EXITS.get(code) ?? 'failed'));
  return others.length === 0 ? first : 'failed';
}

/** Reports who signed the skins, in pipes too, since skins for game servers are often generated by scripts. */
export async function printSignerNotice({
  context,
  settings,
}: Pick<BatchCall, 'context' | 'settings'>): Promise<void> {
  if ((await context.service(settings)).name !== 'embedded') return;
  context.messages.say(
    'Signed with your own key. Players with an unmodified Minecraft will not see this skin: for them, sign it with ' +
      'MineSkin (skinsmith login --base-url https://api.mineskin.org), or put NPCs and heads into a resource pack ' +
      '(skinsmith pack). Others can fetch the texture only while skinsmith serve is running.',
  );
}

/** The error that ends a command whose batch did not submit the rest; see `BatchSummary`. */
export function haltError({ halt }: Pick<BatchSummary, 'halt'>, naming: ServiceNaming): unknown {
  const report = reportOf(halt?.error, naming);
  const { kind } = classifyFailure(halt?.error) ?? {};
  if (!report || kind === undefined) return halt?.error;
  const isUnpaid = kind === 'no_credits';
  const then = isUnpaid ? 'Once there are credits' : 'Once it accepts them again';
  return new CliError(report.code, `The service accepts no more skins: ${report.message}`, {
    hint: report.hint ?? `${then}, run the same command again to make the rest.`,
    exit: report.exit === 'failed' ? 'refused' : report.exit,
    cause: halt?.error,
  });
}

/**
 * `12 signed by this machine, not by https://…: will be made again`. Printed in pipes too, because these skins will cost
 * generations.
 */
export async function printSigners(
  {
    outdated,
    unknownSigner,
  }: { readonly outdated: readonly OutdatedSkins[]; readonly unknownSigner: number },
  { context, settings }: Pick<BatchCall, 'context' | 'settings'>,
): Promise<void> {
  if (outdated.length === 0 && unknownSigner === 0) return;
  const { name } = await context.service(settings);
  const own = await context.ownKey();
  for (const { signedBy, sources } of outdated) {
    context.messages.say(
      `${count(sources)} signed by ${signerText(signedBy, own)}, not by ${name}: will be made again`,
    );
  }
  if (outdated.length > 0) await context.messages.note('--keep-signatures keeps them.');
  if (unknownSigner > 0) context.messages.say(unknownText(unknownSigner));
}

function unknownText(unknown: number): string {
  const skins = unknown === 1 ? '1 skin in the lockfile has' : `${count(unknown)} skins in the lockfile have`;
  return `${skins} an unknown signer; kept.`;
}

export class SignerTally {
  readonly #counts = new Map<string, number>();
  readonly #own: PublicSigningKey | undefined;

  constructor(own: PublicSigningKey | undefined) {
    this.#own = own;
  }

  add(signedBy: SignedBy): void {
    const text = signerText(signedBy, this.#own);
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }

  /** `Signed by the game: 10, by this machine: 2.`; empty when there are no skins. */
  get text(): string {
    const parts = [...this.#counts].map(([who, skins]) => `by ${who}: ${count(skins)}`);
    return parts.length === 0 ? '' : `Signed ${parts.join(', ')}.`;
  }
}

/** Milliseconds. */
const LONGEST = 5_000;

/**
 * How git can merge a new lockfile of two branches; undefined where it knows already, outside of a work tree, and without git.
 */
export async function mergeAdvice(lockfile: string): Promise<string | undefined> {
  const name = basename(lockfile);
  const words = ['-C', dirname(lockfile), 'check-attr', 'merge', '--', name];
  try {
    const { stdout } = await promisify(execFile)('git', words, { timeout: LONGEST });
    if (!stdout.trimEnd().endsWith(': unspecified')) return undefined;
  } catch {
    return undefined;
  }
  return `Branches that each add a skin conflict in ${name}, unless .gitattributes has this line: ${name} merge=union`;
}
