import type { ResultPromise } from 'execa';
import type { ServerOptions } from '../../../src/server/server.ts';
import type { FakeGame } from '../fake-game/fake-game.ts';
import { accountServerOptions } from './account-server.ts';
import { runProcess } from './run-process.ts';

/** A second service over the same data folder, in a process of its own, stopped when the test ends. */
export async function runSecondProcess(
  fake: FakeGame,
  options: Partial<ServerOptions> & { readonly dataDir: string },
): Promise<{ readonly url: string; readonly process: ResultPromise }> {
  return await runProcess({ ...accountServerOptions(fake, options), dataDir: options.dataDir });
}
