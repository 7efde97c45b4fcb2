import { describe, expect, test } from 'vitest';
import { parsePlayerId } from '../../src/game/names.ts';
import { fetchSignedProfile } from '../../src/game/profiles.ts';
import { uploadSkin } from '../../src/game/skins.ts';
import { buildTexturesValue } from '../../src/textures/property.ts';
import { isSignedBy, parsePublicKey } from '../../src/textures/signing-key.ts';
import { scriptedServer } from '../support/client/scripted-server.ts';
import { callGame } from '../support/fake-game/run-game.ts';
import { gameErrorOf } from '../support/game/told.ts';
import { drawSkin, skinPng } from '../support/server/drawn-skins.ts';
import { poll } from '../support/server/poll.ts';

const withDashes = (id: string) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

describe('A signed profile', () => {
  test("is found by UUID in either spelling, with Mojang's signature", async () => {
    const { fake, game } = await callGame();
    const player = fake.addPlayer({ name: 'Steve', skin: { picture: drawSkin(1), variant: 'slim' } });
    for (const spelling of [player.id, withDashes(player.id).toUpperCase()]) {
      const profile = await fetchSignedProfile(game.http, spelling);
      expect(profile).toMatchObject({ id: player.id, name: 'Steve', actions: [] });
      expect(profile.textures).toMatchObject({
        profileId: player.id,
        skin: { url: `${fake.url}/texture/${player.look.skin?.hash}`, variant: 'slim' },
      });
      expect(profile.signature).toHaveLength(684);
      expect(isSignedBy(parsePublicKey(fake.publicKey), profile.value, profile.signature)).toBe(true);
    }
  });

  test('has no skin when the player has a default one, and the cape that is worn', async () => {
    const { fake, game } = await callGame();
    const { id, look } = fake.addPlayer({
      cape: { ...drawSkin(1), height: 32, pixels: new Uint8Array(8192) },
    });
    const { textures } = await fetchSignedProfile(game.http, id);
    expect([textures.skin, textures.cape]).toEqual([undefined, { url: `${fake.url}/texture/${look.cape}` }]);
  });

  test.each([
    ['of an unknown player', '00000000000040008000000000000001', /no player/],
    ['of a player in offline mode', '5627dd98-e6be-3c21-b8a8-e92344183641', /offline mode \(version 3\)/],
    ['of what is no UUID', 'Steve', /not a UUID/],
  ])('is not returned %s', async (whose, id, reason) => {
    const { fake, game } = await callGame();
    const error = await gameErrorOf(fetchSignedProfile(game.http, id));
    expect([error.kind, error.message]).toEqual(['not_found', expect.stringMatching(reason)]);
    expect(fake.calls.length).toBe(whose === 'of an unknown player' ? 1 : 0);
  });

  test('may be outdated for a while after a change, and is requested past the caches', async () => {
    const { fake, game } = await callGame({ accounts: 1 });
    const [account] = fake.accounts;
    fake.order({ fault: { kind: 'stale', reads: 2 } });
    const { url } = await uploadSkin(game.http, account!.token, { png: skinPng(1), variant: 'classic' });
    const shown = [];
    for (let read = 0; read < 3; read++) {
      shown.push((await fetchSignedProfile(game.http, account!.id, { isFresh: true })).textures.skin?.url);
    }
    expect(shown).toEqual([undefined, undefined, url]);
  });

  const id = '00000000000040008000000000000001';
  const value = buildTexturesValue({ timestamp: 1, profileId: id, profileName: 'Steve' });
  const good = { id, name: 'Steve', properties: [{ name: 'textures', value, signature: 'AA==' }] };
  test.each([
    ['of someone else', { ...good, id: `${id.slice(0, 31)}2` }],
    ['without properties', { id, name: 'Steve' }],
    ['without textures', { ...good, properties: [] }],
    ['without a signature', { ...good, properties: [{ name: 'textures', value }] }],
    ['whose value says nothing', { ...good, properties: [{ ...good.properties[0], value: 'e30=' }] }],
  ])('%s is refused', async (_, json) => {
    const line = `GET /session/minecraft/profile/${id}?unsigned=false`;
    const { url } = await scriptedServer([{ expect: line, json }]);
    const { game } = await callGame({}, { addresses: { sessionServer: url } });
    expect((await gameErrorOf(fetchSignedProfile(game.http, id))).kind).toBe('unexpected');
  });

  test('may name an action that Mojang requires of the player', async () => {
    const line = `GET /session/minecraft/profile/${id}?unsigned=false`;
    const json = { ...good, profileActions: ['USING_BANNED_SKIN'], more: 'to come' };
    const { url } = await scriptedServer([{ expect: line, json }]);
    const { game } = await callGame({}, { addresses: { sessionServer: url } });
    expect((await fetchSignedProfile(game.http, id)).actions).toEqual(['USING_BANNED_SKIN']);
  });

  test("is requested with its own time limit and the program's name", async () => {
    const line = `GET /session/minecraft/profile/${id}?unsigned=false&t=1767225600000`;
    const { url, seen } = await scriptedServer([{ expect: line, status: 204 }]);
    const clock = { now: () => 1_767_225_600_000, monotonic: () => 0, sleep: async () => {} };
    const { game } = await callGame({}, { addresses: { sessionServer: url }, clock });
    await gameErrorOf(fetchSignedProfile(game.http, id, { isFresh: true }));
    expect(seen[0]?.headers).toMatchObject({ 'user-agent': expect.stringMatching(/^skinsmith\//) });
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
  });

  test('is not waited for when its caller goes away', async () => {
    const { fake, game } = await callGame();
    fake.order({ fault: { kind: 'hangs' }, on: ['profile'] });
    const leaving = new AbortController();
    const asked = fetchSignedProfile(game.http, id, { signal: leaving.signal });
    const told = expect(asked).rejects.toThrow('went away');
    await poll(
      () => fake.calls,
      (calls) => calls.some(({ kind }) => kind === 'profile'),
    );
    leaving.abort(new Error('went away'));
    await told;
  });
});

test.each([
  ['069A79F4-44e9-4726-a5be-fca90e38aaf5', '069a79f444e94726a5befca90e38aaf5'],
  ['069a79f444e94726a5befca90e38aaf5', '069a79f444e94726a5befca90e38aaf5'],
  ['069a79f4-44e94726a5befca90e38aaf5', undefined],
  ['069a79f444e94726a5befca90e38aaf', undefined],
  ['', undefined],
])('The UUID of a player is read from %j', (text, id) => {
  expect(parsePlayerId(text)).toBe(id);
});
