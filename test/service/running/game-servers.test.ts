import { describe, expect, test } from 'vitest';
import { runGame } from '../../support/fake-game/run-game.ts';
import { drawSkin } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

async function world(networkLimits = {}) {
  const game = await runGame();
  const server = await runServer({ gameAddresses: game.addresses, networkLimits });
  const jeb = game.addPlayer({ name: 'Jeb', skin: { picture: drawSkin(1), variant: 'slim' } });
  return { game, jeb, server, caller: server.anonymous() };
}

/** A name as the versions of the game and plugins look it up, below the folders that the agent puts in place of hosts. */
const BY_NAME = [
  [
    'the game with the newest list of addresses, SkinsRestorer and ZNPCsPlus',
    '/api',
    '/users/profiles/minecraft/',
  ],
  ['the game since 1.21.7', '/minecraftservices', '/minecraft/profile/lookup/name/'],
  ['the game with the accounts host for profiles', '/api', '/minecraft/profile/lookup/name/'],
] as const;

describe.each(BY_NAME)('A name that is looked up by %s', (_, folder, path) => {
  test('is that of a player, or the error that Mojang has for it', async () => {
    const { caller, jeb } = await world();
    const found = await caller.get(`${folder}${path}jeb`);
    expect([found.status, found.body]).toEqual([200, { id: jeb.id, name: 'Jeb' }]);
    for (const name of ['Nobody', 'not-a-name']) {
      const missing = await caller.get(`${folder}${path}${name}`);
      expect([missing.status, missing.body]).toEqual([
        404,
        { path: `${path}${name}`, errorMessage: `Couldn't find any profile with name ${name}` },
      ]);
    }
  });

  test('is an error of the service while Mojang cannot be asked', async () => {
    const { caller, game } = await world();
    await game.close();
    const heard = await caller.get(`${folder}${path}Jeb`);
    expectRefusal(heard, 'service_unavailable');
    expect(heard.headers['retry-after']).toBeDefined();
  });
});

test.each([
  '/api/profiles/minecraft',
  '/api/minecraft/profile/lookup/bulk/byname',
  '/minecraftservices/minecraft/profile/lookup/bulk/byname',
])('Up to ten names are looked up at %s', async (path) => {
  const { caller, jeb } = await world();
  expect((await caller.json(path, ['jeb', 'Nobody', 'not a name'])).body).toEqual([
    { id: jeb.id, name: 'Jeb' },
  ]);
  const names = Array.from({ length: 11 }, (_, at) => `Name${at}`);
  expectRefusal(await caller.json(path, names), 'validation_error');
});

test("A look-up by UUID answers with the player, or with Mojang's error", async () => {
  const { caller, jeb } = await world();
  const path = '/minecraft/profile/lookup/';
  const found = await caller.get(`/minecraftservices${path}${jeb.id}`);
  expect([found.status, found.body]).toEqual([200, { id: jeb.id, name: 'Jeb' }]);
  for (const id of ['0'.repeat(32), 'nobody']) {
    const missing = await caller.get(`/minecraftservices${path}${id}`);
    expect([missing.status, missing.body]).toEqual([
      404,
      { path: `${path}${id}`, error: 'NOT_FOUND', errorMessage: 'Not Found' },
    ]);
  }
});

test('A profile is at the address of MC-Heads by name and UUID, signed or not', async () => {
  const { caller, jeb } = await world();
  const texture = { name: 'textures', value: expect.any(String) };
  for (const user of ['jeb', jeb.id]) {
    const plain = await caller.get(`/minecraft/profile/${user}`);
    expect(plain.body).toEqual({ id: jeb.id, name: 'Jeb', properties: [texture], profileActions: [] });
    const signed = await caller.get(`/minecraft/profile/${user}/signed`);
    expect(signed.body).toMatchObject({ properties: [{ ...texture, signature: expect.any(String) }] });
  }
  for (const user of ['Nobody', 'not-a-name', '0'.repeat(32)])
    expect((await caller.get(`/minecraft/profile/${user}`)).status).toBe(204);
});

test('A game server that nobody knows is answered when 45 players join at once, while strangers look up profiles', async () => {
  const { caller, game, server } = await world({ requestsAtOnce: 2 });
  for (let n = 0; n < 30; n++)
    await caller.get(`/sessionserver/session/minecraft/profile/${String(n).padStart(32, 'a')}`);
  const names = Array.from({ length: 45 }, (_, at) => `Player_${at}`);
  for (const name of names) game.join(game.addPlayer({ name }), name);
  const answers = await Promise.all(
    names.map(async (name) => {
      const path = `/sessionserver/session/minecraft/hasJoined?username=${name}&serverId=${name}`;
      return (await server.anonymous('127.0.0.8').get(path)).status;
    }),
  );
  expect(answers).toEqual(names.map(() => 200));
});
