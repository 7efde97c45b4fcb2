import { readFileSync, statSync } from 'node:fs';
import { decodedText } from '../../base/text.ts';
import { IndexError, indexedPack, parseIndex, type ReadIndex } from '../../pack/pack-index.ts';
import { CliError } from '../errors/exit.ts';
import { startOf } from '../output/output-guard.ts';
import { clean } from '../text/text.ts';

/** Largest index that is read, in bytes. */
export const MAX_INDEX = 256 * 1024 * 1024;
/** Bytes at the start of an index that tell its pack. */
const INDEX_START = 2_048;

/** The name of the pack whose index a file seems to be; undefined if it is none, or not there. */
export function indexedPackOf(path: string): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  return indexedPack(startOf(path, INDEX_START).toString());
}

/** @throws CliError */
export function readIndexFile(path: string): ReadIndex {
  if (!statSync(path).isFile() || statSync(path).size > MAX_INDEX)
    throw invalidIndex(path, new IndexError('it is not a file of at most 256 MiB'));
  return parsedIndex(path, readFileSync(path));
}

/** @throws CliError that names the line */
export function parsedIndex(path: string, bytes: Uint8Array): ReadIndex {
  try {
    return parseIndex(decodedText(bytes));
  } catch (error) {
    throw error instanceof IndexError ? invalidIndex(path, error) : error;
  }
}

function invalidIndex(path: string, error: IndexError): CliError {
  const place = error.line === undefined ? '' : `, line ${error.line}`;
  const hint =
    'It remembers which skin has which name. Restore it from version control or a backup, or delete it: a zip has a copy inside.';
  return new CliError('invalid_index', `${clean(path)}${place}: ${clean(error.message)}.`, {
    exit: 'usage',
    hint,
    cause: error,
  });
}
