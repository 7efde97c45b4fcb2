import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { markupData } from '../output/reports/markup.ts';

/**
 * Not hidden, and in the home folder itself: browsers that are installed as a snap see nothing else of the user's files.
 * Six characters that nobody can guess follow.
 */
const FOLDER = 'skinsmith-open-';
const FOLDERS = new RegExp(`^${FOLDER}\\w{6}$`);
const NAME = 'open.html';
/** Milliseconds after which a link in such a file has expired. */
const LEFTOVER_AGE = 5 * 60_000;

/**
 * Writes a file that leads a browser on to a link, for this user's eyes only.
 * @param home empty for a user without a home folder
 * @returns its path; undefined when the home folder is missing or cannot be written to
 */
export function writeBrowserFile(home: string, link: string): string | undefined {
  if (home === '') return undefined;
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(home, FOLDER)); // mode 0700
    const path = join(folder, NAME);
    writeFileSync(path, pageFor(link), { mode: 0o600, flag: 'wx' });
    return path;
  } catch {
    if (folder !== undefined) removeBrowserFile(join(folder, NAME));
    return undefined;
  }
}

/** Removes a file and its folder. What cannot be removed now is removed by a later run. */
export function removeBrowserFile(path: string): void {
  try {
    rmSync(path, { force: true });
    rmdirSync(dirname(path));
  } catch {
    // A browser on Windows may have it open.
  }
}

/** Removes what killed runs have left. */
export function removeOldBrowserFiles(home: string, now: number): void {
  const folders = namesIn(home).filter((name) => FOLDERS.test(name));
  for (const folder of folders.map((name) => join(home, name)))
    if (isLeftover(folder, now)) removeBrowserFile(join(folder, NAME));
}

/** A folder of our own holds nothing else. */
function isLeftover(folder: string, now: number): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory() || found.mtimeMs > now - LEFTOVER_AGE) return false;
  return namesIn(folder).every((name) => name === NAME);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // what we cannot read is not ours
  }
}

function pageFor(link: string): string {
  const address = markupData(link);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>skinsmith</title>
<p><a href="${address}">Open the pages of skinsmith</a></p>
</html>
`;
}
