import { readFile, stat } from 'node:fs/promises';
import { CliError } from './exit.ts';
import type { Io } from './io.ts';

/** Bytes read of a file at the most. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** A whole file, unless it is absurdly large for a picture. Pipes and devices have no end to rely on. */
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

/** The text of a file that holds a secret; what such a file is called stands in `what`. */
export async function readSecretFile(path: string, what: string): Promise<string> {
  try {
    return Buffer.from(await readBounded(path)).toString('utf8');
  } catch (cause) {
    throw new CliError('no_such_file', `The ${what} file ${path} cannot be read.`, { exit: 'usage', cause });
  }
}

/** What concerns this one file, so that the next one is still worth trying. */
function fileTrouble(path: string, cause: unknown): CliError | undefined {
  const { code = '' } = cause as NodeJS.ErrnoException;
  const hint = 'Give the path of a PNG file, a folder of them, or - for stdin.';
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') {
    return new CliError('no_such_file', `There is no file or folder ${path}.`, { hint, cause });
  }
  if (code === 'ELOOP') return new CliError('not_a_file', `${path} is a link to itself.`, { cause });
  if (code === 'EACCES') return new CliError('eacces', `${path}: Permission denied.`, { cause });
  return undefined;
}

export async function readStdin({ stdin }: Pick<Io, 'stdin'>): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_FILE_BYTES)
      throw new CliError('invalid_image', 'What comes on stdin is too large for a skin.');
  }
  if (size === 0) throw new CliError('empty_input', 'Nothing came on stdin.', { exit: 'usage' });
  return Buffer.concat(chunks);
}
