import type { Command } from 'commander';
import { confirm } from '../../confirm.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { jsonDocument } from '../../output/json.ts';
import type { Runner } from '../../runner.ts';
import { withGameAccount } from './find-account.ts';

export interface AccountsUnlinkOptions {
  readonly account: string;
  /** Do not ask. */
  readonly yes?: boolean;
}

export function register(command: Command, runner: Runner, run = runAccountsUnlink): void {
  command
    .description(
      'Forgets a linked game account and its tokens; it gets its own skin back, if that can be (operator only). ' +
        'Asks first; where there is nobody to ask, --yes is needed.',
    )
    .argument('<account>', 'name or UUID of the account')
    .option('-y, --yes', 'do not ask')
    .action(
      async (account: string, typed: Omit<AccountsUnlinkOptions, 'account'>) =>
        await runner(async (deps) => await run({ ...typed, account }, deps)),
    );
}

export async function runAccountsUnlink(
  { account: named, yes }: AccountsUnlinkOptions,
  deps: Deps,
): Promise<number> {
  const outcome = await withGameAccount(named, deps, async (games, { uuid, name }) => {
    if (!yes && !(await confirm(`Unlink ${name}? Its tokens are forgotten.`, deps))) return undefined;
    return { uuid, name, messages: await games.unlink(uuid, { signal: deps.signal }) };
  });
  if (!outcome) {
    deps.talk.say('Nothing was unlinked.');
    return exitStatus('failed');
  }
  const { uuid, name, messages } = outcome;
  for (const { message } of messages) deps.talk.say(`${name}: ${message}`);
  const isRestored = !messages.some(({ code }) => code === 'account_not_restored');
  if (deps.flags.json) deps.io.out.write(jsonDocument({ uuid, name, unlinked: true, ownSkin: isRestored }));
  return exitStatus('done');
}
