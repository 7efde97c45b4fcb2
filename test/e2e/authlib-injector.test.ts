import { createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { runGame } from '../support/fake-game/run-game.ts';
import { freshMachine } from '../support/program/program.ts';
import { drawSkin } from '../support/server/drawn-skins.ts';

/**
 * What the agent sends: its source opens the address with Java's HttpURLConnection and sets no header
 * (AuthlibInjector.configure() in yushijinhun/authlib-injector).
 */
const AGENT = { 'user-agent': 'Java/21.0.4', accept: 'text/html, image/gif, image/jpeg, */*; q=0.2' };

test('A game server with authlib-injector pointed at the program lets players in and finds them, and learns while Mojang is down that it must retry', async () => {
  const game = await runGame();
  const machine = await freshMachine();
  machine.env['SKINSMITH_GAME_ADDRESSES'] = JSON.stringify(game.addresses);
  const { url } = await machine.serve();
  const jeb = game.addPlayer({ name: 'Jeb', skin: { picture: drawSkin(1), variant: 'slim' } });
  const get = async (path: string) => await fetch(`${url}${path}`, { headers: AGENT });

  const root = (await (await get('/')).json()) as { signaturePublickey: string; skinDomains: string[] };
  expect(root).toMatchObject({ signaturePublickey: expect.stringContaining('BEGIN PUBLIC KEY') });

  game.join(jeb, '-1f2e3d');
  const session = '/sessionserver/session/minecraft';
  const joined = await get(`${session}/hasJoined?username=Jeb&serverId=-1f2e3d&ip=127.0.0.1`);
  const direct = await fetch(
    `${game.addresses.sessionServer}/session/minecraft/hasJoined?username=Jeb&serverId=-1f2e3d`,
  );
  expect([joined.status, joined.headers.get('content-type')]).toEqual([
    200,
    'application/json; charset=utf-8',
  ]);
  const profile = (await joined.json()) as { id: string; properties: { value: string; signature: string }[] };
  expect(Object.keys(profile)).toEqual(Object.keys((await direct.json()) as object));
  expect(profile.id).toBe(jeb.id);
  const [textures] = profile.properties;
  const key = createPublicKey({ key: Buffer.from(game.publicKey, 'base64'), format: 'der', type: 'spki' });
  const signature = Buffer.from(textures!.signature, 'base64');
  expect(verify('sha1', Buffer.from(textures!.value), key, signature)).toBe(true);
  const stranger = await get(`${session}/hasJoined?username=Jeb&serverId=other`);
  expect([stranger.status, await stranger.text()]).toEqual([204, '']);

  const signed = (await (await get(`${session}/profile/${jeb.id}?unsigned=false`)).json()) as object;
  expect(signed).toMatchObject({
    id: jeb.id,
    name: 'Jeb',
    properties: [{ name: 'textures', value: expect.any(String), signature: expect.any(String) }],
  });
  const plain = (await (await get(`${session}/profile/${jeb.id}`)).json()) as { properties: object[] };
  expect(Object.keys(plain.properties[0]!)).toEqual(['name', 'value']);
  for (const id of ['0'.repeat(32), 'nobody'])
    expect((await get(`${session}/profile/${id}`)).status).toBe(204);

  const named = async (names: readonly string[]) => {
    const headers = { ...AGENT, 'content-type': 'application/json; charset=utf-8' };
    const sent = { method: 'POST', headers, body: JSON.stringify(names) };
    return (await (await fetch(`${url}/api/profiles/minecraft`, sent)).json()) as object;
  };
  expect(await named(['jeb', 'Nobody', 'not a name'])).toEqual([{ id: jeb.id, name: 'Jeb' }]);
  expect(await named(['Nobody'])).toEqual([]);

  // The agent passes on what the game and plugins look up by name, and what it does not answer itself.
  for (const path of [
    '/api/users/profiles/minecraft/Jeb',
    '/minecraftservices/minecraft/profile/lookup/name/Jeb',
    `/minecraftservices/minecraft/profile/lookup/${jeb.id}`,
  ])
    expect(await (await get(path)).json(), path).toEqual({ id: jeb.id, name: 'Jeb' });

  // No token of a player goes through here.
  const headers = { ...AGENT, authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.secret' };
  for (const path of [
    `${session}/join`,
    '/minecraftservices/player/certificates',
    '/minecraftservices/player/report',
  ])
    expect((await fetch(`${url}${path}`, { method: 'POST', headers })).status, path).toBe(404);
  expect(game.calls.map(({ kind }) => kind)).not.toContain('other');

  await game.close();
  const path = `${session}/hasJoined?username=Jeb&serverId=1`;
  const answer = await fetch(`${url}${path}`, { headers: AGENT });
  expect([answer.status, answer.headers.has('retry-after')]).toEqual([503, true]);
});
