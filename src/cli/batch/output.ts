import { statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { DigestCache } from '../../base/digest-cache.ts';
import type { BatchResult } from '../../batch/model/result.ts';
import { usageError } from '../errors/exit.ts';
import { OutputGuard } from '../options/output-guard.ts';
import { renderFile } from '../output/formats/files.ts';
import { FORMATS } from '../output/formats/formats.ts';
import { skinFields } from '../output/views.ts';
import { clean } from '../text/text.ts';
import type { BatchCall } from './call.ts';
import { fromFolder, isInForm, OutputFiles } from './output-files.ts';

/** Where results are written in addition to stdout. */
export interface Output {
  /** Absolute path; undefined without an output folder. */
  readonly lockfile: string | undefined;
  /** Returns the files, as paths from the lockfile's folder. */
  readonly deliver: (result: BatchResult) => readonly string[];
  /** Records which files hold which skin. */
  readonly save: () => void;
}

/** Creates the output folder, unless the caller only wants its path. @throws Error of the file system */
export function openOutput(call: BatchCall, { isDry = false }: { isDry?: boolean } = {}): Output {
  const { context, settings, typed, follow } = call;
  const { out, lock } = typed;
  const kind = out === undefined ? undefined : kindOfOut(out);
  const lockfile =
    lock ?? (out !== undefined && kind === 'folder' && follow ? join(out, 'skins.lock') : undefined);
  const path = lockfile === undefined ? undefined : resolve(lockfile);
  const guard = guardOf(typed);
  if (path !== undefined) guard.verifyNoInput(path);
  const lockDir = dirname(path ?? resolve('skins.lock'));
  if (out === undefined || isDry) return { lockfile: path, deliver: () => [], save: () => {} };
  if (kind === 'file') return { lockfile: path, ...oneFile(out, call, { guard, lockDir }) };
  const digests = DigestCache.open(join(context.folders.data, 'batches', 'outputs.ndjson'), () =>
    context.clock.now(),
  );
  const files = new OutputFiles(out, { formats: settings.format ?? ['json'], digests, guard, lockDir });
  return { lockfile: path, deliver: (result) => files.write(result), save: () => digests.save() };
}

/** Writes to exactly the named file. @throws CliError if it is not one to replace, before anything is paid for */
function oneFile(
  out: string,
  { settings }: BatchCall,
  { guard, lockDir }: { readonly guard: OutputGuard; readonly lockDir: string },
): Pick<Output, 'deliver' | 'save'> {
  const [format = 'json'] = settings.format ?? [];
  const replaceable = { isOurs: (path: string) => isInForm(path, format) };
  guard.verify(out, replaceable);
  const deliver = ({ skin, stem }: BatchResult) => {
    if (!skin) return [];
    guard.write(out, renderFile(format, skinFields(skin), stem).text, replaceable);
    return [fromFolder(lockDir, resolve(out))];
  };
  return { deliver, save: () => {} };
}

/** What outputs must not be written over. */
export function guardOf({ sources, from = [], overwrite }: BatchCall['typed']): OutputGuard {
  return new OutputGuard([...sources, ...from], { overwrite });
}

const EXTENSIONS = Object.values(FORMATS).map(({ extension }) => extension);

/**
 * Whether `--out` names a folder or a file. That must not depend on how many sources there are, which a pattern of the shell
 * decides. @throws CliError if it could be either
 */
export function kindOfOut(out: string): 'folder' | 'file' {
  if (out === '')
    throw usageError('no_output', 'The name after --out is empty.', 'For the current folder, write .');
  if (/[/\\]$/.test(out)) return 'folder';
  const found = statSync(out, { throwIfNoEntry: false });
  if (found) return found.isDirectory() ? 'folder' : 'file';
  if (EXTENSIONS.some((extension) => out.toLowerCase().endsWith(extension))) return 'file';
  if (extname(out) === '') return 'folder';
  const hint = `For a folder, write ${clean(out)}/. A file has the extension of a format, such as .json.`;
  throw usageError('file_or_folder', `Does --out ${clean(out)} name a file or a folder?`, hint);
}

/** @throws CliError if `--out` names one file, but there is more to write */
export function verifyOneFile(
  out: string,
  { isOne, formats = [] }: { readonly isOne: boolean; readonly formats: readonly string[] | undefined },
): void {
  if (kindOfOut(out) === 'folder') return;
  const hint = 'For a folder, end its name with /.';
  if (!isOne)
    throw usageError(
      'one_file_many_sources',
      `${clean(out)} is one file, but several sources are given.`,
      hint,
    );
  if (formats.length <= 1) return;
  throw usageError(
    'one_file_one_format',
    `${clean(out)} is one file, but several formats were asked for.`,
    hint,
  );
}
