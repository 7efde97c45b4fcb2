import type { ChildProcess, SpawnOptions } from 'node:child_process';

type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

/** The programs that open an address in the person's browser. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const OTHERWISE: readonly [string, ...string[]] = ['xdg-open'];

/** Opens an address in the browser. False if this machine has no program that does so. */
export async function openBrowser(url: string, spawn?: Spawn, platform = process.platform): Promise<boolean> {
  const start = spawn ?? (await import('node:child_process')).spawn;
  const [program, ...words] = OPENERS[platform] ?? OTHERWISE;
  const child = start(program, [...words, url], { stdio: 'ignore', detached: true });
  return await new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
