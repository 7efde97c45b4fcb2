import { Restorer } from '../../accounts/restorer.ts';
import type { GeneratorContext, OpenGenerator } from '../generators.ts';
import { accountsGenerator } from './accounts.ts';
import { accountsHealth } from './health.ts';

/** Milliseconds that giving accounts their own skins back may keep the service from its end. */
const RESTORE_LIMIT = 20_000;

/** The generator, and what gives accounts their own skins back when it does not need them. */
export async function openAccountsGenerator({
  accounts,
  clock,
  warn,
  onError,
}: GeneratorContext): Promise<OpenGenerator> {
  const { desk } = accounts;
  const isReady = async () => (await desk.nextStart(0)) !== undefined;
  if (!(await isReady()))
    warn('There is no game account to make skins with: link one with skinsmith accounts link.');
  const restorer = new Restorer({ desk, clock, onError });
  restorer.start();
  const health = async (signal: AbortSignal) => await accountsHealth(accounts, signal);
  return {
    generator: { ...accountsGenerator(desk), health, isReady },
    close: async () => await restorer.stop(RESTORE_LIMIT),
  };
}
