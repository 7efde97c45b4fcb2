import type { Command } from 'commander';
import type { GameAccountCheck } from '../../../index.ts';
import { withAccount } from '../../connection/account-manager.ts';
import type { CommandContext } from '../../context/context.ts';
import type { Runner } from '../../context/runner.ts';
import { exitStatus } from '../../errors/exit.ts';
import type { Examples } from '../../help/examples.ts';
import { clean, colorsFor, tabRows } from '../../terminal/text.ts';
import { jsonDocument } from '../../text/json.ts';

export const examples: Examples = [
  ['Check all game accounts', 'skinsmith accounts health'],
  ['Print the results as JSON', 'skinsmith accounts health --json'],
];

export function register(command: Command, runner: Runner, run = runAccountsHealth): void {
  command
    .description(
      'Check the health of game accounts with the game.\n' +
        'For each account, checks its token and profile, and shows what keeps it from being used. The ' +
        'exit status is 1 if any account has a problem.',
    )
    .action(async () => await runner(async (context) => await run(context)));
}

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
  else if (checks.length === 0) context.messages.say('No accounts. Link one: skinsmith accounts link');
  return exitStatus(checks.every(({ problems }) => problems.length === 0) ? 'done' : 'failed');
}

async function print(
  { account: { name, uuid, state }, problems }: GameAccountCheck,
  { io }: CommandContext,
): Promise<void> {
  if (!io.out.isTTY) {
    io.out.write(tabRows([[name, uuid, state, problems.join(' ')]]));
    return;
  }
  const { good, bad } = await colorsFor(io.out);
  const isWell = problems.length === 0;
  io.out.write(
    `${isWell ? good('✔') : bad('✖')} ${clean(name)}  ${clean(isWell ? 'well' : problems.join(' '))}\n`,
  );
}
