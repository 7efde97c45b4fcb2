import { describe, expect, test } from 'vitest';
import type { AccountRules } from '../../../src/server/accounts/availability.ts';
import { hurriedIn } from '../../support/fake-game/call-log.ts';
import { runAccountServer } from '../../support/server/account-server.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const OWN = { picture: drawSkin(900), variant: 'slim' } as const;

/** A service that signs with its own key, an account of its owner that wears a skin, and a skin to wear. */
async function withAccount(accountRules: Partial<AccountRules> = {}, visibility = 'unlisted') {
  const world = await runAccountServer({ generator: 'signing', accountRules });
  const account = world.fake.addAccount({ name: 'Ann', skin: OWN });
  await world.link(account);
  const { owner } = world.server;
  const skin = (await owner.upload('/v2/generate', skinPng(1), { visibility })).body.skin!.uuid;
  const path = `/v2/account/accounts/${account.id}/skin`;
  const wear = async (more: object = {}, as = owner) => {
    const { status, body } = await as.put(path, { skin, ...more });
    return [status, body.errors?.[0]?.code];
  };
  const restore = async () => (await owner.send('DELETE', path)).status;
  const hashOf = (number: number) => world.fake.textures.keep(drawSkin(number));
  return { ...world, owner, skin, account, worn: account.look.skin, wear, restore, hashOf };
}

describe("A skin that a user's own account is to wear", () => {
  test('is set in Minecraft, with its arms, and the one before comes back on request', async () => {
    const { account, worn, wear, restore, hashOf } = await withAccount();
    expect(await wear()).toEqual([200, undefined]);
    expect(account.look.skin).toEqual({ hash: hashOf(1), variant: 'classic' });
    expect(await restore()).toBe(200);
    expect(account.look.skin).toEqual(worn);
  });

  test('becomes the account’s own skin: it stays when the service stops', async () => {
    const { owner, server, account, wear, hashOf } = await withAccount();
    await owner.patch(`/v2/account/accounts/${account.id}`, { restore: true });
    await wear();
    await server.close();
    expect(account.look.skin?.hash).toBe(hashOf(1));
  });

  test('is set only after the delay between two changes of an account', async () => {
    const { fake, wear, restore } = await withAccount({ delay: 150 });
    await wear();
    await restore();
    expect([fake.changes().length, hurriedIn(fake.calls, 150)]).toEqual([2, []]);
  });

  test('is refused while Mojang limits the account, without a request to Mojang', async () => {
    const { fake, wear, account, worn } = await withAccount();
    fake.order({ fault: { kind: 'limited' }, on: ['skin_upload'] });
    expect(await wear()).toEqual([503, 'service_unavailable']);
    const before = fake.calls.length;
    expect(await wear()).toEqual([503, 'service_unavailable']);
    expect([fake.calls.length, account.look.skin]).toEqual([before, worn]);
  });

  test('is refused if it is private, unless everyone may see it', async () => {
    const { account, worn, wear } = await withAccount({}, 'private');
    expect(await wear()).toEqual([400, 'invalid_request']);
    expect(account.look.skin).toEqual(worn);
    expect(await wear({ publish: true })).toEqual([200, undefined]);
  });

  test('is refused if operators have blocked it, or Mojang does not take it', async () => {
    const { owner, skin, fake, account, worn, wear } = await withAccount();
    fake.order({ fault: { kind: 'bad_image' }, on: ['skin_upload'] });
    expect(await wear()).toEqual([400, 'invalid_image']);
    await owner.json('/v2/account/blocked-images', { skin });
    expect(await wear()).toEqual([403, 'insufficient_grants']);
    expect(account.look.skin).toEqual(worn);
  });

  test('is chosen only by the user who linked the account, not by operators', async () => {
    const { server, fake, owner, skin } = await withAccount();
    const [ann, bob] = [await server.user('ann'), await server.user('bob')];
    const account = fake.addAccount({ skin: OWN });
    await ann.json('/v2/account/accounts', { token: account.token });
    const path = `/v2/account/accounts/${account.id}/skin`;
    expectRefusal(await owner.put(path, { skin }), 'insufficient_grants');
    expectRefusal(await owner.send('DELETE', path), 'insufficient_grants');
    expectRefusal(await bob.put(path, { skin }), 'not_found');
    expect(fake.changes()).toEqual([]);
    expect((await ann.put(path, { skin })).status).toBe(200);
  });
});
