import type { SourceProblem } from '../types.ts';

export function noSuchFile(label: string): SourceProblem {
  return {
    code: 'no_such_file',
    message: label === '' ? 'A file or folder has a name.' : `There is no file or folder ${label}.`,
    hint: 'Give the path of a PNG file, a folder of them, or - for stdin.',
  };
}

/** The codes of Node that say that a path leads nowhere. A zero byte is in no path. */
const ABSENCES = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']);
const REFUSALS = new Set(['EACCES', 'EPERM']);

/** What the file system said of this one path, so that the next one is still worth trying. @throws what is no such error */
export function fileProblem(label: string, error: unknown): SourceProblem {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  if (ABSENCES.has(code)) return noSuchFile(label);
  if (REFUSALS.has(code)) return { code: 'eacces', message: `${label}: Permission denied.` };
  if (code === 'ELOOP') return { code: 'not_a_file', message: `${label} is a link to itself.` };
  return { code: code.toLowerCase(), message: `${label}: ${message}.` };
}
