import { readFileSync, type Stats, statSync } from 'node:fs';
import type { Note } from '../../protocol/envelope.ts';
import { checkSkin } from '../../skin/check.ts';
import type { FileMemory } from '../files/file-memory.ts';
import type { SourceContent, SourceProblem, VariantWish } from '../types.ts';

/** What is known of a source's picture. Absent bytes: it was recognised without being read. */
export interface Look {
  readonly pixels: string | undefined;
  readonly bytes: Uint8Array | undefined;
  readonly warnings: readonly Note[];
}

/** A source that cannot be used; not an exception, for a batch has many. */
export type LookProblem = { readonly problem: SourceProblem };

/** Bytes read of a file at the most: far above any skin, so that the check can still say what it is. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const HINT = 'Give the path of a PNG file, a folder of them, or - for stdin.';

/**
 * Looks at a source as far as is needed to know it. Small files are read synchronously: thousands of them
 * take a tenth of the time that as many promises do, and the caller lets others run in between.
 */
export function lookAt(
  content: SourceContent,
  variant: VariantWish,
  memory: FileMemory | undefined,
): Look | LookProblem {
  switch (content.kind) {
    case 'file':
      return lookAtFile(content.path, variant, memory);
    case 'bytes':
      return checkPicture(content.bytes, variant);
    case 'problem':
      return { problem: content.problem };
    case 'user':
      return {
        pixels: undefined,
        bytes: undefined,
        warnings: content.isGuess ? [guessNote(content.user)] : [],
      };
    case 'url':
      return { pixels: undefined, bytes: undefined, warnings: [] };
  }
}

/** A mistyped path must not pass for a player unnoticed. */
function guessNote(name: string): Note {
  const message = `There is no file or folder ${name}, so it was taken for a player's name; --as file or --as user settles it.`;
  return { code: 'taken_for_player', message };
}

function lookAtFile(path: string, variant: VariantWish, memory: FileMemory | undefined): Look | LookProblem {
  const read = readFile(path, (stamp) => memory?.recall(path, stamp));
  if ('problem' in read) return read;
  if ('known' in read) return { pixels: read.known, bytes: undefined, warnings: [] };
  const look = checkPicture(read.bytes, variant);
  if ('pixels' in look && look.pixels !== undefined) memory?.remember(path, read.stamp, look.pixels);
  return look;
}

/** The bytes of a source that has a picture of its own. */
export function readContent(content: SourceContent): { readonly bytes: Uint8Array } | LookProblem {
  if (content.kind === 'bytes') return content;
  if (content.kind === 'problem') return content;
  if (content.kind !== 'file') throw new Error(`A source of kind ${content.kind} has no picture of its own.`);
  const read = readFile(content.path, () => undefined);
  if ('known' in read) throw new Error('Nothing was to be recalled.');
  return read;
}

type Read = { readonly known: string } | { readonly bytes: Uint8Array; readonly stamp: Stats } | LookProblem;

/** A whole file, unless `recall` knows it by its stamp. */
function readFile(path: string, recall: (stamp: Stats) => string | undefined): Read {
  try {
    const stamp = statSync(path);
    const known = stamp.isFile() ? recall(stamp) : undefined;
    if (known !== undefined) return { known };
    const problem = refuseFile(path, stamp);
    return problem ? { problem } : { bytes: readFileSync(path), stamp };
  } catch (error) {
    const problem = fileTrouble(path, error);
    if (!problem) throw error;
    return { problem };
  }
}

function checkPicture(bytes: Uint8Array, variant: VariantWish): Look | LookProblem {
  const { error, pixels, warnings } = checkSkin(bytes, variant === 'auto' ? undefined : variant);
  return error ? { problem: error } : { pixels, bytes, warnings };
}

function refuseFile(path: string, stamp: Stats): SourceProblem | undefined {
  if (stamp.isDirectory()) return { code: 'not_a_file', message: `${path} is a folder.` };
  // Pipes and devices have no end to rely on.
  if (!stamp.isFile()) return { code: 'not_a_file', message: `${path} is not a regular file.` };
  if (stamp.size <= MAX_FILE_BYTES) return undefined;
  return {
    code: 'invalid_image',
    message: `${path} has ${stamp.size} bytes; a skin has at most 20,000.`,
  };
}

/** What concerns this one file, so that the next one is still worth trying. */
function fileTrouble(path: string, cause: unknown): SourceProblem | undefined {
  const { code = '' } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') {
    return { code: 'no_such_file', message: `There is no file or folder ${path}.`, hint: HINT };
  }
  if (code === 'ELOOP') return { code: 'not_a_file', message: `${path} is a link to itself.` };
  if (code === 'EACCES' || code === 'EPERM')
    return { code: 'eacces', message: `${path}: Permission denied.` };
  return undefined;
}
