import { statSync } from 'node:fs';
import { createRequire, enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { VERSION } from '../base/version.ts';
import { isMissingPart, missingPartLines } from './errors/exit.ts';
import { PROGRAM_HELP } from './help/program-help.ts';
import type * as program from './program.ts';

/**
 * Runs one command line (without node and the script). A bundle of its own: Node's compile cache must be on before the
 * program is loaded.
 * @returns the exit status
 */
export async function start(argv: readonly string[]): Promise<number> {
  settleHome(process.env);
  const folder = compileCacheFolder(process.env);
  if (folder !== undefined) enableCompileCache(folder);
  try {
    return await main(argv);
  } catch (error) {
    if (!isMissingPart(error)) throw error;
    process.stderr.write(missingPartLines(argv.includes('--json')));
    return 1;
  }
}

/** The same in a process that has started. */
export async function main(argv: readonly string[]): Promise<number> {
  const isAboutVersion = argv.length === 2 && argv.includes('--json') && argv.some(isVersion);
  const text = isAboutVersion ? await loadProgram().versionDocument() : fixedText(argv);
  return text === undefined ? await loadProgram().runProgram(argv) : await print(text);
}

/** The built program beside this file. */
function loadProgram(): typeof program {
  return createRequire(import.meta.url)('./cli.cjs') as typeof program;
}

async function print(text: string): Promise<number> {
  const error = await new Promise<Error | null | undefined>((resolve) => {
    process.stdout.on('error', () => {}); // without a listener it would end the process with its stack
    process.stdout.write(text, resolve);
  });
  return error ? await loadProgram().reportUnwritten(error) : 0;
}

/** Fixed output for fixed words, printed without loading the program. */
function fixedText([word, ...more]: readonly string[]): string | undefined {
  if (more.length > 0) return undefined;
  if (word === undefined || word === '-h') return WELCOME;
  if (isVersion(word)) return `${VERSION}\n`;
  return word === '--help' && !isNarrow(process.stdout) ? PROGRAM_HELP : undefined;
}

function isVersion(word: string): boolean {
  return word === '--version' || word === '-V';
}

/** Whether the lines of the program's help are longer than the terminal is wide. */
function isNarrow({ isTTY, columns }: NodeJS.WriteStream): boolean {
  return isTTY && columns < 80;
}

/** The output of `skinsmith` without arguments: one screen that leads to a first skin. */
const WELCOME = `skinsmith turns PNG files, URLs and players into signed Minecraft skins.

Make your first skin, from a PNG file or from a player:

  skinsmith generate skin.png
  skinsmith generate --player Notch

This needs no account, but players with an unmodified Minecraft see only skins
that Mojang signed. For them, use MineSkin, or a pack for NPCs and heads:

  skinsmith login --base-url https://api.mineskin.org
  skinsmith pack skins/ --out pack.zip

What to do next:

  skinsmith check skins/                     find unusable pictures, offline
  skinsmith generate skins/ --out signed/    make a whole folder of skins
  skinsmith verify signed/skins.lock         check signatures and pixels
  skinsmith doctor                           find problems with your setup

  skinsmith --help             list all commands and global options
  skinsmith help <command>     show examples and options of a command
`;

/**
 * Treats a user without a home folder, as in some containers, like one whose HOME is empty. Otherwise Node throws when a
 * program asks for the folder, and some libraries ask while they are loaded.
 */
export function settleHome(env: NodeJS.ProcessEnv, ask = homedir): void {
  try {
    ask();
  } catch {
    env['HOME'] = '';
  }
}

/**
 * Where Node keeps compiled code: among the user's own caches, because Node's own choice is a folder in /tmp that another
 * user may have made first, and V8 runs what it finds there. `undefined` where those caches belong to someone else (root
 * with the home of another user) or there are none. NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE are Node's own and
 * take precedence.
 */
export function compileCacheFolder(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
  isOwn: (folder: string) => boolean = belongsToThisUser,
): string | undefined {
  const [caches, ...below] = userCaches(env, platform);
  if (!isAbsolute(caches) || !isOwn(caches)) return undefined;
  return join(caches, ...below, 'skinsmith', 'compiled');
}

/** A folder that should exist, and the way from there. */
function userCaches(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): readonly [string, ...string[]] {
  const { HOME: home = '', XDG_CACHE_HOME: named = '', LOCALAPPDATA: local = '' } = env;
  if (platform === 'win32') return [local];
  if (platform === 'darwin') return [home, 'Library', 'Caches'];
  return isAbsolute(named) ? [named] : [home, '.cache'];
}

/** Windows has no user ids; the folder for caches is the user's own there. */
function belongsToThisUser(folder: string): boolean {
  return (
    process.getuid === undefined || statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid()
  );
}
