import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { isSingle } from '../../batch/sources/sources.ts';
import type { BatchCall } from '../batch/call.ts';
import { keepMemoryFlat } from '../batch/flat-memory.ts';
import { rootsOf, specOf } from '../batch/sources.ts';
import { addBatchOptions, addSourceOptions, type TypedBatchOptions } from '../batch/typed-options.ts';
import type { Deps } from '../deps.ts';
import { usageError } from '../outcomes.ts';
import type { Runner } from '../runner.ts';
import type { Settings } from '../settings.ts';
import {
  addFormatOption,
  addNdjsonOption,
  addSkinOptions,
  type TypedOutputOptions,
  type TypedSkinOptions,
  typedSettings,
  verifyName,
} from './skin-options.ts';

export interface GenerateOptions extends TypedSkinOptions, TypedOutputOptions, TypedBatchOptions {
  readonly sources: readonly string[];
}

export function register(command: Command, runner: Runner, run = runGenerate): void {
  command
    .description(
      'Submits each source, waits for it and prints the skin: its texture value and signature. Several are worked ' +
        'through as fast as the service allows; with --out a lockfile remembers them, and only what is new or ' +
        'changed is made.',
    )
    .argument('[source...]', 'PNG files, folders of them, URLs, players (UUID or name), - for stdin');
  addSourceOptions(addSkinOptions(command));
  addBatchOptions(addNdjsonOption(addFormatOption(command))).action(
    async (sources: string[], typed: Omit<GenerateOptions, 'sources'>) =>
      await runner(async (deps) => await run({ ...typed, sources }, deps)),
  );
}

export async function runGenerate(typed: GenerateOptions, deps: Deps): Promise<number> {
  verifySources(typed);
  const isOne = await isSingle(specOf(typed), rootsOf(deps.io));
  verifyName(typed, isOne);
  const settings = await deps.settings({ ...typedSettings(typed), slots: typed.slots });
  const cape = await capeOf(typed, settings, deps);
  const purpose = purposeOf('generate', typed, cape);
  const call = { deps, settings, typed, cape, follow: true, isList: !isOne, purpose };
  if (isOne && !isBatchWanted(typed) && !(await isFolder(typed.out))) {
    verifyOneFormat(typed.out, settings.format);
    const { runSingle } = await import('../single.ts');
    return await runSingle(call);
  }
  return await runMany(call);
}

/** Which of the ways to work through many. */
export async function runMany(call: BatchCall): Promise<number> {
  const { dryRun, frozen, fetchLocally } = call.typed;
  if (frozen && (call.typed.force || call.typed.prune || dryRun)) {
    throw usageError(
      'frozen_changes_nothing',
      '--frozen changes nothing: leave out --force, --prune and --dry-run.',
    );
  }
  if (frozen && fetchLocally) {
    throw usageError('frozen_fetches_nothing', '--frozen uses no network: leave out --fetch-locally.');
  }
  if (dryRun || frozen) keepMemoryFlat();
  if (dryRun) return await (await import('../batch/dry-run.ts')).dryRun(call);
  if (frozen) return await (await import('../batch/frozen.ts')).runFrozen(call);
  return await (await import('../batch/run.ts')).runBatchCommand(call);
}

export function verifySources({ sources, from = [] }: GenerateOptions): void {
  if (sources.length > 0 || from.length > 0) return;
  throw usageError(
    'no_source',
    'There is nothing to generate from.',
    'Give a PNG file, a folder, or --from LIST.',
  );
}

export function purposeOf(
  command: string,
  { sources, from, visibility, variant }: GenerateOptions,
  cape: string | undefined,
): string {
  return JSON.stringify([command, process.cwd(), sources, from, visibility, variant, cape]);
}

/** The cape that was typed, if one was. With --frozen there is no service to ask for an alias. */
export async function capeOf(
  { cape, frozen }: GenerateOptions,
  settings: Settings,
  deps: Deps,
): Promise<string | undefined> {
  if (cape === undefined) return undefined;
  const { capeNamed } = await import('../cape-named.ts');
  return await capeNamed(cape, { settings, deps, isOffline: frozen ?? false });
}

/** Whether the command asks for what only a batch does. */
function isBatchWanted({ lock, dryRun, frozen, report, prune, maxNew }: GenerateOptions): boolean {
  return (
    lock !== undefined || report !== undefined || maxNew !== undefined || Boolean(dryRun || frozen || prune)
  );
}

function verifyOneFormat(out: string | undefined, formats: readonly string[] = []): void {
  if (out === undefined || formats.length <= 1) return;
  const hint = 'Give a folder, with a / at its end.';
  throw usageError('one_file_one_format', `${out} is one file, but several formats were asked for.`, hint);
}

/** Whether --out names a folder: one that is there, or by its last character. */
async function isFolder(out: string | undefined): Promise<boolean> {
  if (out === undefined) return false;
  if (/[/\\]$/.test(out)) return true;
  const found = await stat(out).catch(() => undefined); // what is not there yet is to be a file
  return found?.isDirectory() ?? false;
}
