import { describe, expect, test } from 'vitest';
import {
  usersCreate,
  usersDisable,
  usersEdit,
  usersEnable,
  usersGet,
  usersInvite,
  usersList,
  usersUninvite,
} from '../../../src/cli/commands/users.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

describe('users', () => {
  test('are created, put on a plan, disabled and enabled, and printed with each change', async () => {
    const { url, key } = await runServer();
    const runs = [
      (context: CommandContext) => usersCreate.run('bob', {}, context),
      (context: CommandContext) => usersEdit.run('bob', { plan: 'pro' }, context),
      (context: CommandContext) => usersDisable.run('bob', context),
      (context: CommandContext) => usersGet.run('bob', context),
      (context: CommandContext) => usersEnable.run('bob', context),
    ];
    const rows = [];
    for (const run of runs) {
      const { status, out } = await runCommand(run, { url, key });
      expect(status).toBe(0);
      rows.push(out.trimEnd().split('\t'));
    }
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    const id = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(rows).toEqual([
      ['bob', 'free', 'user', '0', time, '', id],
      ['bob', 'pro', 'user', '0', time, '', id],
      ['bob', 'pro', 'user', '0', time, time, id],
      ['bob', 'pro', 'user', '0', time, time, id],
      ['bob', 'pro', 'user', '0', time, '', id],
    ]);
  });

  test('are listed by name, as many as are wanted, for people and as JSON', async () => {
    const { url, key, owner } = await runServer();
    for (const name of ['cat', 'bob']) await owner.json('/v2/account/users', { name });
    await owner.patch('/v2/account/users/cat', { disabled: true });
    const list = (limit: number, more: object) =>
      runCommand((context) => usersList.run({ limit }, context), { url, key, ...more });
    const ago = expect.stringMatching(/^\d+ s ago$/);
    expect((await list(100, { isTTY: true })).out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['NAME', 'PLAN', 'ROLE', 'KEYS', 'CREATED', 'LAST USED', 'STATE'],
      ['bob', 'free', 'user', '0', ago, 'never'],
      ['cat', 'free', 'user', '0', ago, 'never', 'disabled'],
      ['owner', 'owner', 'operator', '1', ago, ago],
      [''],
    ]);
    const cut = await list(2, { isTTY: true });
    expect([cut.out.split('\n').length, cut.err]).toEqual([
      4,
      'Showing the first 2 users. To list all of them: --all\n',
    ]);
    const json = JSON.parse((await list(1, { flags: { json: true } })).out);
    expect(json).toEqual([expect.objectContaining({ name: 'bob', plan: 'free', keys: 0 })]);
  });

  test('are invited by a link, which is printed once and can be revoked', async () => {
    const { url, key, owner } = await runServer();
    await owner.json('/v2/account/users', { name: 'bob' });
    const invited = await runCommand((context) => usersInvite.run('bob', context), { url, key });
    const [link = '', name, until] = invited.out.trimEnd().split('\t');
    expect([link, name, until]).toEqual([
      expect.stringMatching(`^${url}/ui/sign-in/link\\?secret=[\\w-]{43}$`),
      'bob',
      expect.stringMatching(/Z$/),
    ]);
    const list = await runCommand((context) => usersList.run({}, context), { url, key, isTTY: true });
    expect(list.out).toMatch(/bob .* never +invited/);
    const { err } = await runCommand((context) => usersUninvite.run(['bob'], context), {
      url,
      key,
      isTTY: true,
    });
    expect(err).toBe('bob has no invitation any more.\n');
    const headers = { 'sec-fetch-site': 'none', accept: 'text/html' };
    expect((await fetch(link, { headers })).status).toBe(410);
  });

  test('are shown to operators only', async () => {
    const { url, owner } = await runServer();
    const { body } = await owner.json('/v2/account/keys', { user: 'bob' });
    const { told } = await runCommand((context) => usersList.run({}, context), {
      url,
      key: body.key?.secret,
    });
    expect(told).toMatchObject({ code: 'insufficient_grants', exit: 'notAllowed' });
  });

  test('and plans that do not exist are named in the error', async () => {
    const { url, key } = await runServer();
    const nobody = await runCommand((context) => usersGet.run('nobody', context), { url, key });
    expect(nobody.told).toMatchObject({
      code: 'user_not_found',
      message: 'No user nobody.',
      exit: 'failed',
    });
    const gold = await runCommand((context) => usersEdit.run('owner', { plan: 'gold' }, context), {
      url,
      key,
    });
    expect(gold.told?.message).toMatch(/^Unknown plan gold\. Plans: anonymous, free, /);
  });
});
