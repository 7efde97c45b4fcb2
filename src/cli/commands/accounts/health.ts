import type { Command } from 'commander';
import type { GameAccountCheck } from '../../../index.ts';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandModule } from '../../context/command-module.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import { type Columns, columnRows, type Fields } from '../../output/described.ts';
import { colorsFor } from '../../terminal/colors.ts';
import { jsonDocument } from '../../text/json.ts';
import { clean } from '../../text/text.ts';
import { ACCOUNT_FIELDS, noAccounts } from './account-rows.ts';

const COLUMNS = {
  name: ({ account }) => account.name,
  uuid: ({ account }) => account.uuid,
  state: ({ account }) => account.state,
  problems: ({ problems }) => problems.join(' '),
} satisfies Columns<GameAccountCheck>;

const FIELDS: Fields<GameAccountCheck> = {
  account: { about: 'the account, as in accounts list', fields: ACCOUNT_FIELDS },
  problems: 'what keeps the account from being used, in sentences; empty if nothing does',
};
export const accountsHealth = {
  examples: [
    ['Check all game accounts', 'skinsmith accounts health'],
    ['Print the results as JSON', 'skinsmith accounts health --json'],
  ],
  output: [
    {
      columns: COLUMNS,
      columnMeanings: {
        name: ACCOUNT_FIELDS.name,
        uuid: ACCOUNT_FIELDS.uuid,
        state: ACCOUNT_FIELDS.state,
      },
      json: { shape: 'list', fields: FIELDS },
    },
  ],
  register(command: Command, runner: Runner, run = runAccountsHealth): void {
    command
      .description(
        'Check the health of game accounts with the game.\n' +
          'For each account, checks its token and profile, and shows what keeps it from being used. The ' +
          'exit status is 1 if any account has a problem.',
      )
      .action(async () => await runner(async (context) => await run(context)));
  },
} satisfies CommandModule;

export async function runAccountsHealth(context: CommandContext): Promise<number> {
  const { signal, flags, io } = context;
  const checks = await withAccount(context, async ({ games }) => {
    const found: GameAccountCheck[] = [];
    for (const { uuid } of await games.list({ signal })) {
      const check = await games.check(uuid, { signal });
      found.push(check);
      if (!flags.json) await print(check, context);
    }
    return found;
  });
  if (flags.json) io.out.write(jsonDocument(checks));
  else if (checks.length === 0) context.messages.say(noAccounts(context));
  return exitStatus(checks.every(({ problems }) => problems.length === 0) ? 'done' : 'failed');
}

async function print(check: GameAccountCheck, { io }: CommandContext): Promise<void> {
  if (!io.out.isTTY) {
    io.out.write(columnRows(COLUMNS, [check]));
    return;
  }
  const { account, problems } = check;
  const { good, bad } = await colorsFor(io.out);
  const isWell = problems.length === 0;
  io.out.write(
    `${isWell ? good('✔') : bad('✖')} ${clean(account.name)}  ${clean(isWell ? 'well' : problems.join(' '))}\n`,
  );
}
