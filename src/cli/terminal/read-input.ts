import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { decodedText } from '../../base/parsed-json.ts';
import { endSentence } from '../../base/sentence.ts';
import { CliError } from '../errors/exit.ts';
import type { Io } from './io.ts';

/** Maximum number of bytes read from a file. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Reads a whole file, unless it is far too large for an image, or as much of a pipe: shells make one of `<(…)`. */
export async function readBounded(path: string): Promise<Uint8Array> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new CliError('not_a_file', `${path} is a folder.`);
    if (found.isFIFO()) return await collect(createReadStream(path), path);
    if (!found.isFile()) throw new CliError('not_a_file', `${path} is not a regular file.`);
    if (found.size <= MAX_FILE_BYTES) return await readFile(path);
    throw new CliError('invalid_image', `${path} has ${found.size} bytes; a skin has at most 20,000.`);
  } catch (error) {
    throw fileTrouble(path, error) ?? error;
  }
}

/** Reads the text of a file that holds a secret, or of stdin (`-`); `what` describes the file in messages. */
export async function readSecretFile(path: string, what: string, input: Partial<Input>): Promise<string> {
  const { io, signal } = input;
  if (path === '-' && io && signal) return await readStdinText({ io, signal });
  try {
    return decodedText(await readBounded(path));
  } catch (cause) {
    throw new CliError('no_such_file', `The ${what} file ${path} cannot be read.`, { exit: 'usage', cause });
  }
}

/** Wraps errors that affect only this file, so that the next file is still tried. */
function fileTrouble(path: string, cause: unknown): CliError | undefined {
  const { code = '' } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') {
    return new CliError('no_such_file', `There is no file ${endSentence(path)}`, { cause });
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

/** Stdin as text. @throws CliError if it is empty */
export async function readStdinText(input: Input): Promise<string> {
  const bytes = await collect(openStdin(input), 'stdin');
  if (bytes.length === 0) throw new CliError('empty_input', 'Stdin is empty.', { exit: 'usage' });
  return decodedText(bytes);
}

async function collect(stream: AsyncIterable<Buffer>, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_FILE_BYTES)
      throw new CliError('invalid_image', `The data on ${name} is too large for a skin.`);
  }
  return Buffer.concat(chunks);
}
