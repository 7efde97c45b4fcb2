import { lstatSync } from 'node:fs';
import { endSentence } from '../../../base/sentence.ts';
import type { SourceProblem } from '../../model/source.ts';

/** `neighbour`: a similar existing name; `player`: the name, if it could also be a player's. */
export function noSuchFile(label: string, { neighbour, player }: Meant = {}): SourceProblem {
  const asked = neighbour === undefined ? '' : `Did you mean ${neighbour}? `;
  const asPlayer = player === undefined ? '' : `For the player of that name: --player ${player}`;
  return {
    code: 'no_such_file',
    message:
      label === ''
        ? 'The name of a file or folder is empty.'
        : `There is no file or folder ${endSentence(label)}`,
    hint: `${asked}${asPlayer}`.trim() || pathHint(label),
  };
}

function pathHint(label: string): string {
  // Node cannot name such a file: each byte that is not UTF-8 became this character.
  if (label.includes('\uFFFD'))
    return 'Names must be valid UTF-8: rename what has a \uFFFD in its name here.';
  return 'Give the path of a PNG file, a folder of them, or - for stdin.';
}

/** A link whose target does not exist; undefined for any other path. */
export function brokenLink(label: string, path: string): SourceProblem | undefined {
  if (!isLink(path)) return undefined;
  const message = `${label} is a symbolic link to something that does not exist.`;
  return { code: 'no_such_file', message };
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

interface Meant {
  readonly neighbour?: string | undefined;
  readonly player?: string | undefined;
}

/** Node's error codes for paths that do not exist. No path contains a zero byte. */
const ABSENCES = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']);
const REFUSALS = new Set(['EACCES', 'EPERM']);

/** The file system's error about this one path, so that the next one is still worth trying. @throws any other error, such as an AbortError */
export function fileProblem(label: string, error: unknown): SourceProblem {
  const { code, name, message, path } = error as NodeJS.ErrnoException;
  if (code === undefined || name === 'AbortError') throw error;
  if (ABSENCES.has(code)) return brokenLink(label, path ?? '') ?? noSuchFile(label);
  if (REFUSALS.has(code)) return { code: 'eacces', message: `${label}: Permission denied.` };
  if (code === 'ELOOP') return { code: 'not_a_file', message: `${label} is a symbolic link loop.` };
  return { code: code.toLowerCase(), message: `${label}: ${message}.` };
}
