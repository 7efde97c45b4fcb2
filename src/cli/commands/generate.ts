import { existsSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { isSingle } from '../../batch/sources/arguments.ts';
import { type BatchCall, kindOfOut, verifyOneFile } from '../batch/output.ts';
import { keepMemoryFlat, runBatchCommand } from '../batch/run.ts';
import { PLAN_OUTPUT } from '../batch/summary.ts';
import type { Settings } from '../config/settings.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { reportOf } from '../errors/error-report.ts';
import { usageError } from '../errors/exit.ts';
import { nonEmpty } from '../options/option-values.ts';
import {
  addBatchOptions,
  addOutputOptions,
  addSkinOptions,
  addSourceOptions,
  rootsOf,
  SOURCE_KINDS,
  specOf,
  type TypedBatchOptions,
  type TypedOutputOptions,
  type TypedSkinOptions,
  typedSettings,
  verifyName,
  verifySources,
} from '../options/skin-options.ts';
import type { DocumentCheck, FormatCheck } from '../output/document-check.ts';
import { type FormatChoice, isPackFormat } from '../output/format-names.ts';
import { formatOf, sampleOf } from '../output/formats.ts';
import { GithubReport } from '../output/github.ts';
import { JOB_OUTPUT, openFormats, RESULT_OUTPUT } from '../output/results.ts';
import { invalidTemplate } from '../output/templates.ts';
import { addPictureOption, type TypedPictureOption } from '../output/terminal-picture.ts';
import type { PackSkins } from '../pack/pack-skins.ts';
import type { IntoPlugin } from '../plugins/into-plugin.ts';

const INTO = [
  '--into <folder>',
  `put the skins into the files of a plugin, such as plugins/FancyNpcs, for its NPCs of the same names; everything else in it stays`,
  nonEmpty,
] as const;

export interface GenerateCommandOptions
  extends TypedSkinOptions,
    TypedOutputOptions,
    TypedBatchOptions,
    TypedPictureOption {
  readonly sources: readonly string[];
}

export const generate = {
  description:
    'Make skins and print their values and signatures.\n' +
    'Submits every source, waits for the skins and prints them. Several sources are made as fast as ' +
    'the service allows. With --out, a lockfile remembers the results, so that the next run makes ' +
    'only what is new or has changed.',
  examples: {
    'Make a skin and print its value and signature': 'skinsmith generate skin.png',
    'Make all skins in a folder; run it again to make only what has changed':
      'skinsmith generate skins/ --recursive --out signed/',
    'Print a command that gives you the head of a player': 'skinsmith generate --player Notch --format give',
  },
  output: [RESULT_OUTPUT, ...PLAN_OUTPUT],
  declare(command) {
    command.argument('[source...]', SOURCE_KINDS);
    addSkinOptions(addSourceOptions(command));
    addBatchOptions(addPictureOption(addOutputOptions(command).option(...INTO)));
  },
  run: runGenerate,
} satisfies CommandModule;

export async function runGenerate(
  sources: readonly string[],
  options: Omit<GenerateCommandOptions, 'sources'>,
  context: CommandContext,
): Promise<number> {
  const { call, isOne, isFolder } = await readCall('generate', { ...options, sources }, context, true);
  if (call.pack && needsOnlyPack(call)) {
    const { printCommands } = await import('../pack/print-commands.ts');
    return await printCommands(call, call.pack);
  }
  if (isOne && !isBatchWanted(options) && !isFolder) {
    const { makeOneSkin } = await import('../batch/make-one-skin.ts');
    return await makeOneSkin(call);
  }
  return await runMany(call);
}

/** Whether no skins have to be made: a pack has the textures for all that is to be printed. */
function needsOnlyPack({ settings: { format = [] }, typed }: BatchCall): boolean {
  return format.length > 0 && format.every(isPackFormat) && !isBatchWanted(typed) && typed.cape === undefined;
}

/** Reads what the user wants made, before anything is sent or written. @throws CliError */
async function readCall(
  command: string,
  { out, ...rest }: GenerateCommandOptions,
  context: CommandContext,
  follow: boolean,
): Promise<{ readonly call: BatchCall; readonly isOne: boolean; readonly isFolder: boolean }> {
  const typed: GenerateCommandOptions = out === '-' || out === undefined ? rest : { ...rest, out }; // results go to stdout anyway
  const spec = specOf(typed);
  verifySources(spec);
  verifyOnePlace(typed);
  const isOne = await isSingle(spec, rootsOf(context));
  verifyName(typed, isOne);
  const settings = await context.settings({ ...typedSettings(typed), slots: typed.slots });
  const check = follow ? await checkFor(settings.format) : undefined;
  const isFolder = namesFolder(typed.out, { isOne, formats: settings.format });
  const cape = await capeOf(typed, settings, context);
  const { sources, player, from, visibility, variant } = typed;
  const purpose = JSON.stringify([command, process.cwd(), sources, player, from, visibility, variant, cape]);
  const pack = settings.format?.some(isPackFormat) ? await openPack(typed, context) : undefined;
  const into = typed.into === undefined ? undefined : await openInto(typed.into);
  const call = { context, settings, typed, cape, follow, isList: !isOne, purpose, pack, check, into };
  return { call, isOne, isFolder };
}

/** @throws CliError if the skins are to go to two places */
function verifyOnePlace({ into, out, format }: GenerateCommandOptions): void {
  if (into === undefined) return;
  const other = out !== undefined ? '--out' : format !== undefined ? '--format' : undefined;
  if (other === undefined) return;
  throw usageError(
    'which_output',
    `--into cannot be combined with ${other}.`,
    'Run skinsmith twice, with the same --lock FILE: the second run makes nothing again.',
  );
}

/** Opens the files of a plugin before anything is paid for. @throws CliError */
async function openInto(folder: string): Promise<IntoPlugin> {
  const { IntoPlugin: Into } = await import('../plugins/into-plugin.ts');
  return new Into(folder);
}

/**
 * The check of the documents that templates with a head and a foot make. Such a template must be in order itself, before anything
 * is paid for. @throws CliError
 */
async function checkFor(choices: readonly FormatChoice[] | undefined): Promise<FormatCheck | undefined> {
  const framed = (openFormats(choices) ?? []).map(formatOf).filter(({ template }) => template?.().frame);
  if (framed.length === 0) return undefined;
  const { documentCheckFor } = await import('../output/document-check.ts');
  const checks = new Map<string, DocumentCheck | undefined>();
  for (const { extension, template } of framed) {
    const check = await documentCheckFor(extension);
    const fault = template && check?.(sampleOf(template()));
    if (fault !== undefined) throw invalidTemplate(`What the template makes ${fault}.`);
    checks.set(extension, check);
  }
  return (text, { extension, template }) => (template?.().frame ? checks.get(extension)?.(text) : undefined);
}

/** The pack that the user names, if any. @throws CliError */
async function openPack(
  typed: TypedOutputOptions,
  { messages }: CommandContext,
): Promise<PackSkins | undefined> {
  if (typed.pack === undefined && typed.namespace === undefined) return undefined;
  const { packNamed } = await import('../pack/pack-skins.ts');
  return await packNamed(typed, messages);
}

/** Whether `--out` names a folder. @throws CliError if it names one file, but there is more to write */
function namesFolder(
  out: string | undefined,
  several: { readonly isOne: boolean; readonly formats: readonly FormatChoice[] | undefined },
): boolean {
  if (out === undefined) return false;
  verifyOneFile(out, several);
  return kindOfOut(out, several.formats) === 'folder';
}

/** Runs the batch. Errors are also reported in the form that GitHub Actions shows; a new output folder that stayed empty is removed. */
async function runMany(call: BatchCall): Promise<number> {
  const github = new GithubReport(call.context);
  const { out } = call.typed;
  const isNew = out !== undefined && !existsSync(out);
  try {
    return await runAsTyped(call, github);
  } catch (error) {
    const report = reportOf(error, call.context);
    if (report) await github.fail(report);
    throw error;
  } finally {
    if (isNew) removeEmpty(out);
  }
}

function removeEmpty(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() && readdirSync(folder).length === 0) rmdirSync(folder);
}

/** A dry run, a frozen run or a batch, as the options say. */
async function runAsTyped(call: BatchCall, github: GithubReport): Promise<number> {
  const { dryRun, frozen, fetchLocally } = call.typed;
  if (frozen && (call.typed.force || call.typed.prune || dryRun)) {
    throw usageError(
      'frozen_changes_nothing',
      '--frozen cannot be combined with --force, --prune or --dry-run.',
    );
  }
  if (frozen && fetchLocally) {
    throw usageError(
      'frozen_fetches_nothing',
      '--frozen uses no network and cannot be combined with --fetch-locally.',
    );
  }
  if (call.typed.allowNew && !frozen) {
    throw usageError('needs_frozen', '--allow-new works only with --frozen.', 'Add --frozen.');
  }
  if (dryRun || frozen) keepMemoryFlat();
  if (dryRun) return await (await import('../batch/dry-run.ts')).dryRun(call, github);
  if (frozen) return await (await import('../batch/frozen.ts')).runFrozen(call, github);
  return await runBatchCommand(call, { github });
}

/** The cape that the user named, if any. With --frozen there is no service to resolve an alias. */
async function capeOf(
  { cape, frozen }: GenerateCommandOptions,
  settings: Settings,
  context: CommandContext,
): Promise<string | undefined> {
  if (cape === undefined) return undefined;
  const { capeNamed } = await import('../nouns.ts');
  return await capeNamed(cape, { settings, context, isOffline: frozen ?? false });
}

/** Whether the command uses options that only a batch has. */
function isBatchWanted({ lock, into, dryRun, frozen, report, prune, maxNew }: TypedBatchOptions): boolean {
  const given = [lock, into, report, maxNew].some((one) => one !== undefined);
  return given || Boolean(dryRun || frozen || prune);
}

interface QueueOptions extends GenerateCommandOptions {
  readonly wait?: boolean;
}

export const queue = {
  description:
    'Submit skins to the queue without waiting for them.\n' +
    'Submits each source as soon as the queue has a free slot and prints its job. With --wait, ' +
    'follows the jobs and prints the skins instead.',
  examples: {
    'Submit a folder and print the jobs': 'skinsmith queue skins/',
    'Submit a list of sources and wait for the skins': 'skinsmith queue --from skins.csv --wait',
  },
  output: [JOB_OUTPUT, { mode: '--wait', ...RESULT_OUTPUT }, ...PLAN_OUTPUT],
  declare(command) {
    command.argument('[source...]', SOURCE_KINDS);
    addSkinOptions(addSourceOptions(command));
    addBatchOptions(addOutputOptions(command).option('--wait', 'wait for the jobs and print the skins'));
  },
  run: runQueue,
} satisfies CommandModule;

export async function runQueue(
  sources: readonly string[],
  options: Omit<QueueOptions, 'sources'>,
  context: CommandContext,
): Promise<number> {
  const { wait: follow = false, ...typed } = options;
  if (!follow) verifyNeedsNoEnd(typed);
  const command = follow ? 'queue --wait' : 'queue';
  const { call } = await readCall(command, { ...typed, sources }, context, follow);
  return await runMany(call);
}

/** Rejects options about results: `queue` ends before there are any. */
function verifyNeedsNoEnd({ out, frozen, report, prune }: Omit<QueueOptions, 'sources'>): void {
  const wrong = {
    '--out': out === '-' ? undefined : out,
    '--frozen': frozen,
    '--report': report,
    '--prune': prune,
  };
  const [name] = Object.entries(wrong).find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return;
  throw usageError(
    'needs_wait',
    `${name} needs finished skins; queue does not wait for them.`,
    'Add --wait.',
  );
}
