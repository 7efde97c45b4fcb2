import { once } from 'node:events';
import { join } from 'node:path';
import { execa, type ResultPromise } from 'execa';
import { onTestFinished } from 'vitest';
import type { ServerOptions } from '../../../src/server/server.ts';
import type { FakeGame } from '../../fake-game/fake-game.ts';
import { accountServerOptions } from './account-server.ts';

const PROGRAM = join(import.meta.dirname, 'serve-accounts.ts');

/** A second service over the same data folder, in a process of its own. It is gone when the test ends. */
export async function runSecondProcess(
  fake: FakeGame,
  options: Partial<ServerOptions> & { readonly dataDir: string },
): Promise<{ readonly url: string; readonly process: ResultPromise }> {
  const json = JSON.stringify(accountServerOptions(fake, options));
  const child = execa(process.execPath, [PROGRAM, json], { reject: false, stderr: 'inherit' });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await child;
  });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return { url: line.toString().trim(), process: child };
}
