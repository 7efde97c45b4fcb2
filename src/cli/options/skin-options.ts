import { type Command, InvalidArgumentError, Option } from 'commander';
import { MAX_SHOWN_NAME, shownName, shownNameProblem } from '../../base/text.ts';
import type { BatchSource, Coverage } from '../../batch/model.ts';
import { openSources } from '../../batch/sources/arguments.ts';
import { fetchedSources } from '../../batch/sources/fetch-locally.ts';
import type { RequiredSigner } from '../../batch/verify-skin.ts';
import { parseBaseUrl } from '../../client/requester.ts';
import { type GameRange, GameRangeError, NEWEST_GAME, parseGames } from '../../pack/games.ts';
import { namespaceProblem } from '../../pack/names.ts';
import { readProxies } from '../config/network-settings.ts';
import type { SettingName } from '../config/settings.ts';
import type { CommandContext } from '../context/context.ts';
import { usageError } from '../errors/exit.ts';
import {
  FORMAT_NAMES,
  formatsFault,
  isFormatChoice,
  PACK_FORMATS,
  splitFormats,
} from '../output/format-names.ts';
import { REPORT_KINDS, type ReportKind } from '../output/reports/report.ts';
import { openStdin } from '../terminal/read-input.ts';
import { clean } from '../text/text.ts';
import { network, nonEmpty, refuseCredentials, timeoutOption, wholeNumber } from './option-values.ts';

/** The option that allows outputs to replace other people's files. */
export const OVERWRITE = [
  '--overwrite',
  'replace files that skinsmith did not write, but never a source',
] as const;

/** Digits of a fingerprint shown to distinguish keys. */
const FINGERPRINT = /^[0-9a-f]{16,64}$/;

export function requireSignerOption(): Option {
  const who = 'game, the address of a service, or the fingerprint of a key';
  return new Option(
    '--require-signer <who>',
    `fail skins that were not signed by this signer: ${who}`,
  ).argParser(requiredSigner);
}

/** Parses `game`, an address, or (the first digits of) a key's fingerprint. @throws InvalidArgumentError */
function requiredSigner(text: string): RequiredSigner {
  if (text === 'game') return { kind: 'game' };
  const digits = text.replaceAll(':', '').toLowerCase();
  if (FINGERPRINT.test(digits)) return { kind: 'key', fingerprint: digits };
  refuseCredentials(text);
  try {
    return { kind: 'service', address: parseBaseUrl(text).baseUrl };
  } catch {
    throw new InvalidArgumentError('Give game, the address of a service, or the fingerprint of a key.');
  }
}

export interface TypedSkinOptions {
  readonly name?: string;
  readonly variant?: string;
  readonly visibility?: string;
  readonly cape?: string;
}

export interface TypedOutputOptions {
  /** Names of formats, comma-separated. */
  readonly format?: string;
  /** Of the pack that has the textures. */
  readonly namespace?: string;
  /** That pack: a zip, a folder or an index. */
  readonly pack?: string;
  /** Version of the game for commands. */
  readonly game?: string;
  readonly ndjson?: boolean;
}

export function variantOption(): Option {
  const about = 'arm variant; auto detects it from the picture';
  return new Option('--variant <variant>', about).choices(['auto', 'classic', 'slim']);
}

export function armVariantOption(about: string): Option {
  return new Option('--variant <variant>', about).choices(['classic', 'slim']);
}

export function visibilityOption(about: string): Option {
  return new Option('--visibility <visibility>', about).choices(['public', 'unlisted', 'private']);
}

export function addSkinOptions(command: Command): Command {
  return command
    .optionsGroup('Skins:')
    .option(
      '--name <name>',
      `name of the skin, at most ${MAX_SHOWN_NAME} characters (default: the file name)`,
    )
    .addOption(variantOption())
    .addOption(visibilityOption('who can find the skin'))
    .option('--cape <cape>', 'UUID or alias of a cape for the skin (see skinsmith capes list)');
}

export function addFormatOption(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--format <formats>',
        'what to print or write for each skin, comma-separated: json, value, give, citizens and others (see skinsmith help formats), or template:FILE',
      ).argParser(formatsIn),
    )
    .option(
      '--pack <pack>',
      `for ${PACK_FORMATS.join(', ')}: use the textures of this pack (a zip, a folder or an index)`,
      nonEmpty,
    )
    .option(
      '--namespace <name>',
      'the namespace of that pack; without --pack, skinsmith guesses IDs from the names of the sources',
      packNamespace,
    )
    .option(
      '--game <version>',
      `version of Minecraft for ${PACK_FORMATS.join(', ')} (default: ${NEWEST_GAME})`,
      gameVersion,
    );
}

/** @throws InvalidArgumentError */
export function packNamespace(text: string): string {
  const problem = namespaceProblem(text);
  if (problem === undefined) return text;
  throw new InvalidArgumentError(`A namespace ${problem}.`);
}

/** Every version since the oldest that packs are for has the same commands. @throws InvalidArgumentError */
function gameVersion(text: string): string {
  const { from, to } = gameRange(text);
  if (from === to) return from;
  throw new InvalidArgumentError('It must be one version.');
}

/** @throws InvalidArgumentError */
export function gameRange(text: string): GameRange {
  try {
    return parseGames(text);
  } catch (error) {
    if (error instanceof GameRangeError) throw new InvalidArgumentError(`It ${error.message}.`);
    throw error;
  }
}

/** Validates here, so that the error names the option; the setting itself is parsed from the text. */
function formatsIn(text: string): string {
  const unknown = splitFormats(text).find((name) => !isFormatChoice(name));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`Unknown format ${unknown}. Formats: ${FORMAT_NAMES.join(', ')}.`);
  const fault = formatsFault(text);
  if (fault === undefined) return text;
  throw new InvalidArgumentError(`It ${fault}.`);
}

function addNdjsonOption(command: Command): Command {
  return command.option('--ndjson', 'print one line of JSON per result as it arrives');
}

/** The options that correspond to settings, as settings. */
export function typedSettings(
  typed: TypedSkinOptions & TypedOutputOptions & Pick<TypedCheckOptions, 'allowNetwork'>,
): Partial<Record<SettingName, unknown>> {
  const { variant, visibility, format } = typed;
  return { variant, visibility, format, 'allow-network': typed.allowNetwork };
}

/** @throws CliError when the name is invalid, or would apply to several skins */
export function verifyName({ name }: TypedSkinOptions, isSingle: boolean): void {
  if (name === undefined) return;
  if (!isSingle) {
    throw usageError(
      'name_for_several',
      '--name names one skin, but several sources were given.',
      'Leave --name out: each skin is named after its file.',
    );
  }
  const problem = shownNameProblem(name);
  if (problem !== undefined) throw usageError('invalid_name', `The name "${clean(name)}" ${problem}.`);
}

interface TypedSourceOptions {
  readonly recursive?: boolean;
  readonly ignore?: readonly string[];
  readonly from?: readonly string[];
  readonly player?: readonly string[];
  readonly as?: 'file' | 'url' | 'user';
  readonly fit?: boolean;
  /** Fetch URLs on this machine and upload the images. */
  readonly fetchLocally?: boolean;
}

interface TypedLockfileOptions {
  readonly lock?: string;
  readonly frozen?: boolean;
  readonly force?: boolean;
  readonly prune?: boolean;
  /** With `frozen`: sources that are not in the lockfile are no failure. */
  readonly allowNew?: boolean;
  readonly yes?: boolean;
  readonly keepSignatures?: boolean;
}

interface TypedCheckOptions {
  /** False: `--no-verify`. */
  readonly verify?: boolean;
  readonly requireSigner?: RequiredSigner;
  readonly acceptUnverified?: boolean;
  readonly allowNetwork?: readonly string[];
}

export interface TypedBatchOptions extends TypedSourceOptions, TypedLockfileOptions, TypedCheckOptions {
  readonly out?: string;
  /** Folder of a plugin. */
  readonly into?: string;
  readonly overwrite?: boolean;
  readonly report?: readonly ReportRequest[];
  readonly dryRun?: boolean;
  readonly maxNew?: number;
  readonly failIfLeft?: boolean;
  readonly retries?: number;
  readonly resubmitLost?: boolean;
  readonly slots?: string;
}

/** A report to write: `html=contact-sheet.html`. */
interface ReportRequest {
  readonly kind: ReportKind;
  readonly path: string;
}

/** The kinds of source, for help. */
export const SOURCE_KINDS =
  'PNG files, folders, URLs, textures (hash), skins (UUID), players (name or UUID; bedrock:Name), skin data (a texture value, ' +
  '"value signature", JSON with both, a command, skins.lock, JSON from skinsmith, a plugin\'s file or folder), Bedrock skin packs, lists (CSV, NDJSON), ' +
  'or - for stdin';

export function addSourceOptions(command: Command): Command {
  return addLocalSourceOptions(command).option(
    '--fetch-locally',
    'fetch URLs from this machine, including private networks, and upload the pictures',
  );
}

/** Those of commands that read every source on this machine. */
export function addLocalSourceOptions(command: Command, { fit = true } = {}): Command {
  command
    .optionsGroup('Sources:')
    .option('-r, --recursive', 'recurse into subfolders')
    .option('--ignore <pattern>', 'skip files that match this .gitignore pattern (repeatable)', collect)
    .option(
      '--player <name>',
      "use a player's skin: name or UUID; for Bedrock, .Name or XUID (repeatable)",
      collect,
    )
    .option(
      '--from <list>',
      'read sources from a list of lines, CSV or NDJSON; - for stdin (repeatable)',
      collect,
    )
    .addOption(
      new Option('--as <kind>', 'what kind of sources these are, if that is ambiguous').choices([
        'file',
        'url',
        'user',
      ]),
    );
  if (!fit) return command;
  return command.option(
    '--fit',
    'scale HD skins (128×128 and other multiples) down, cut old skins out of a 64×64 canvas, drop metadata',
  );
}

/** What is printed and written. */
export function addOutputOptions(command: Command): Command {
  return addNdjsonOption(addFormatOption(command.optionsGroup('Output:')))
    .option('--out <path>', 'write one file per source into this folder (for a single source: to this file)')
    .option(...OVERWRITE)
    .option(
      '--report <kind=file>',
      `write a report: ${REPORT_KINDS.join(' or ')} (repeatable)`,
      collectReport,
    );
}

export const ALLOW_NETWORK = [
  '--allow-network <cidr>',
  'private network that textures may be fetched from, such as 10.0.0.0/8 (repeatable)',
  network,
] as const;

/** Options for what to make and what to accept as a result. */
export function addBatchOptions(command: Command): Command {
  return command
    .optionsGroup('Lockfile:')
    .option('--lock <file>', 'lockfile (default: skins.lock in the --out folder)')
    .option('--frozen', 'use only the lockfile, without network; exit with 3 if a skin is missing')
    .option('--allow-new', 'with --frozen: instead of failing, list the skins to be made, moved or dropped')
    .option(
      '--force',
      'ask the service again, even for skins in the lockfile; it may return a skin it already has',
    )
    .option('--keep-signatures', 'keep the skins in the lockfile, from any signer')
    .option(
      '--prune',
      'drop skins from the lockfile and delete their files, if they are gone from their folder or list',
    )
    .option('--yes', 'allow --prune to drop all skins of the lockfile or of a folder')
    .optionsGroup('Plan and limits:')
    .option('--dry-run', 'show what would be done and how long it would take')
    .option(
      '--max-new <number>',
      'submit at most this many new skins; the rest wait for the next run',
      wholeNumber(0),
    )
    .option('--fail-if-left', 'exit with 3 if --max-new left skins to make')
    .option('--retries <number>', 'how often to retry temporary failures (default: 2)', wholeNumber(0))
    .option(
      '--resubmit-lost',
      'submit again what the service no longer shows, although it may be paid for twice',
    )
    .option('--slots <number>', 'maximum number of queue slots to use')
    .addOption(timeoutOption())
    .optionsGroup('Checks of the results:')
    .option('--no-verify', 'do not fetch the textures of results to compare their pixels')
    .option(...ALLOW_NETWORK)
    .option('--accept-unverified', 'accept skins that could not be verified against their sources')
    .addOption(requireSignerOption());
}

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function collectReport(text: string, before: readonly ReportRequest[] = []): readonly ReportRequest[] {
  const [kind, path] = [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)];
  const known = REPORT_KINDS.find((name) => name === kind);
  if (known && path !== '') return [...before, { kind: known, path }];
  throw new InvalidArgumentError(`Give ${REPORT_KINDS.map((name) => `${name}=FILE`).join(' or ')}.`);
}

type TypedSources = Pick<TypedBatchOptions, 'recursive' | 'ignore' | 'from' | 'player' | 'as' | 'fit'> & {
  readonly sources: readonly string[];
};

export function specOf(typed: TypedSources) {
  return {
    args: typed.sources,
    players: typed.player ?? [],
    from: typed.from ?? [],
    recursive: typed.recursive ?? false,
    ignore: typed.ignore ?? [],
    ...(typed.fit && { fit: true }),
    ...(typed.as && { as: typed.as }),
  };
}

/** @throws CliError if nothing names a source */
export function verifySources(
  { args, players, from }: ReturnType<typeof specOf>,
  hint = 'Give a PNG file, a folder, --player NAME, or --from LIST.',
): void {
  if (args.length + players.length + from.length === 0)
    throw usageError('no_source', 'No sources given.', hint);
}

export function rootsOf(context: Pick<CommandContext, 'io' | 'signal'>) {
  return { cwd: process.cwd(), stdin: () => openStdin(context) };
}

interface SourceReadingOptions {
  /** Called with a sentence about each unusable part of a list. */
  readonly warn?: (message: string) => void;
  /** Records the folders and lists that were read whole. */
  readonly coverage?: Coverage | undefined;
}

export function sourcesOf(
  {
    context,
    typed,
    pack,
  }: {
    readonly context: Pick<CommandContext, 'io' | 'signal' | 'env' | 'waits' | 'messages'>;
    readonly typed: TypedSources & Pick<TypedBatchOptions, 'fetchLocally'> & Pick<TypedSkinOptions, 'name'>;
    /** Takes note of each source on its way. */
    readonly pack?: { noted(sources: AsyncIterable<BatchSource>): AsyncIterable<BatchSource> } | undefined;
  },
  { warn = (message) => void context.messages.warn(message), coverage }: SourceReadingOptions = {},
): AsyncIterable<BatchSource> {
  const all = openSources(specOf(typed), { ...rootsOf(context), warn, coverage });
  const found = pack ? pack.noted(all) : all;
  const sources = typed.fetchLocally ? fetched(found, context) : found;
  return typed.name === undefined ? sources : named(sources, typed.name);
}

function fetched(
  sources: AsyncIterable<BatchSource>,
  { signal, env, waits }: Pick<CommandContext, 'signal' | 'env' | 'waits'>,
): AsyncIterable<BatchSource> {
  return fetchedSources(sources, {
    signal,
    proxies: readProxies(env),
    onWait: (wait) => waits.paused(wait),
  });
}

async function* named(sources: AsyncIterable<BatchSource>, name: string): AsyncGenerator<BatchSource> {
  for await (const source of sources) yield { ...source, name: shownName(name) };
}

/** The one skin that an argument names. @throws CliError if it names several, as a folder does */
export async function onlySource(text: string, context: CommandContext): Promise<BatchSource> {
  const sources: BatchSource[] = [];
  const spec = { args: [text], from: [], recursive: false, ignore: [] };
  for await (const source of openSources(spec, rootsOf(context))) {
    sources.push(source);
    if (sources.length > 1) break;
  }
  const [only] = sources;
  if (only && sources.length === 1 && !isEmptyFolder(only)) return only;
  throw usageError('not_one_source', `${text} is not a single skin.`, 'Give one PNG file, not a folder.');
}

/** Its own hint leads to an option that only commands for many skins have. */
function isEmptyFolder({ content }: BatchSource): boolean {
  return content.kind === 'problem' && content.problem.code === 'empty_folder';
}
