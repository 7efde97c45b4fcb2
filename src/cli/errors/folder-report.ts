import { relative, resolve, sep } from 'node:path';
import type { ErrorReport } from './report.ts';
import { meaningOf } from './system-report.ts';

/** The data folder, and what the user sets to use another. */
export interface DataFolder {
  readonly path: string;
  /** An option or variables. */
  readonly setBy: string;
}

/** What to do about a folder that cannot be used. */
export function unusableHint(setBy: string): string {
  return `Check that it is writable and has free space, or choose another with ${setBy}.`;
}

/** Describes an error of the file system about the data folder; undefined for any other. */
export function folderReport(error: unknown, { path: folder, setBy }: DataFolder): ErrorReport | undefined {
  const { code, path: told, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  const meaning = meaningOf(code);
  if (meaning === undefined || told === undefined) return undefined;
  const path = resolve(told); // relative if the folder was typed so
  const isInside = path === folder || path.startsWith(folder + sep);
  const isAbove = syscall === 'mkdir' && folder.startsWith(path + sep); // no folder can be made in it
  if (!isInside && !isAbove) return undefined;
  const isOthers = isInside && path !== folder && isForbidden(code);
  const message = `The data folder ${folder} cannot be used: ${isOthers ? `${relative(folder, path)}: ` : ''}${meaning}`;
  const hint = isOthers
    ? `Give the file to the user who runs this, or choose another folder with ${setBy}.`
    : unusableHint(setBy);
  return { code: 'data_unusable', message, hint, exit: 'failed' };
}

/** Where the file is somebody else's, which file it is tells what to do. */
function isForbidden(code: string | undefined): boolean {
  return code === 'EACCES' || code === 'EPERM';
}
