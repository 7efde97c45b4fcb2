import { describe, expect, test } from 'vitest';
import {
  accountsEdit,
  accountsHealth,
  accountsList,
  accountsPause,
  accountsResume,
  accountsUnlink,
  accountsWear,
} from '../../../src/cli/commands/accounts.ts';
import type { CommandContext, ExitStatus } from '../../../src/cli/context/context.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { runAccountServer } from '../../support/server/account-server.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks } from '../../support/server/running-server.ts';

guardAgainstLeaks();

async function withService(options = {}) {
  const { fake, server, link } = await runAccountServer({}, { interval: 0.02, ...options });
  const { url, key } = server;
  const run = (command: (context: CommandContext) => ExitStatus, more: object = {}) =>
    runCommand(command, { url, key, ...more });
  return { fake, server, link, run };
}

describe('accounts', () => {
  test('are named by name or UUID, changed, and printed with the changes', async () => {
    const { fake, run, link } = await withService();
    const uuid = await link(fake.addAccount({ name: 'Ann' }));
    const dashed = uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
    const edit = (named: string, change: object) => (context: CommandContext) =>
      accountsEdit.run(named, change, context);
    const changes: [(context: CommandContext) => ExitStatus, string[]][] = [
      [(context) => accountsPause.run('ANN', context), ['paused', 'share']],
      [edit(uuid, { restore: true }), ['paused', 'share,restore']],
      [(context) => accountsResume.run('ann', context), ['active', 'share,restore']],
      [edit(dashed, { capes: true }), ['active', 'share,restore,capes']],
      [edit('ann', { restore: false, capes: false, share: false }), ['active', '']],
    ];
    for (const [command, [state, settings]] of changes) {
      const { status, out } = await run(command);
      expect(status).toBe(0);
      expect(out.split('\t')).toMatchObject({ 0: 'Ann', 1: uuid, 2: state, 6: settings });
    }
    expect((await run((context) => accountsPause.run('bob', context))).told?.code).toBe('no_such_account');
    expect((await run((context) => accountsEdit.run('ann', {}, context))).told?.exit).toBe('usage');
  });

  test('are listed for people and for programs', async () => {
    const { fake, server, run, link } = await withService();
    await link(fake.addAccount({ name: 'Ann' }));
    await server.owner.upload('/v2/generate', skinPng(1));
    const { out } = await run(accountsList.run, { isTTY: true });
    const [head, row] = out.split('\n').map((line) => line.split(/ {2,}/));
    expect(head?.slice(0, 4)).toEqual(['NAME', 'UUID', 'STATE', 'SKINS']);
    expect([row?.[0], row?.slice(2, 6)]).toEqual(['Ann', ['active', '1', '0', '0 s ago']]);
    expect([head?.slice(6, 8), row?.slice(6)]).toEqual([
      ['SETTINGS', 'USER'],
      ['share', 'owner'],
    ]);
    const json = JSON.parse((await run(accountsList.run, { flags: { json: true } })).out);
    expect(json).toMatchObject([{ name: 'Ann', generated: 1 }]);
  });

  test('that are all well exit 0; one that is not exits 1 and says why', async () => {
    const { fake, run, link } = await withService();
    const ann = fake.addAccount({ name: 'Ann' });
    for (const account of [ann, fake.addAccount({ name: 'Bob' })]) await link(account);
    expect(await run(accountsHealth.run)).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^Ann\t.*\t\nBob/),
    });
    ann.isSuspended = true;
    const { status, out } = await run(accountsHealth.run, { isTTY: true });
    expect([status, out.split('\n')]).toEqual([
      1,
      [expect.stringMatching(/✖ Ann .*suspended/), expect.stringMatching(/✔ Bob {2}well/), ''],
    ]);
  });

  test('wear a skin after confirmation, and the previous one with --restore', async () => {
    const { fake, server, run, link } = await withService();
    const ann = fake.addAccount({ name: 'Ann' });
    await link(ann);
    const made = await server.owner.upload('/v2/generate', skinPng(1), { visibility: 'private' });
    const { uuid } = made.body.skin!;
    const [uploaded] = fake.changes();
    const wear = (skin: string | undefined, typed: object, more: object = {}) =>
      run((context) => accountsWear.run(skin, typed, context), more);
    const answers = (text: string) => (text.includes('?') ? 'n\n' : undefined);
    const asked = await wear(uuid, {}, { isTTY: true, answers });
    expect([asked.status, asked.err]).toEqual([
      1,
      expect.stringContaining('is private, and everyone will see it. Let Ann wear it'),
    ]);
    expect(fake.changes()).toEqual([uploaded]);
    const { status, out } = await wear(uuid, { yes: true });
    expect([status, out.split('\t')[0]]).toEqual([0, 'Ann']);
    expect((await wear(undefined, { restore: true, account: 'ann', yes: true })).status).toBe(0);
    expect(ann.look.skin).toBeUndefined();
    expect((await wear(undefined, {})).told?.code).toBe('skin_or_restore');
    expect((await wear(uuid, { account: 'bob' })).told?.code).toBe('no_such_account');
    await link(fake.addAccount({ name: 'Bob' }));
    expect((await wear(uuid, { yes: true })).told?.code).toBe('which_account');
  });

  test('are unlinked after confirmation, and the outcome is reported', async () => {
    const { fake, run, link } = await withService();
    const uuid = await link(fake.addAccount({ name: 'Ann' }));
    const unasked = await run((context) => accountsUnlink.run('ann', {}, context));
    expect(unasked.told?.code).toBe('cannot_ask');
    const { status, out } = await run((context) => accountsUnlink.run('ann', { yes: true }, context), {
      flags: { json: true },
    });
    expect([status, JSON.parse(out)]).toEqual([0, { uuid, name: 'Ann', unlinked: true, ownSkin: true }]);
    expect((await run(accountsList.run)).out).toBe('');
  });
});
