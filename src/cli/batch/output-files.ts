import { accessSync, constants, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeFileAtomically } from '../../batch/files/atomic-file.ts';
import type { FileMemory } from '../../batch/files/file-memory.ts';
import { DeliveryError } from '../../batch/options.ts';
import type { BatchResult } from '../../batch/types.ts';
import { CliError } from '../exit.ts';
import { filePath, renderFile } from '../output/formats/files.ts';
import type { FormatName } from '../output/formats/names.ts';
import { skinFields } from '../output/views.ts';

/** Bytes of an output at the most; a larger file is none of ours. */
const LARGEST = 1_000_000;
/** Trouble with one file that others do not share. */
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

/** Writes each result into a folder: one file per format. What is there already is left alone. */
export class OutputFiles {
  readonly #folder: string;
  readonly #formats: readonly FormatName[];
  /** Which files hold which skin, so that an unchanged one is not even read. */
  readonly #memory: FileMemory;

  /** Makes the folder and sees that it can be written, before anything is spent. @throws Error of the file system */
  constructor(folder: string, formats: readonly FormatName[], memory: FileMemory) {
    this.#folder = resolve(folder);
    this.#formats = formats;
    this.#memory = memory;
    mkdirSync(this.#folder, { recursive: true });
    accessSync(this.#folder, constants.W_OK);
  }

  /** @throws DeliveryError when it concerns this result alone; Error of the file system */
  write(result: BatchResult): void {
    if (result.error) return;
    for (const format of this.#formats) {
      const path = join(this.#folder, filePath(format, result.stem));
      try {
        this.#writeFormat(result, format, path);
      } catch (error) {
        throw asDeliveryError(error, path) ?? error;
      }
    }
  }

  #writeFormat(result: BatchResult, format: FormatName, path: string): void {
    const version = digestOf(result.version);
    const stamp = statSync(path, { throwIfNoEntry: false });
    if (stamp && version !== undefined && this.#memory.recall(path, stamp) === version) return;
    const { skin } = result;
    if (!skin) return;
    const { text } = renderFile(format, skinFields(skin), result.stem);
    if (stamp?.isFile() && stamp.size < LARGEST && readFileSync(path, 'utf8') === text) {
      if (version !== undefined) this.#memory.remember(path, stamp, version);
      return;
    }
    writeFileAtomically(path, text);
    if (version !== undefined) this.#memory.rememberOwn(path, statSync(path), version);
  }
}

/** The UUID as long as the memory's digests are; a service whose UUIDs look otherwise is not remembered. */
function digestOf(version: string | undefined): string | undefined {
  return version !== undefined && /^[0-9a-f]{32}$/.test(version) ? version.repeat(2) : undefined;
}

/** What concerns this one file; undefined: it would meet every other one, too. */
function asDeliveryError(cause: unknown, path: string): DeliveryError | undefined {
  if (cause instanceof CliError) return new DeliveryError(cause.code, cause.message, { cause });
  const { code = '' } = cause as NodeJS.ErrnoException;
  if (!ONE_FILE.has(code)) return undefined;
  return new DeliveryError(code.toLowerCase(), `${path} cannot be written: ${code}.`, { cause });
}
