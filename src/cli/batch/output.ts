import { hash } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, extname, join, relative, resolve, sep } from 'node:path';
import { DigestCache } from '../../base/digest-cache.ts';
import { isStream, makeFolder } from '../../base/files.ts';
import type { BatchResult } from '../../batch/model.ts';
import { DeliveryError, type OwnOutputs } from '../../batch/options.ts';
import type { GameKeys } from '../../batch/signers.ts';
import { isSignedAsRequired, type RequiredSigner, requiredText } from '../../batch/verify-skin.ts';
import type { Settings } from '../config/settings.ts';
import type { CommandContext } from '../context/context.ts';
import { CliError, usageError } from '../errors/exit.ts';
import type { TypedBatchOptions, TypedOutputOptions, TypedSkinOptions } from '../options/skin-options.ts';
import type { FormatCheck } from '../output/document-check.ts';
import { FORMAT_NAMES, type FormatChoice, isTemplateChoice } from '../output/format-names.ts';
import {
  FORMATS,
  type FormatLike,
  filePath,
  formatOf,
  hasForm,
  renderAll,
  renderFile,
  type SkinToFormat,
} from '../output/formats.ts';
import { OutputGuard, startOf } from '../output/output-guard.ts';
import { openFormats, resultView, skinFields } from '../output/results.ts';
import type { TypedPictureOption } from '../output/terminal-picture.ts';
import type { PackSkins } from '../pack/pack-skins.ts';
import type { IntoPlugin } from '../plugins/into-plugin.ts';
import { clean } from '../text/text.ts';

/** One command over many sources, as the user typed it. */
export interface BatchCall {
  readonly context: CommandContext;
  readonly settings: Settings;
  readonly typed: TypedSkinOptions &
    TypedOutputOptions &
    TypedBatchOptions &
    TypedPictureOption & { readonly sources: readonly string[] };
  /** Follow the jobs until they end; otherwise only submit them. */
  readonly follow: boolean;
  /** UUID of the cape to combine with every skin. */
  readonly cape: string | undefined;
  /** The user named several sources, or a folder: JSON output is then a list, even for a single result. */
  readonly isList: boolean;
  /** Checks the documents of a template with a head and a foot, if their extension says what they are. */
  readonly check?: FormatCheck | undefined;
  readonly into?: IntoPlugin | undefined;
  /** The pack that has the textures, if commands are to use one. */
  readonly pack?: PackSkins | undefined;
  /** Identifies a command that has no lockfile, so that a repeated run resumes where the last one stopped. */
  readonly purpose: string;
}

/** The formats that the user chose. @throws CliError for a template that is not one */
export function formatsOf({ settings, pack }: BatchCall): readonly FormatLike[] | undefined {
  return openFormats(settings.format, { pack });
}

/** What plans and batches know of the command. */
export function planInputOf({ context, settings, typed, cape, purpose }: BatchCall) {
  const { signal, folders } = context;
  const { variant, visibility } = settings;
  const { force, keepSignatures } = typed;
  const stateDir = join(folders.data, 'batches');
  return { stateDir, purpose, variant, visibility, cape, force, keepSignatures, signal };
}

/** Rejects results that another signer signed. @throws DeliveryError */
export async function verifyRequiredSigner(
  result: BatchResult,
  required: RequiredSigner | undefined,
  gameKeys: GameKeys,
): Promise<void> {
  if (!required) return; // before the skin is touched: that reads a known one from the lockfile
  const { source, skin } = result;
  if (!skin || (await isSignedAsRequired(skin, required, gameKeys))) return;
  throw new DeliveryError('wrong_signer', `${source} is not signed by ${requiredText(required)}.`);
}

/** Where results are written in addition to stdout. */
export interface Output {
  /** Absolute path; undefined without an output folder. */
  readonly lockfile: string | undefined;
  /** How files of earlier runs are recognized. */
  readonly own: OwnOutputs;
  /** Returns the files, as paths from the lockfile's folder. */
  readonly deliver: (result: BatchResult) => readonly string[];
  /** Writes what only the end of the run completes. `isWhole`: it was not interrupted. @throws CliError */
  readonly save: (run: { readonly isWhole: boolean }) => void;
  /** Says at the end what became of the skins. Returns whether all of them have got where they should. */
  readonly tell?: (() => Promise<boolean>) | undefined;
  /** In a dry run: a source whose skin is not there yet. */
  readonly await?: ((result: Pick<BatchResult, 'stem'>) => void) | undefined;
}

/** Creates the output folder, unless the caller only wants its path. @throws Error of the file system */
export function openOutput(call: BatchCall, { isDry = false }: { isDry?: boolean } = {}): Output {
  const { context, settings, typed, follow } = call;
  const { out, lock } = typed;
  if (call.into) return intoOutput(call.into, lock, call, isDry);
  const kind = out === undefined ? undefined : kindOfOut(out, settings.format);
  const lockfile = lock ?? (follow ? usualLockfile(out, settings.format) : undefined);
  const path = lockfile === undefined ? undefined : resolve(lockfile);
  const guard = guardOf(typed);
  if (path !== undefined) guard.verifyNoInput(path);
  const lockDir = dirname(path ?? resolve('skins.lock'));
  const formats = formatsOf(call) ?? ['json'];
  const own = { folder: kind === 'folder' ? resolve(out ?? '') : undefined, hasForm: formCheck(formats) };
  if (out === undefined || isDry) return { lockfile: path, own, deliver: () => [], save: () => {} };
  if (kind === 'file') return { lockfile: path, own, ...oneFile(out, call, { guard, lockDir }) };
  const digests = new DigestCache(
    join(context.folders.data, 'batches', 'outputs.ndjson'),
    context.clock.now(),
  );
  const files = new OutputFiles(out, {
    formats,
    digests,
    guard,
    lockDir,
    verify: (text, path, format) => verifyDocument(text, { name: path, format }, call),
  });
  return { lockfile: path, own, deliver: (result) => files.write(result), save: () => digests.save() };
}

/** Puts the results into a plugin's files, once all of them are there. The lockfile is in its folder. */
function intoOutput(
  into: IntoPlugin,
  lock: string | undefined,
  { context }: BatchCall,
  isDry: boolean,
): Output {
  return {
    lockfile: resolve(lock ?? join(into.folder, 'skins.lock')),
    own: { hasForm: () => false },
    deliver: (result) => {
      into.add(result);
      return [];
    },
    save: ({ isWhole }) => {
      if (isWhole && !isDry) into.write(context.clock.now());
    },
    await: (result) => into.await(result),
    tell: async () => await into.tell(context),
  };
}

/** The lockfile of outputs, beside them or in their folder; undefined for the file of a single skin. */
export function usualLockfile(
  out: string | undefined,
  formats: readonly FormatChoice[] | undefined,
): string | undefined {
  if (out === undefined) return undefined;
  if (kindOfOut(out, formats) === 'folder') return join(out, 'skins.lock');
  return areJoinable(formats) && !isStream(out) ? `${out}.lock` : undefined;
}

/** Writes to exactly the named file. @throws CliError if it is not one to replace, before anything is paid for */
function oneFile(
  out: string,
  call: BatchCall,
  { guard, lockDir }: { readonly guard: OutputGuard; readonly lockDir: string },
): Pick<Output, 'deliver' | 'save'> {
  const [format = 'json'] = formatsOf(call) ?? [];
  const replaceable = { isOurs: (path: string) => isInForm(path, format) };
  guard.verify(out, replaceable);
  if (formatOf(format).template) {
    const write = (text: string) => {
      verifyDocument(text, { name: out, format }, call);
      guard.write(out, text, replaceable);
    };
    return joinedFile(write, format);
  }
  const deliver = ({ skin, stem, index }: BatchResult) => {
    if (!skin) return [];
    guard.write(out, renderFile(format, skinFields(skin), stem, index).text, replaceable);
    return [fromFolder(lockDir, resolve(out))];
  };
  return { deliver, save: () => {} };
}

/** Writes the skins of all sources to one file, in their order, once all of them are there: no source has a file of its own. */
function joinedFile(write: (text: string) => void, format: FormatLike): Pick<Output, 'deliver' | 'save'> {
  const skins = new Map<number, SkinToFormat>();
  const deliver = (result: BatchResult) => {
    if (result.skin) skins.set(result.index, fieldsOf(result, format));
    return [];
  };
  const save = ({ isWhole }: { readonly isWhole: boolean }) => {
    const template = formatOf(format).template?.();
    if (!isWhole || skins.size === 0 || !template) return;
    const inOrder = [...skins].sort(([a], [b]) => a - b);
    write(
      renderAll(
        template,
        inOrder.map(([, skin]) => skin),
      ),
    );
  };
  return { deliver, save };
}

/** @throws CliError if a document is none in the notation of its extension */
export function verifyDocument(
  text: string,
  { name, format }: { readonly name: string; readonly format: FormatLike },
  { check }: Pick<BatchCall, 'check'>,
): void {
  const fault = check?.(text, formatOf(format));
  if (fault === undefined) return;
  throw new CliError('invalid_document', `${clean(name)} ${clean(fault)}. It was not written.`, {
    hint: 'The skins are not lost. Change the template so that it quotes its fields, as in {{name|yaml}}, or rename a source.',
  });
}

/** What a format has of a result: templates all of it, our own formats the skin, which is the same in every run. */
function fieldsOf(result: BatchResult, format: FormatLike): SkinToFormat {
  const { skin } = result;
  if (!skin) throw new Error('A failed result has no file.');
  return formatOf(format).template ? { ...resultView(result), ...skinFields(skin) } : skinFields(skin);
}

export function guardOf({ sources, from = [], overwrite }: BatchCall['typed']): OutputGuard {
  return new OutputGuard([...sources, ...from], { overwrite });
}

const EXTENSIONS = Object.values(FORMATS).map(({ extension }) => extension);

/**
 * Whether `--out` names a folder or a file. That must not depend on how many sources there are, which a pattern of the shell
 * decides. @throws CliError if it could be either
 */
export function kindOfOut(out: string, formats: readonly FormatChoice[] | undefined): 'folder' | 'file' {
  if (out === '')
    throw usageError('no_output', 'The name after --out is empty.', 'For the current folder, write .');
  if (/[/\\]$/.test(out)) return 'folder';
  const found = statSync(out, { throwIfNoEntry: false });
  if (found) return found.isDirectory() ? 'folder' : 'file';
  if (EXTENSIONS.some((extension) => out.toLowerCase().endsWith(extension))) return 'file';
  if (extname(out) === '') return 'folder';
  if (areJoinable(formats)) return 'file';
  const hint = `For a folder, write ${clean(out)}/. A file has the extension of a format, such as .json.`;
  throw usageError('file_or_folder', `Does --out ${clean(out)} name a file or a folder?`, hint);
}

/** @throws CliError if `--out` names one file, but there is more to write */
export function verifyOneFile(
  out: string,
  { isOne, formats = [] }: { readonly isOne: boolean; readonly formats: readonly FormatChoice[] | undefined },
): void {
  if (kindOfOut(out, formats) === 'folder') return;
  const hint = 'For a folder, end its name with /.';
  if (!isOne && !areJoinable(formats))
    throw usageError(
      'one_file_many_sources',
      `${clean(out)} is one file, but several sources are given.`,
      hint,
    );
  if (formats.length <= 1) return;
  throw usageError('one_file_one_format', `${clean(out)} is one file, but several formats are given.`, hint);
}

/** Whether one file may have several skins in these formats. */
function areJoinable([choice, ...others]: readonly FormatChoice[] = []): boolean {
  if (choice === undefined || others.length > 0) return false;
  return isTemplateChoice(choice) || formatOf(choice).template !== undefined;
}

/** Maximum size of an output file in bytes that is compared with the form of a format. */
const LARGEST = 64 * 1024 * 1024;
/** Error codes that concern a single file and not the others. */
const ONE_FILE = new Set([
  'EACCES',
  'EPERM',
  'EISDIR',
  'ENOTDIR',
  'ENAMETOOLONG',
  'EEXIST',
  'ENOTEMPTY',
  'ELOOP',
]);

interface OutputOptions {
  readonly formats: readonly FormatLike[];
  /** Records which files hold which skin, so that unchanged files need not be read. */
  readonly digests: DigestCache;
  readonly guard: OutputGuard;
  /** @throws CliError if a text is no document of its format */
  readonly verify?: (text: string, path: string, format: FormatLike) => void;
  /** Folder of the lockfile; absolute. */
  readonly lockDir: string;
}

/** Writes each result into a folder, one file per format. Other files in the folder are left alone. */
export class OutputFiles {
  /** Ends with a separator. */
  readonly #folder: string;
  /** From the lockfile's folder to this one; empty or with `/` at its end. */
  readonly #way: string;
  /** Whether the lockfile is to record the files: not those in a temporary folder elsewhere, which differs each time. */
  readonly #isRecorded: boolean;
  readonly #options: OutputOptions;

  /**
   * Creates the folder and checks that it is writable before any generation is spent.
   * @throws Error of the file system
   */
  constructor(folder: string, options: OutputOptions) {
    const path = resolve(folder);
    this.#folder = path.endsWith(sep) ? path : `${path}${sep}`;
    this.#way = fromFolder(options.lockDir, `${this.#folder}_`).slice(0, -1);
    this.#isRecorded = [process.cwd(), options.lockDir].some(
      (near) => !relative(near, path).startsWith('..'),
    );
    this.#options = options;
    makeFolder(path);
    accessSync(path, constants.W_OK);
  }

  /**
   * Returns the files to record, as paths from the lockfile's folder.
   * @throws DeliveryError when only this result is affected; Error of the file system
   */
  write(result: BatchResult): readonly string[] {
    if (result.error) return [];
    const files = this.#options.formats.map((format) => {
      const below = filePath(format, result.stem);
      // Joined by hand: a stem has no segments to resolve, and `join` takes a tenth of the time of an unchanged file.
      const path = this.#folder + (sep === '/' ? below : below.replaceAll('/', sep));
      try {
        this.#writeFormat(result, format, path);
        return this.#way + below;
      } catch (error) {
        throw asDeliveryError(error, path) ?? error;
      }
    });
    return this.#isRecorded ? files : [];
  }

  #writeFormat(result: BatchResult, format: FormatLike, path: string): void {
    const { digests, guard } = this.#options;
    // A template may have changed since, and has fields that a version does not tell apart.
    const version = formatOf(format).template ? undefined : digestOf(result.version);
    const stamp = statSync(path, { throwIfNoEntry: false });
    if (stamp && version !== undefined && digests.get(path, stamp) === version) return;
    if (!result.skin) return;
    const { text } = renderFile(format, fieldsOf(result, format), result.stem, result.index);
    this.#options.verify?.(text, path, format);
    const file = this.#way + filePath(format, result.stem);
    const isOurs = () =>
      isInForm(path, format)
        ? isClaimed(file, format, result)
        : isRecorded(file, result) && this.#isRemembered(path, format);
    const isNew = guard.write(path, text, { isOurs, isOnlyFile: true });
    if (isNew) digests.setOwn(path, statSync(path), version ?? hash('sha256', text));
    else if (version === undefined) return;
    else if (stamp?.isFile()) digests.set(path, stamp, version);
  }

  /** Whether an earlier run wrote a file, though it has another form now: here, or with another version of a template. */
  #isRemembered(path: string, format: FormatLike): boolean {
    return this.#options.digests.has(path) || (formatOf(format).template !== undefined && hasSkinData(path));
  }
}

/** A file's path from a folder, as the lockfile writes it. */
function fromFolder(folder: string, path: string): string {
  const way = relative(folder, path);
  return sep === '/' ? way : way.replaceAll(sep, '/');
}

/** Whether an earlier batch wrote the file for this source. */
function isRecorded(file: string, { record }: BatchResult): boolean {
  return record?.outputs?.some(({ files }) => files.includes(file)) ?? false;
}

/**
 * Whether a file in our form is an output of this source: the lockfile records it, or has the source since before lockfiles
 * recorded files. Our own JSON has its form nowhere else, so it counts also where a batch was killed.
 */
function isClaimed(file: string, format: FormatLike, result: BatchResult): boolean {
  const { record } = result;
  return format === 'json' || (record !== undefined && !record.outputs) || isRecorded(file, result);
}

function isInForm(path: string, format: FormatLike): boolean {
  return hasForm(format, textOf(path));
}

/** The text of a file; empty for one that is too large to be an output. */
function textOf(path: string): string {
  const { size } = statSync(path);
  return size <= LARGEST ? startOf(path, size).toString() : '';
}

/** A value, a signature, or the name of a texture. */
const SKIN_DATA = /[A-Za-z0-9+/]{100}|(?<![0-9a-f])[0-9a-f]{56,64}(?![0-9a-f])/;

function hasSkinData(path: string): boolean {
  return SKIN_DATA.test(textOf(path));
}

/** Whether a file looks like an output: it has the extension and the form of a format, or of this run's template. */
function formCheck(formats: readonly FormatLike[]): OwnOutputs['hasForm'] {
  const all = [...formats, ...FORMAT_NAMES];
  return (path) => {
    const text = textOf(path);
    return all.some((format) => path.endsWith(formatOf(format).extension) && hasForm(format, text));
  };
}

/**
 * Stretches a UUID to the length of a digest of the cache. Undefined for UUIDs in any other format, which are
 * not cached. With a name of its own, the version is hashed.
 */
function digestOf(version: string | undefined): string | undefined {
  if (version === undefined || !/^[0-9a-f]{32}(?: |$)/.test(version)) return undefined;
  return version.length === 32 ? version.repeat(2) : hash('sha256', version);
}

/** Wraps an error that affects only this file; undefined for an error that would affect every other file too. */
function asDeliveryError(cause: unknown, path: string): DeliveryError | undefined {
  if (cause instanceof CliError) {
    const { code, message, hint } = cause;
    return new DeliveryError(code, message, { cause, hint });
  }
  const { code = '' } = cause as NodeJS.ErrnoException;
  if (!ONE_FILE.has(code)) return undefined;
  return new DeliveryError(code.toLowerCase(), `${path} cannot be written: ${code}.`, { cause });
}
