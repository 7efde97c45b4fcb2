import type { Command } from 'commander';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Fields } from '../../output/described.ts';
import { confirm } from '../../terminal/confirm.ts';
import { jsonDocument } from '../../text/json.ts';
import { withGameAccount } from './find-account.ts';

export interface AccountsUnlinkOptions {
  readonly account: string;
  /** Skip the confirmation. */
  readonly yes?: boolean;
}

interface UnlinkedView {
  readonly uuid: string;
  readonly name: string;
  readonly unlinked: true;
  readonly ownSkin: boolean;
}

const FIELDS: Fields<UnlinkedView> = {
  uuid: 'UUID of the account',
  name: 'player name',
  unlinked: 'always true',
  ownSkin: 'whether the account got its own skin back',
};
export const accountsUnlink = {
  examples: [
    ['Unlink an account without being asked', 'skinsmith accounts unlink Alex --yes'],
    [
      'Unlink an account of another service',
      'skinsmith accounts unlink Steve --yes --base-url https://skins.example.org',
    ],
  ],
  output: [{ json: { shape: 'object', fields: FIELDS } }],
  register(command: Command, runner: Runner, run = runAccountsUnlink): void {
    command
      .description(
        'Unlink a game account and delete its tokens.\n' +
          'The account gets its own skin back if possible. Asks for confirmation first; without a ' +
          'terminal, --yes is required.',
      )
      .argument('<account>', 'name or UUID of the account')
      .option('-y, --yes', 'do not ask for confirmation')
      .action(
        async (account: string, typed: Omit<AccountsUnlinkOptions, 'account'>) =>
          await runner(async (context) => await run({ ...typed, account }, context)),
      );
  },
} satisfies CommandModule;

export async function runAccountsUnlink(
  { account: named, yes }: AccountsUnlinkOptions,
  context: CommandContext,
): Promise<number> {
  const outcome = await withGameAccount(named, context, async (games, { uuid, name }) => {
    if (!yes && !(await confirm(`Unlink ${name}? Its tokens are forgotten.`, context))) return undefined;
    return { uuid, name, messages: await games.unlink(uuid, { signal: context.signal }) };
  });
  if (!outcome) {
    context.messages.say('Nothing was unlinked.');
    return exitStatus('failed');
  }
  const { uuid, name, messages } = outcome;
  for (const { message } of messages) context.messages.say(`${name}: ${message}`);
  const isRestored = !messages.some(({ code }) => code === 'account_not_restored');
  const view: UnlinkedView = { uuid, name, unlinked: true, ownSkin: isRestored };
  if (context.flags.json) context.io.out.write(jsonDocument(view));
  return exitStatus('done');
}
