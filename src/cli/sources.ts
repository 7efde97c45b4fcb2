import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { SkinSource } from '../index.ts';
import { CliError } from './exit.ts';
import type { Io } from './io.ts';

/** One thing to generate from, as the user named it. */
export interface NamedSource {
  /** What the user sees it as: the path, `-`, a short form of a data URL. */
  readonly label: string;
  /** Name for the skin when none is given; undefined where the source suggests none. */
  readonly stem: string | undefined;
  read(): Promise<SkinSource>;
}

/** Bytes read of a file at the most: far above any skin, so that the check can still say what it is. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const UUID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** 32 hexadecimal digits, or 36 characters with dashes. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** What the arguments name, in their order; a folder stands for the PNG files directly in it. */
export async function expandSources(args: readonly string[], io: Io): Promise<NamedSource[]> {
  const lists = [];
  for (const arg of args) lists.push(await expand(arg, io));
  return lists.flat();
}

async function expand(arg: string, io: Io): Promise<NamedSource[]> {
  if (arg === '-')
    return [{ label: '-', stem: undefined, read: async () => ({ file: await readStdin(io) }) }];
  if (/^data:/i.test(arg)) return [linkSource(`${arg.slice(0, 30)}…`, { url: arg })];
  if (/^https?:\/\//i.test(arg)) return [linkSource(arg, { url: arg })];
  const found = await stat(arg).catch(() => undefined); // why it cannot be read is told when it is read
  if (found?.isDirectory()) return await folderSources(arg);
  if (!found && isUuid(arg)) return [linkSource(arg, { user: arg })];
  return [fileSource(arg)];
}

function linkSource(label: string, source: SkinSource): NamedSource {
  return { label, stem: undefined, read: async () => source };
}

export function fileSource(path: string): NamedSource {
  const read = async () => ({ file: await readBounded(path), fileName: basename(path) });
  return { label: path, stem: basename(path, extname(path)), read };
}

/** Sorted, hidden files left out. */
export async function listPngFiles(folder: string): Promise<string[]> {
  const names = (await readdir(folder))
    .filter((name) => /\.png$/i.test(name) && !name.startsWith('.'))
    .sort();
  const paths = names.map((name) => join(folder, name));
  const kinds = await Promise.all(paths.map(async (path) => (await lstat(path)).isDirectory()));
  return paths.filter((_, index) => !kinds[index]);
}

/** A folder without skins is a source that fails, so that it stops no other. */
async function folderSources(folder: string): Promise<NamedSource[]> {
  const files = await listPngFiles(folder);
  if (files.length > 0) return files.map(fileSource);
  const read = async () => {
    throw emptyFolder(folder);
  };
  return [{ label: folder, stem: undefined, read }];
}

export function emptyFolder(folder: string): CliError {
  return new CliError('empty_folder', `There are no PNG files in ${folder}.`);
}

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

/** A name the service takes, made from a file's stem: unusual characters become `_`, 48 at the most. */
export function skinNameFrom(stem: string): string | undefined {
  const name = stem
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9_.\- ]/g, '_')
    .slice(0, 48)
    .trim();
  return /[A-Za-z0-9]/.test(name) ? name : undefined;
}
