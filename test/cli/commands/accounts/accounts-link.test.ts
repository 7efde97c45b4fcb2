import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { accountsLink } from '../../../../src/cli/commands/accounts.ts';
import type { CommandContext, ExitStatus } from '../../../../src/cli/context/context.ts';
import { runCommand } from '../../../support/cli/run-command.ts';
import { CLIENT_ID, runAccountServer } from '../../../support/server/account-server.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { poll } from '../../../support/server/poll.ts';
import { guardAgainstLeaks } from '../../../support/server/running-server.ts';

guardAgainstLeaks();

async function withService(options = {}) {
  const { fake, server, link } = await runAccountServer({}, { interval: 0.02, ...options });
  const { url, key } = server;
  const run = (command: (context: CommandContext) => ExitStatus, more: object = {}) =>
    runCommand(command, { url, key, ...more });
  return { fake, server, link, run };
}

async function fileWith(text: string): Promise<string> {
  const path = join(await ownFolder(), 'token');
  await writeFile(path, text);
  return path;
}

describe('accounts link', () => {
  test('shows the code on stderr even when quiet, waits, and prints the account', async () => {
    const { fake, run } = await withService();
    const account = fake.addAccount({ name: 'Ann' });
    const running = run((context) => accountsLink.run(undefined, {}, context), { flags: { quiet: true } });
    const begun = await poll(
      () => [...fake.microsoft.userCodes()],
      (codes) => codes.length === 1,
    );
    fake.microsoft.approve(begun[0]!, account.id);
    const { status, out, err } = await running;
    expect(err).toBe(`Open https://www.microsoft.com/link and enter the code ${begun[0]}\n`);
    expect([status, out.split('\t').slice(0, 3)]).toEqual([0, ['Ann', account.id, 'active']]);
  });

  test.each([true, false])('shares the account with everyone: %s', async (share) => {
    const { fake, run } = await withService();
    const tokenFile = await fileWith(fake.addAccount().token);
    const { out } = await run((context) => accountsLink.run(undefined, { tokenFile, share }, context), {
      flags: { json: true },
    });
    expect(JSON.parse(out)).toMatchObject({ share, user: 'owner' });
  });

  test('that is declined exits 4 and links nothing', async () => {
    const { fake, run } = await withService();
    const running = run((context) => accountsLink.run(undefined, {}, context));
    const [code] = await poll(
      () => [...fake.microsoft.userCodes()],
      (codes) => codes.length === 1,
    );
    fake.microsoft.decline(code!);
    const { told, out } = await running;
    expect([told, out]).toEqual([
      expect.objectContaining({
        code: 'login_failed',
        exit: 'notAllowed',
        message: 'The sign-in was declined.',
      }),
      '',
    ]);
  });

  test.each(['refresh', 'game'])('takes a %s token from a file and never shows it', async (kind) => {
    const { fake, run } = await withService();
    const account = fake.addAccount();
    const token = kind === 'game' ? account.token : fake.microsoft.refreshToken(account.id, CLIENT_ID);
    const tokenFile = await fileWith(`${token}\n`);
    const { status, out, err } = await run((context) => accountsLink.run(undefined, { tokenFile }, context), {
      flags: { json: true, verbose: true },
    });
    expect([status, JSON.parse(out)]).toMatchObject([0, { uuid: account.id, state: 'active' }]);
    expect(out + err).not.toContain(token);
  });

  test('refuses a token on the command line, and one that is not a single word', async () => {
    const { run } = await withService();
    const typed = await run((context) => accountsLink.run('M.C5_secret', {}, context));
    expect(typed.told).toMatchObject({ code: 'token_on_command_line', exit: 'usage' });
    const tokenFile = await fileWith('two words');
    const odd = await run((context) => accountsLink.run(undefined, { tokenFile }, context));
    expect(odd.told).toMatchObject({ code: 'not_a_token', exit: 'usage' });
  });
});
