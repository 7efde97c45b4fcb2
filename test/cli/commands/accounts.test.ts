import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changeAccount } from '../../../src/cli/commands/accounts/edit.ts';
import { runAccountsHealth } from '../../../src/cli/commands/accounts/health.ts';
import { runAccountsLink } from '../../../src/cli/commands/accounts/link.ts';
import { runAccountsList } from '../../../src/cli/commands/accounts/list.ts';
import { runAccountsUnlink } from '../../../src/cli/commands/accounts/unlink.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { CLIENT_ID, runAccountServer } from '../../support/server/account-server.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks } from '../../support/server/running-server.ts';

guardAgainstLeaks();

async function withService(options = {}) {
  const { fake, server, link } = await runAccountServer({}, { interval: 0.02, ...options });
  const { url, key } = server;
  const run = (command: (context: CommandContext) => Promise<number>, more: object = {}) =>
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
    const running = run((context) => runAccountsLink({}, context), { flags: { quiet: true } });
    const begun = await poll(
      () => [...fake.microsoft.userCodes()],
      (codes) => codes.length === 1,
    );
    fake.microsoft.approve(begun[0]!, account.id);
    const { status, out, err } = await running;
    expect(err).toBe(`Open https://www.microsoft.com/link and enter the code ${begun[0]}\n`);
    expect([status, out.split('\t').slice(0, 3)]).toEqual([0, ['Ann', account.id, 'active']]);
  });

  test.each([true, false])('shares the account with everybody: %s', async (share) => {
    const { fake, run } = await withService();
    const tokenFile = await fileWith(fake.addAccount().token);
    const { out } = await run((context) => runAccountsLink({ tokenFile, share }, context), {
      flags: { json: true },
    });
    expect(JSON.parse(out)).toMatchObject({ share, user: 'owner' });
  });

  test('that is declined exits 4 and links nothing', async () => {
    const { fake, run } = await withService();
    const running = run((context) => runAccountsLink({}, context));
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
    const { status, out, err } = await run((context) => runAccountsLink({ tokenFile }, context), {
      flags: { json: true, verbose: true },
    });
    expect([status, JSON.parse(out)]).toMatchObject([0, { uuid: account.id, state: 'active' }]);
    expect(out + err).not.toContain(token);
  });

  test('takes no token from the command line, and none that is no word', async () => {
    const { run } = await withService();
    const typed = await run((context) => runAccountsLink({ from: 'M.C5_secret' }, context));
    expect(typed.told).toMatchObject({ code: 'token_on_command_line', exit: 'usage' });
    const tokenFile = await fileWith('two words');
    const odd = await run((context) => runAccountsLink({ tokenFile }, context));
    expect(odd.told).toMatchObject({ code: 'not_a_token', exit: 'usage' });
  });
});

describe('accounts', () => {
  test('are named by name or UUID, changed, and printed as they are then', async () => {
    const { fake, run, link } = await withService();
    const uuid = await link(fake.addAccount({ name: 'Ann' }));
    const dashed = uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
    const changes: [string, object, string[]][] = [
      ['ANN', { paused: true }, ['paused', 'share']],
      [uuid, { paused: false, restore: true }, ['active', 'share,restore']],
      [dashed, { capes: true }, ['active', 'share,restore,capes']],
      ['ann', { restore: false, capes: false, share: false }, ['active', '']],
    ];
    for (const [named, change, [state, settings]] of changes) {
      const { status, out } = await run((context) => changeAccount(named, change, context));
      expect(status).toBe(0);
      expect(out.split('\t')).toMatchObject({ 0: 'Ann', 1: uuid, 2: state, 6: settings });
    }
    expect((await run((context) => changeAccount('bob', { paused: true }, context))).told?.code).toBe(
      'no_such_account',
    );
    expect((await run((context) => changeAccount('ann', {}, context))).told?.exit).toBe('usage');
  });

  test('are listed for people and for programs', async () => {
    const { fake, server, run, link } = await withService();
    await link(fake.addAccount({ name: 'Ann' }));
    await server.owner.upload('/v2/generate', skinPng(1));
    const { out } = await run(runAccountsList, { isTTY: true });
    const [head, row] = out.split('\n').map((line) => line.split(/ {2,}/));
    expect(head?.slice(0, 4)).toEqual(['NAME', 'UUID', 'STATE', 'SKINS']);
    expect([row?.[0], row?.slice(2, 6)]).toEqual(['Ann', ['active', '1', '0', '0 s ago']]);
    expect([head?.slice(6, 8), row?.slice(6)]).toEqual([
      ['SETTINGS', 'USER'],
      ['share', 'owner'],
    ]);
    const json = JSON.parse((await run(runAccountsList, { flags: { json: true } })).out);
    expect(json).toMatchObject([{ name: 'Ann', generated: 1 }]);
  });

  test('that are all well exit 0; one that is not exits 1 and says why', async () => {
    const { fake, run, link } = await withService();
    const ann = fake.addAccount({ name: 'Ann' });
    for (const account of [ann, fake.addAccount({ name: 'Bob' })]) await link(account);
    expect(await run(runAccountsHealth)).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^Ann\t.*\t\nBob/),
    });
    ann.isSuspended = true;
    const { status, out } = await run(runAccountsHealth, { isTTY: true });
    expect([status, out.split('\n')]).toEqual([
      1,
      [expect.stringMatching(/✖ Ann .*suspended/), expect.stringMatching(/✔ Bob {2}well/), ''],
    ]);
  });

  test('are unlinked when it is meant, and the outcome is said', async () => {
    const { fake, run, link } = await withService();
    const uuid = await link(fake.addAccount({ name: 'Ann' }));
    const unasked = await run((context) => runAccountsUnlink({ account: 'ann' }, context));
    expect(unasked.told?.code).toBe('cannot_ask');
    const { status, out } = await run(
      (context) => runAccountsUnlink({ account: 'ann', yes: true }, context),
      {
        flags: { json: true },
      },
    );
    expect([status, JSON.parse(out)]).toEqual([0, { uuid, name: 'Ann', unlinked: true, ownSkin: true }]);
    expect((await run(runAccountsList)).out).toBe('');
  });
});
