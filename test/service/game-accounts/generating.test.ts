import { describe, expect, test } from 'vitest';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { parseTexturesValue } from '../../../src/textures/property.ts';
import { isSignedBy, parsePublicKey } from '../../../src/textures/signing-key.ts';
import { runAccountServer } from '../../support/server/account-server.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks } from '../../support/server/running-server.ts';

guardAgainstLeaks();

const cape = { width: 64, height: 32, pixels: new Uint8Array(64 * 32 * 4).fill(200) };

describe('A skin made with a game account', () => {
  test('is signed by Mojang, shows the picture with its arms, and names the account', async () => {
    const { fake, server, link } = await runAccountServer();
    const account = fake.addAccount();
    await link(account);
    const { status, body } = await server.owner.upload('/v2/generate', skinPng(1), { variant: 'slim' });
    expect(status).toBe(200);
    const { texture, generator, variant } = body.skin!;
    const { value, signature } = texture.data;
    expect(isSignedBy(parsePublicKey(fake.publicKey), value, signature)).toBe(true);
    const { skin, profileId, cape: worn } = parseTexturesValue(value);
    expect({ skin, profileId, worn, variant }).toEqual({
      skin: { url: texture.url.skin, variant: 'slim' },
      profileId: account.id,
      worn: undefined,
      variant: 'slim',
    });
    const file = fake.textures.file(texture.url.skin.split('/').at(-1)!)!;
    expect(pixelHash(decodePng(file))).toBe(pixelHash(drawSkin(1)));
    expect(generator).toMatchObject({
      account: account.id,
      server: 'skinsmith',
      duration: expect.any(Number),
    });
    expect(generator.duration).toBeGreaterThan(0);
  });

  test('has the hash in its texture’s address as its hash, and is served and blocked by it', async () => {
    const { fake, server, link } = await runAccountServer();
    await link(fake.addAccount());
    const { owner } = server;
    const { uuid, texture } = (await owner.upload('/v2/generate', skinPng(1))).body.skin!;
    const name = texture.url.skin.split('/').at(-1)!;
    expect([texture.hash.skin, name === pixelHash(drawSkin(1))]).toEqual([name, false]);
    expect((await owner.get('/v2/skins')).body.skins?.[0]?.texture).toBe(name);
    const { headers } = await owner.get(`/v2/skins/${uuid}/texture`);
    expect(headers['location']).toBe(`/textures/${name}`);
    for (const path of [`/textures/${name}`, `/v2/images/${name}`])
      expect(pixelHash(decodePng((await owner.get(path)).bytes))).toBe(pixelHash(drawSkin(1)));
    const { body } = await owner.json('/v2/account/blocked-images', { hash: name });
    expect([body.hidden, body.image?.hash]).toEqual([1, pixelHash(drawSkin(1))]);
    expect((await owner.get(`/textures/${name}`)).status).toBe(404);
  });

  test('is known afterwards, whatever account would be next', async () => {
    const { fake, server, link } = await runAccountServer();
    for (const account of [fake.addAccount(), fake.addAccount()]) await link(account);
    await server.owner.upload('/v2/generate', skinPng(1));
    const again = await server.anonymous().upload('/v2/generate', skinPng(1));
    expect(again.body.skin?.duplicate).toBe(true);
    expect(fake.changes()).toHaveLength(1);
  });

  test('hides the cape of the account first, unless its owner agrees to show it', async () => {
    const { fake, server, link } = await runAccountServer();
    const account = fake.addAccount({ cape });
    const uuid = await link(account);
    const first = await server.owner.upload('/v2/generate', skinPng(1));
    expect(parseTexturesValue(first.body.skin!.texture.data.value).cape).toBeUndefined();
    const kinds = fake.calls.map(({ kind }) => kind);
    expect(kinds.indexOf('cape_hide')).toBeGreaterThan(0);
    expect(kinds.indexOf('cape_hide')).toBeLessThan(kinds.indexOf('skin_upload'));

    account.look = { ...account.look, cape: fake.textures.keep(cape) };
    await server.owner.patch(`/v2/account/accounts/${uuid}`, { capes: true });
    const second = await server.owner.upload('/v2/generate', skinPng(2));
    const shown = parseTexturesValue(second.body.skin!.texture.data.value).cape;
    expect(shown?.url).toBe(`${fake.url}/texture/${account.look.cape}`);
    expect(second.body.skin!.texture.url.cape).toBe(shown?.url);
    expect(fake.calls.filter(({ kind }) => kind === 'cape_hide')).toHaveLength(1);
  });

  test('never shows a cape that the owner has put on meanwhile', async () => {
    const { fake, server, link } = await runAccountServer();
    const account = fake.addAccount();
    await link(account);
    await server.owner.upload('/v2/generate', skinPng(1));
    account.look = { ...account.look, cape: fake.textures.keep(cape) };
    const { body } = await server.owner.upload('/v2/generate', skinPng(2));
    expect(parseTexturesValue(body.skin!.texture.data.value).cape).toBeUndefined();
  });

  test('has no cape of this service: requests for one are refused', async () => {
    const { server, fake, link } = await runAccountServer();
    await link(fake.addAccount());
    const sent = { cape: '0'.repeat(32) };
    const { status, body } = await server.owner.upload('/v2/queue', skinPng(1), sent);
    expect([status, body.errors[0]?.code]).toEqual([400, 'invalid_cape']);
  });

  test('that was worn with other arms before is shown with the right ones', async () => {
    const { fake, server, link } = await runAccountServer({ accountRules: { looks: [1, 200, 20] } });
    await link(fake.addAccount());
    await server.owner.upload('/v2/generate', skinPng(1), { variant: 'classic' });
    fake.order({ fault: { kind: 'stale', reads: 1 } });
    const { body } = await server.owner.upload('/v2/generate', skinPng(1), { variant: 'slim' });
    expect(parseTexturesValue(body.skin!.texture.data.value).skin?.variant).toBe('slim');
  });
});
