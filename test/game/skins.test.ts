import { describe, expect, test } from 'vitest';
import { downloadTexture } from '../../src/game/profiles.ts';
import {
  activeSkin,
  fetchAccount,
  hideCape,
  resetSkin,
  setSkinFromUrl,
  uploadSkin,
} from '../../src/game/skins.ts';
import { pixelHash } from '../../src/skin/read-skin.ts';
import { scriptedServer } from '../support/client/scripted-server.ts';
import type { PersonPlan } from '../support/fake-game/people.ts';
import { callGame } from '../support/fake-game/run-game.ts';
import { gameErrorOf } from '../support/game/told.ts';
import { drawSkin, skinPng } from '../support/server/drawn-skins.ts';

async function withAccount(plan: PersonPlan = {}) {
  const { fake, game } = await callGame();
  const account = fake.addAccount(plan);
  return { fake, game, account, token: account.token };
}

const original = { picture: drawSkin(1), variant: 'slim' } as const;
const cape = { width: 64, height: 32, pixels: new Uint8Array(64 * 32 * 4).fill(200) };

describe('An account', () => {
  test('is seen by its token, with its skins and capes', async () => {
    const { fake, game, account, token } = await withAccount({ skin: original, cape });
    const { hash } = account.look.skin!;
    const profile = await fetchAccount(game.http, token);
    expect(profile).toMatchObject({ id: account.id, name: account.name });
    expect(activeSkin(profile)).toMatchObject({ url: `${fake.url}/texture/${hash}`, variant: 'slim' });
    expect(profile.capes).toMatchObject([
      { url: `${fake.url}/texture/${account.look.cape}`, isActive: true },
    ]);
  });

  test('takes a new skin, which is active in the answer', async () => {
    const { fake, game, account, token } = await withAccount({ skin: original });
    const skin = await uploadSkin(game.http, token, { png: skinPng(2), variant: 'classic' });
    expect(skin).toEqual({
      url: `${fake.url}/texture/${account.look.skin!.hash}`,
      variant: 'classic',
      isActive: true,
    });
    const { picture } = await downloadTexture(game.http, skin.url);
    expect(pixelHash(picture)).toBe(pixelHash(drawSkin(2)));
    expect((await fetchAccount(game.http, token)).skins.map(({ isActive }) => isActive)).toEqual([
      false,
      true,
    ]);
  });

  test('gets back the skin it had, by its address', async () => {
    const { game, account, token } = await withAccount({ skin: original });
    const { url, variant } = activeSkin(await fetchAccount(game.http, token))!;
    const { hash } = account.look.skin!;
    await uploadSkin(game.http, token, { png: skinPng(2), variant: 'classic' });
    expect(await setSkinFromUrl(game.http, token, { url, variant })).toMatchObject({ url, variant: 'slim' });
    expect(account.look.skin).toEqual({ hash, variant: 'slim' });
  });

  test('goes back to a default skin, and hides its cape', async () => {
    const { game, account, token } = await withAccount({ skin: original, cape });
    expect(activeSkin(await resetSkin(game.http, token))).toBeUndefined();
    expect(account.look.cape).toBeDefined();
    await hideCape(game.http, token);
    expect(account.look).toEqual({ skin: undefined, cape: undefined });
  });

  test('refuses a file that is not a skin', async () => {
    const { game, account, token } = await withAccount({ skin: original });
    const { look } = account;
    const png = Buffer.from('not a picture');
    expect((await gameErrorOf(uploadSkin(game.http, token, { png, variant: 'slim' }))).kind).toBe(
      'bad_image',
    );
    const url = 'http://elsewhere.example/texture/abc';
    expect((await gameErrorOf(setSkinFromUrl(game.http, token, { url, variant: 'slim' }))).kind).toBe(
      'bad_image',
    );
    expect(account.look).toBe(look);
  });

  test('is refused with an old token, and accepted with a new one', async () => {
    const { fake, game, account, token } = await withAccount();
    const renewed = fake.renewToken(account);
    expect((await gameErrorOf(fetchAccount(game.http, token))).kind).toBe('unauthorized');
    expect((await fetchAccount(game.http, renewed)).id).toBe(account.id);
  });

  test('that is suspended stays suspended', async () => {
    const { fake, game, token } = await withAccount();
    fake.order({ fault: { kind: 'suspended' } });
    const upload = uploadSkin(game.http, token, { png: skinPng(1), variant: 'slim' });
    expect((await gameErrorOf(upload)).isSuspended).toBe(true);
    expect((await gameErrorOf(fetchAccount(game.http, token))).isSuspended).toBe(true);
  });

  test.each([
    ['that bought the game', {}],
    ['that plays by subscription', { hasItem: false }],
  ])('%s has a profile', async (_, plan) => {
    const { game, token, account } = await withAccount(plan);
    expect((await fetchAccount(game.http, token)).id).toBe(account.id);
  });

  test('that never chose a name has no profile', async () => {
    const { game, token } = await withAccount({ hasProfile: false });
    const { kind, status } = await gameErrorOf(fetchAccount(game.http, token));
    expect([kind, status]).toEqual(['no_profile', 404]);
  });

  test('without an active skin after a change counts as an invalid answer', async () => {
    const id = '00000000000040008000000000000001';
    const skins = [{ id: 'x', state: 'INACTIVE', url: 'http://a.example/texture/1', variant: 'CLASSIC' }];
    const { url, seen } = await scriptedServer([
      { expect: 'POST /minecraft/profile/skins', json: { id, name: 'Steve', skins, capes: [] } },
    ]);
    const { game } = await callGame({}, { addresses: { services: url } });
    const error = await gameErrorOf(uploadSkin(game.http, 'token', { png: skinPng(1), variant: 'slim' }));
    expect(error.kind).toBe('unexpected');
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer token',
      'content-length': expect.any(String),
    });
  });
});
