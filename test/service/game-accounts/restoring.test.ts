import { describe, expect, test } from 'vitest';
import { findAccount } from '../../../src/server/store/accounts.ts';
import { hurriedIn, overlapsIn } from '../../support/fake-game/call-log.ts';
import { onSqlite } from '../../support/postgres/on-postgres.ts';
import { FAST_GAME, runAccountServer } from '../../support/server/account-server.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, openOwnStore } from '../../support/server/running-server.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

guardAgainstLeaks();

const OWN = { picture: drawSkin(900), variant: 'slim' } as const;

/** A service with an account that wears one of our skins; `worn`: what it wore before. */
async function afterOneSkin(rules = {}, plan: object = { skin: OWN }) {
  const world = await runAccountServer({ accountRules: rules });
  const account = world.fake.addAccount(plan);
  const worn = account.look.skin;
  await world.link(account);
  const set = async (change: object) =>
    await world.server.owner.patch(`/v2/account/accounts/${account.id}`, change);
  const make = async (number: number) => {
    const { status } = await world.server.owner.upload('/v2/generate', skinPng(number));
    expect(status).toBe(200);
  };
  await make(1);
  expect(account.look.skin).not.toEqual(worn);
  return { ...world, account, worn, set, make };
}

describe("An account's own skin", () => {
  test('is set again when it has been idle for a while, where its owner wants that', async () => {
    const { account, worn, set } = await afterOneSkin({ idle: 100 });
    await set({ restore: true });
    await poll(
      () => account.look.skin,
      (skin) => skin?.hash === worn?.hash,
    );
    expect(account.look.skin).toEqual(worn);
  });

  test('is not set again if its owner does not want that', async () => {
    const { account, worn, server, fake, link } = await afterOneSkin({ idle: 30 });
    const uuid = await link(fake.addAccount());
    const { db } = await openOwnStore(server.dataDir);
    await db.updateTable('game_accounts').set({ altered: 1, last_used_at: 1 }).execute();
    await server.owner.patch(`/v2/account/accounts/${uuid}`, { restore: true });
    // The look that has found this one has found the other as well.
    await poll(
      () => findAccount(db, uuid),
      (other) => other?.altered === 0,
    );
    await server.close();
    expect(account.look.skin).not.toEqual(worn);
  });

  test('is set again when the service stops', async () => {
    const { account, worn, set, server } = await afterOneSkin({ delay: 200 });
    await set({ restore: true });
    await server.close();
    expect(account.look.skin).toEqual(worn);
  });

  test('is set again even if it is a default skin', async () => {
    const { account, set, server } = await afterOneSkin({}, {});
    await set({ restore: true });
    await server.close();
    expect(account.look.skin).toBeUndefined();
  });

  test('is the one that it wore before the generation, even if it changed since it was linked', async () => {
    const { account, set, server, fake, make, worn } = await afterOneSkin({ idle: 50 });
    await set({ restore: true });
    await poll(
      () => account.look.skin,
      (skin) => skin?.hash === worn?.hash,
    );
    await set({ restore: false });
    const newer = { hash: fake.textures.keep(drawSkin(901)), variant: 'classic' } as const;
    account.look = { ...account.look, skin: newer };
    await make(2);
    await set({ restore: true });
    await server.close();
    expect(account.look.skin).toEqual(newer);
  });

  onSqlite(test)('never comes between a skin and its making', async () => {
    const { set, make, fake } = await afterOneSkin({ idle: 5, delay: 15 });
    await set({ restore: true });
    for (let number = 2; number < (isWhole ? 20 : 8); number++) await make(number);
    const kinds = new Set(fake.changes().map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(['skin_upload', 'skin_url']));
    expect([overlapsIn(fake.calls, FAST_GAME.timeout), hurriedIn(fake.calls, 15)]).toEqual([[], []]);
  });

  test('is set again when the account is unlinked, after its delay, and then deleted here', async () => {
    const { account, worn, server, fake } = await afterOneSkin({ delay: 250 });
    const path = `/v2/account/accounts/${account.id}`;
    const { status, body } = await server.owner.send('DELETE', path);
    expect([status, body.messages[0]?.code]).toEqual([200, 'account_restored']);
    expect(account.look.skin).toEqual(worn);
    expect(hurriedIn(fake.calls, 250)).toEqual([]);
    const { db } = await openOwnStore(server.dataDir);
    expect(await findAccount(db, account.id)).toBeUndefined();
    expect((await server.owner.send('DELETE', path)).status).toBe(404);
  });

  test('that cannot be set again does not keep the account linked', async () => {
    const { account, server, fake } = await afterOneSkin();
    fake.order({ fault: { kind: 'forbidden' } });
    const { status, body } = await server.owner.send('DELETE', `/v2/account/accounts/${account.id}`);
    expect([status, body.messages[0]?.code]).toEqual([200, 'account_not_restored']);
  });
});
