import { expect, test } from 'vitest';
import { runGame } from '../../support/fake-game/run-game.ts';
import { expectOldRefusal, readGenerated } from '../../support/http/v1/old-format.ts';
import { drawSkin } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

async function serverWithPlayer() {
  const fake = await runGame();
  const { id } = fake.addPlayer({ skin: { picture: drawSkin(1) } });
  const server = await runServer({ gameAddresses: fake.addresses });
  return { server, path: `/generate/user/${id}` };
}

test("GET /generate/user/<uuid> makes the player's skin, with the options of the query", async () => {
  const { server, path } = await serverWithPlayer();
  const heard = await server.anonymous().get(`${path}?name=Smith&visibility=1`);
  expect(readGenerated(heard)).toMatchObject({ name: 'Smith', duplicate: false });
  expect(heard.headers['cache-control']).toBe('no-store');
  const { body } = await server.anonymous().get('/v2/skins');
  expect(body.skins).toEqual([]);
});

test('A GET request that generates takes only a UUID, and only of players who exist', async () => {
  const { server } = await serverWithPlayer();
  const get = async (uuid: string) => await server.owner.get(`/generate/user/${uuid}`);
  for (const uuid of ['nobody!', `${'0'.repeat(12)}4${'0'.repeat(19)}`])
    expectOldRefusal(await get(uuid), 'invalid_user');
});

test('Neither HEAD nor a picture in a page of another site makes a skin', async () => {
  const { server, path } = await serverWithPlayer();
  expect((await server.owner.send('HEAD', path)).status).toBe(404);
  for (const site of ['cross-site', 'same-site']) {
    const refused = await server.anonymous().get(path, { 'sec-fetch-site': site });
    expectOldRefusal(refused, 'insufficient_grants');
  }
  // Over plain http, browsers do not say whose picture it is.
  const silent = { 'accept-language': 'en', 'accept-encoding': 'gzip, deflate' };
  for (const host of ['evil.example', '192.168.1.5:7546', new URL(server.url).host])
    expectOldRefusal(await server.anonymous().get(path, { ...silent, host }), 'insufficient_grants');
  expect((await server.anonymous().get(path, { 'accept-encoding': 'gzip' })).status).toBe(200);
  for (const site of ['none', 'same-origin']) {
    const taken = await server.anonymous().get(path, { 'sec-fetch-site': site });
    expect([site, taken.status]).toEqual([site, 200]);
  }
});
