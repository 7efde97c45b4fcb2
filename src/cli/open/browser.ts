import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { markupData } from '../output/reports/report.ts';

interface BrowserOptions {
  readonly home: string;
  readonly now: number;
  /** Opens a file in the browser; false if no program does. It may take until the browser ends. */
  readonly launch: (path: string) => Promise<boolean>;
  /** Waits until the link is used, for as long as that makes sense. False if it was not, or the signal aborts. */
  readonly untilUsed: (signal: AbortSignal) => Promise<boolean>;
}

/** `unopened`: there is no browser; `unwritten`: the file for it cannot be written. */
export type BrowserOpenResult = 'used' | 'unused' | 'unopened' | 'unwritten';

/** Opens a link in the person's browser, by a file that is there only until the link has been used. */
export async function openInBrowser(
  link: string,
  { home, now, launch, untilUsed }: BrowserOptions,
): Promise<BrowserOpenResult> {
  removeOldBrowserFiles(home, now);
  const path = writeBrowserFile(home, link);
  if (path === undefined) return 'unwritten';
  const unopened = new AbortController();
  try {
    launch(path).then(
      (isOpen) => isOpen || unopened.abort(),
      () => unopened.abort(),
    );
    if (await untilUsed(unopened.signal)) return 'used';
    return unopened.signal.aborted ? 'unopened' : 'unused';
  } finally {
    removeBrowserFile(path);
  }
}

type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;
type Opener = readonly [program: string, ...words: string[]];

interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
  readonly spawn?: Spawn;
}

/** Variables that may hold keys and passwords, which no browser gets. */
const SECRET = /^(?:SKINSMITH_|PG)/;

/**
 * Opens a file in the browser. Resolves when the program that does so has ended, which may be with the browser: false if
 * no program opens it. All users of the machine can see the arguments of programs, so the link is never passed as one.
 */
export async function openBrowser(
  path: string,
  { env, platform = process.platform, spawn }: Surroundings,
): Promise<boolean> {
  const start = spawn ?? (await import('node:child_process')).spawn;
  const target = platform === 'win32' ? pathToFileURL(path).href : path;
  const options = { stdio: 'ignore', detached: true, env: withoutSecrets(env) } as const;
  for (const [program, ...words] of openersOf(env, platform)) {
    const status = await statusOf(start(program, [...words, target], options));
    // What rundll32 exits with means nothing.
    if (status !== undefined) return status === 0 || platform === 'win32';
  }
  return false;
}

/** The programs that open a file in the person's browser; the first one present is used. */
function openersOf({ WSL_DISTRO_NAME }: NodeJS.ProcessEnv, platform: NodeJS.Platform): readonly Opener[] {
  if (platform === 'darwin') return [['open']];
  if (platform === 'win32') return [['rundll32', 'url.dll,FileProtocolHandler']];
  // In Linux on Windows this one knows the name that a browser of Windows has for the file.
  return WSL_DISTRO_NAME === undefined ? [['xdg-open']] : [['wslview'], ['xdg-open']];
}

function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET.test(name)));
}

/** Undefined for a program that cannot be started. */
async function statusOf(child: ChildProcess): Promise<number | null | undefined> {
  child.unref();
  return await new Promise((resolve) => {
    child.once('error', () => resolve(undefined));
    child.once('exit', resolve);
  });
}

/**
 * Not hidden, and in the home folder itself: browsers that are installed as a snap see nothing else of the user's
 * files. Six random characters follow.
 */
const FOLDER = 'skinsmith-open-';
const FOLDERS = new RegExp(`^${FOLDER}\\w{6}$`);
const NAME = 'open.html';
/** Milliseconds after which a link in such a file has expired. */
const LEFTOVER_AGE = 5 * 60_000;

/**
 * Writes a file that redirects a browser to a link; only this user can read it.
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

/** Removes the leftovers of killed runs. */
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
