import { readFile, stat } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { lastWord } from '../../base/last-word.ts';
import { CliError } from '../errors/exit.ts';
import type { Io } from './io.ts';

/** Maximum number of bytes read from a file. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Reads a whole file, unless it is far too large for an image. The size of pipes and devices is unknown. */
export async function readBounded(path: string): Promise<Uint8Array> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new CliError('not_a_file', `${path} is a folder.`);
    if (!found.isFile()) throw new CliError('not_a_file', `${path} is not a regular file.`);
    if (found.size <= MAX_FILE_BYTES) return await readFile(path);
    throw new CliError('invalid_image', `${path} has ${found.size} bytes; a skin has at most 20,000.`);
  } catch (error) {
    throw fileTrouble(path, error) ?? error;
  }
}

/** Reads the text of a file that holds a secret; `what` describes the file in messages. */
export async function readSecretFile(path: string, what: string): Promise<string> {
  try {
    return Buffer.from(await readBounded(path)).toString('utf8');
  } catch (cause) {
    throw new CliError('no_such_file', `The ${what} file ${path} cannot be read.`, { exit: 'usage', cause });
  }
}

/** Wraps errors that affect only this file, so that the next file is still tried. */
function fileTrouble(path: string, cause: unknown): CliError | undefined {
  const { code = '' } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') {
    return new CliError('no_such_file', `There is no file ${lastWord(path)}`, { cause });
  }
  if (code === 'ELOOP') return new CliError('not_a_file', `${path} is a symbolic link loop.`, { cause });
  if (code === 'EACCES') return new CliError('eacces', `${path}: Permission denied.`, { cause });
  return undefined;
}

interface Input {
  readonly io: Pick<Io, 'stdin'>;
  readonly signal: AbortSignal;
}

/** Stdin until the run is asked to stop: a terminal may send nothing for ever. Reading it then throws an AbortError. */
export function openStdin({ io, signal }: Input): AsyncIterable<Buffer> {
  return addAbortSignal(signal, io.stdin);
}

export async function readStdin(input: Input): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of openStdin(input)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_FILE_BYTES)
      throw new CliError('invalid_image', 'The data on stdin is too large for a skin.');
  }
  if (size === 0) throw new CliError('empty_input', 'Stdin is empty.', { exit: 'usage' });
  return Buffer.concat(chunks);
}
