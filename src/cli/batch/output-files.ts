import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { writeFileAtomically } from '../../base/atomic-file.ts';
import type { DigestCache } from '../../base/digest-cache.ts';
import { makeFolder } from '../../base/make-folder.ts';
import type { BatchResult } from '../../batch/api/batches.ts';
import { DeliveryError } from '../../batch/api/errors.ts';
import { CliError } from '../errors/exit.ts';
import type { SourceFiles } from '../options/source-files.ts';
import { filePath, renderFile } from '../output/formats/files.ts';
import type { FormatName } from '../output/formats/names.ts';
import { skinFields } from '../output/views.ts';

/** Maximum size of an output file in bytes; skinsmith never writes a larger one. */
const LARGEST = 1_000_000;
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

/** Writes each result into a folder, one file per format. Other files in the folder are left alone. */
export class OutputFiles {
  /** Ends with a separator. */
  readonly #folder: string;
  readonly #formats: readonly FormatName[];
  /** Records which files hold which skin, so that unchanged files need not be read. */
  readonly #digests: DigestCache;
  readonly #sources: SourceFiles;

  /**
   * Creates the folder and checks that it is writable before any generation is spent.
   * @throws Error of the file system
   */
  constructor(
    folder: string,
    {
      formats,
      digests,
      sources,
    }: { formats: readonly FormatName[]; digests: DigestCache; sources: SourceFiles },
  ) {
    const path = resolve(folder);
    this.#folder = path.endsWith(sep) ? path : `${path}${sep}`;
    this.#formats = formats;
    this.#digests = digests;
    this.#sources = sources;
    makeFolder(path);
    accessSync(path, constants.W_OK);
  }

  /** @throws DeliveryError when only this result is affected; Error of the file system */
  write(result: BatchResult): void {
    if (result.error) return;
    for (const format of this.#formats) {
      const path = this.#pathOf(format, result.stem);
      try {
        this.#writeFormat(result, format, path);
      } catch (error) {
        throw asDeliveryError(error, path) ?? error;
      }
    }
  }

  /** Joined by hand: a stem has no segments to resolve, and `join` takes a tenth of the time of an unchanged file. */
  #pathOf(format: FormatName, stem: string): string {
    const below = filePath(format, stem);
    return this.#folder + (sep === '/' ? below : below.replaceAll('/', sep));
  }

  #writeFormat(result: BatchResult, format: FormatName, path: string): void {
    const version = digestOf(result.version);
    const stamp = statSync(path, { throwIfNoEntry: false });
    if (stamp && version !== undefined && this.#digests.get(path, stamp) === version) return;
    const { skin } = result;
    if (!skin) return;
    const { text } = renderFile(format, skinFields(skin), result.stem);
    if (stamp?.isFile() && stamp.size < LARGEST && readFileSync(path, 'utf8') === text) {
      if (version !== undefined) this.#digests.set(path, stamp, version);
      return;
    }
    if (stamp) this.#sources.verifyOther(path);
    writeFileAtomically(path, text);
    if (version !== undefined) this.#digests.setOwn(path, statSync(path), version);
  }
}

/**
 * Stretches a UUID to the length of a digest of the cache. Undefined for UUIDs in any other format, which are
 * not cached.
 */
function digestOf(version: string | undefined): string | undefined {
  return version !== undefined && /^[0-9a-f]{32}$/.test(version) ? version.repeat(2) : undefined;
}

/** Wraps an error that affects only this file; undefined for an error that would affect every other file too. */
function asDeliveryError(cause: unknown, path: string): DeliveryError | undefined {
  if (cause instanceof CliError) return new DeliveryError(cause.code, cause.message, { cause });
  const { code = '' } = cause as NodeJS.ErrnoException;
  if (!ONE_FILE.has(code)) return undefined;
  return new DeliveryError(code.toLowerCase(), `${path} cannot be written: ${code}.`, { cause });
}
