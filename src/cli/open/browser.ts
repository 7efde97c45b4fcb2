import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { pathToFileURL } from 'node:url';

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

/** The programs that open a file in the person's browser, the first that is there. */
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
