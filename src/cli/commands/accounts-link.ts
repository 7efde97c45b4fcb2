import type { Command } from 'commander';
import type { AccountClient, GameAccount } from '../../index.ts';
import { withAccount } from '../connection/connector.ts';
import type { CommandContext, CommandModule, Runner } from '../context/context.ts';
import { CliError, exitStatus, usageError } from '../errors/exit.ts';
import { readSecretFile, readStdinText } from '../terminal/read-input.ts';
import { clean } from '../text/text.ts';
import { ACCOUNT_OUTPUT, printAccount } from './accounts.ts';

type Games = AccountClient['games'];

export interface AccountsLinkOptions {
  /** `-`: read a token from stdin. */
  readonly from?: string;
  readonly tokenFile?: string;
  /** Whether the account generates skins for every user. */
  readonly share?: boolean;
}

export const accountsLink = {
  examples: [
    ['Link an account; its owner enters the printed code at Microsoft', 'skinsmith accounts link'],
    ['Link an account with a token from a file', 'skinsmith accounts link --token-file token.txt'],
  ],
  output: [ACCOUNT_OUTPUT],
  register(command: Command, runner: Runner, run = runAccountsLink): void {
    command
      .description(
        'Link a game account to a skinsmith service, to make skins with it.\n' +
          'The account makes your skins and, with --share, those of all users. Prints a code that the owner of the account enters at Microsoft, and waits. Alternatively takes ' +
          'a token: a Microsoft refresh token, or an access token of the game, which expires within a day.',
      )
      .argument('[-]', 'read a token from stdin')
      .option('--token-file <file>', 'read a token from this file, - for stdin')
      .option('--share', 'make skins for all users with the account (default for operators)')
      .option('--no-share', 'make only your own skins with the account (default for other users)')
      .action(
        async (from: string | undefined, typed: Omit<AccountsLinkOptions, 'from'>) =>
          await runner(
            async (context) => await run({ ...typed, ...(from !== undefined && { from }) }, context),
          ),
      );
  },
} satisfies CommandModule;

export async function runAccountsLink(
  options: AccountsLinkOptions,
  context: CommandContext,
): Promise<number> {
  const token = await readToken(options, context);
  const { signal } = context;
  const { share } = options;
  const account = await withAccount(context, async ({ games }) =>
    token === undefined ? await signIn(games, options, context) : await games.link(token, { signal, share }),
  );
  printAccount(account, context);
  await context.messages.note('To make skins with it: skinsmith serve --generator accounts');
  return exitStatus('done');
}

async function readToken(
  { from, tokenFile }: AccountsLinkOptions,
  context: CommandContext,
): Promise<string | undefined> {
  if (from !== undefined && from !== '-') {
    throw usageError(
      'token_on_command_line',
      'A token on the command line can be seen by others.',
      'Use --token-file FILE, or - for stdin.',
    );
  }
  if (from !== undefined && tokenFile !== undefined)
    throw usageError('two_tokens', 'Give --token-file or -, not both.');
  if (from === undefined && tokenFile === undefined) return undefined;
  const text =
    tokenFile === undefined
      ? await readStdinText(context)
      : await readSecretFile(tokenFile, 'token', context);
  const token = text.trim();
  if (/^[\x21-\x7e]{1,8192}$/.test(token)) return token;
  throw usageError('not_a_token', 'That is not a token: one word of up to 8192 characters.');
}

/** Signs in at Microsoft by device code; the account's owner can use any machine. */
async function signIn(
  games: Games,
  { share }: Pick<AccountsLinkOptions, 'share'>,
  context: CommandContext,
): Promise<GameAccount> {
  const { signal, clock, messages, io } = context;
  const { id, userCode, verificationUri, interval } = await games.beginLogin({ signal, share });
  // Printed even with --quiet: the sign-in needs the code.
  io.err.write(`${clean(`Open ${verificationUri} and enter the code ${userCode}`)}\n`);
  const progress = await messages.progress('Waiting for the sign-in');
  try {
    for (;;) {
      await clock.sleep(interval * 1000, signal);
      const { login, account } = await games.login(id, { signal });
      if (login.status === 'linked' && account) return account;
      if (login.status === 'failed')
        throw new CliError('login_failed', login.message ?? 'The sign-in failed.', { exit: 'notAllowed' });
    }
  } finally {
    progress.stop();
  }
}
