import { describe, expect, test } from 'vitest';
import {
  usersCreate,
  usersDisable,
  usersEdit,
  usersEnable,
  usersGet,
  usersList,
} from '../../../src/cli/commands/users.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

describe('users', () => {
  test('are made, put on a plan, disabled and enabled, and printed as they are then', async () => {
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
      ['NAME', 'PLAN', 'ROLE', 'KEYS', 'CREATED', 'STATE'],
      ['bob', 'free', 'user', '0', ago],
      ['cat', 'free', 'user', '0', ago, 'disabled'],
      ['owner', 'owner', 'operator', '1', ago],
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

  test('are nobody else’s business', async () => {
    const { url, owner } = await runServer();
    const { body } = await owner.json('/v2/account/keys', { user: 'bob' });
    const { told } = await runCommand((context) => usersList.run({}, context), {
      url,
      key: body.key?.secret,
    });
    expect(told).toMatchObject({ code: 'insufficient_grants', exit: 'notAllowed' });
  });

  test('and plans that do not exist are named', async () => {
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
