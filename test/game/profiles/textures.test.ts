import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { GAME_ADDRESSES } from '../../../src/game/addresses.ts';
import { downloadTexture, textureHashOf } from '../../../src/game/profiles.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { scriptedServer } from '../../support/client/scripted-server.ts';
import { callGame } from '../../support/fake-game/run-game.ts';
import { gameErrorOf } from '../../support/game/told.ts';
import { drawSkin } from '../../support/server/drawn-skins.ts';

const { textures } = GAME_ADDRESSES;

describe('The address of a texture', () => {
  test.each(['http', 'https'])('is on the textures host, by %s', (scheme) => {
    expect(textureHashOf(textures, `${scheme}://textures.minecraft.net/texture/ab12`)).toBe('ab12');
  });

  test('may be on another host if that is configured', () => {
    const own = 'http://127.0.0.1:8080/game';
    expect(textureHashOf(own, `${own}/texture/ab12`)).toBe('ab12');
    expect(textureHashOf(own, 'http://127.0.0.1:8081/game/texture/ab12')).toBeUndefined();
    expect(textureHashOf(own, 'http://127.0.0.1:8080/texture/ab12')).toBeUndefined();
  });

  test.each([
    'http://textures.minecraft.net.example/texture/ab12',
    'http://example/texture/ab12',
    'http://127.0.0.1/texture/ab12',
    'http://textures.minecraft.net:8080/texture/ab12',
    'http://me@textures.minecraft.net/texture/ab12',
    'ftp://textures.minecraft.net/texture/ab12',
    'http://textures.minecraft.net/texture/../ab12',
    'http://textures.minecraft.net/texture/ab12/x',
    'http://textures.minecraft.net/texture/AB12',
    'http://textures.minecraft.net/texture/',
    `http://textures.minecraft.net/texture/${'a'.repeat(65)}`,
    'not an address',
  ])('is not %s', (url) => {
    expect(textureHashOf(textures, url)).toBeUndefined();
  });
});

describe('A texture', () => {
  test('is fetched and decoded', async () => {
    const { fake, game } = await callGame();
    const hash = fake.textures.keep(drawSkin(7));
    const texture = await downloadTexture(game.http, `${fake.url}/texture/${hash}`);
    expect(texture.hash).toBe(hash);
    expect(createHash('sha256').update(texture.bytes).digest('hex').replace(/^0+/, '')).toBe(hash);
    expect(pixelHash(texture.picture)).toBe(pixelHash(drawSkin(7)));
  });

  test('is not fetched from another host', async () => {
    const { fake, game } = await callGame();
    const elsewhere = await callGame();
    const hash = elsewhere.fake.textures.keep(drawSkin(7));
    const error = await gameErrorOf(downloadTexture(game.http, `${elsewhere.fake.url}/texture/${hash}`));
    expect(error.kind).toBe('unexpected');
    expect([...fake.calls, ...elsewhere.fake.calls]).toEqual([]);
  });

  test('that is missing is not found', async () => {
    const { fake, game } = await callGame();
    expect((await gameErrorOf(downloadTexture(game.http, `${fake.url}/texture/ab12`))).kind).toBe(
      'not_found',
    );
  });

  test.each([
    ['a page', '<html></html>'],
    ['endless', ' '.repeat(300_000)],
  ])('that is %s is refused', async (_, text) => {
    const { url } = await scriptedServer([{ expect: 'GET /texture/ab12', text }]);
    const { game } = await callGame({}, { addresses: { textures: url } });
    expect((await gameErrorOf(downloadTexture(game.http, `${url}/texture/ab12`))).kind).toBe('unexpected');
  });
});
