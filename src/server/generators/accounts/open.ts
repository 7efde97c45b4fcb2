import { Restorer } from '../../accounts/restorer.ts';
import type { GeneratorContext, OpenGenerator } from '../generators.ts';
import { accountsGenerator } from './accounts.ts';

/** Milliseconds that giving accounts their own skins back may keep the service from its end. */
const RESTORE_LIMIT = 20_000;

/** The generator, and what gives accounts their own skins back when it does not need them. */
export async function openAccountsGenerator({
  accounts: { desk, onError },
  warn,
}: GeneratorContext): Promise<OpenGenerator> {
  if ((await desk.nextStart(0)) === undefined)
    warn('There is no game account to make skins with: link one with skinsmith accounts link.');
  const restorer = new Restorer({ desk, clock: desk.tools.clock, onError });
  restorer.start();
  return { generator: accountsGenerator(desk), close: async () => await restorer.stop(RESTORE_LIMIT) };
}
