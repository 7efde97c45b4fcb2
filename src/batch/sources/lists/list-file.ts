import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { BatchSetupError } from '../../model/setup-error.ts';
import type { SourceRoots } from '../arguments/spec.ts';
import { fileProblem } from '../files/file-problem.ts';

const HINT = 'Give --from a text file with a source per line, CSV or NDJSON, or - for stdin.';

/** A list of sources. */
export interface ListFile {
  /** As the user wrote it. */
  readonly label: string;
  /** Its name in messages. */
  readonly title: string;
  /** Its absolute path, and the folder that contains it; undefined for stdin. */
  readonly path: string | undefined;
  readonly folder: string | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Checks before the batch starts that a list can be read. @throws BatchSetupError */
export function verifyList(label: string, cwd: string): void {
  if (label === '-') return;
  try {
    const path = resolve(cwd, label);
    if (statSync(path).isDirectory())
      throw new BatchSetupError('not_a_list', `${label} is a folder, not a list.`, { hint: HINT });
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw listTrouble(label, error);
  }
}

/** Opens the list only when it is read. */
export function openList(label: string, { cwd, stdin }: SourceRoots): ListFile {
  if (label === '-') {
    const title = 'the list on stdin';
    return { label, title, path: undefined, folder: undefined, chunks: read(title, stdin) };
  }
  const path = resolve(cwd, label);
  const chunks = read(label, () => createReadStream(path));
  return { label, title: label, path, folder: dirname(path), chunks };
}

async function* read(title: string, open: () => AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* open();
  } catch (error) {
    throw listTrouble(title, error);
  }
}

function listTrouble(title: string, error: unknown): BatchSetupError {
  if (error instanceof BatchSetupError) return error;
  const { code, message } = fileProblem(title, error);
  const isAbsent = code === 'no_such_file';
  return new BatchSetupError(code, isAbsent ? `There is no list ${title}.` : message, {
    hint: isAbsent ? HINT : undefined,
    cause: error,
  });
}
