import type { RequestListener, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { pixelHash } from '../../../../src/skin/read-skin.ts';
import { runGame } from '../../../support/fake-game/run-game.ts';
import { dataUrl, drawSkin, skinPng } from '../../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../../support/server/plans.ts';
import { poll } from '../../../support/server/poll.ts';
import { guardAgainstLeaks, runServer } from '../../../support/server/running-server.ts';
import { TestCaller } from '../../../support/server/test-caller.ts';
import { webServer } from '../../../support/server/web-server.ts';

guardAgainstLeaks();

const LOCAL = { allowedNetworks: ['127.0.0.0/8'] };

const picture: RequestListener = (request, response) => {
  const number = Number(/\d+/.exec(request.url ?? '')?.[0]);
  response.writeHead(200, { 'content-type': 'text/plain' }).end(skinPng(number));
};

const hashOf = (number: number) => pixelHash(drawSkin(number));

test('A URL becomes a skin in every kind of generation request, whatever type its server declares', async () => {
  const site = await webServer(picture);
  const { owner } = await runServer(LOCAL);
  const waited = await owner.json('/v2/generate', { url: `${site.url}/1.png` });
  expect(waited.body.skin?.texture.hash.skin).toBe(hashOf(1));
  const queued = await owner.json('/v2/queue', { url: `${site.url}/2.png` });
  expect([queued.status, queued.body.job?.status]).toEqual([202, 'waiting']);
  const batch = await owner.json('/v2/queue/batch', {
    batch: [{ url: `${site.url}/3.png` }, { url: `${site.url}/1.png` }, { url: dataUrl(skinPng(4)) }],
  });
  expect(batch.body).toMatchObject({
    batch: [
      { success: true, job: { status: 'waiting' } },
      { success: true, skin: { duplicate: true } },
      { success: true, job: { status: 'waiting' } },
    ],
  });
  const old = await owner.json('/generate/url', { url: `${site.url}/5.png` });
  expect(old.body).toMatchObject({ hash: hashOf(5) });
});

test('Requests name the program and reveal nothing of the caller', async () => {
  const site = await webServer(picture);
  const { owner } = await runServer(LOCAL);
  await owner.json('/v2/generate', { url: `${site.url}/1.png?size=64#top` }, { cookie: 'a=b' });
  const [seen, ...more] = site.seen;
  expect(more).toEqual([]);
  expect(seen?.line).toBe('GET /1.png?size=64');
  expect(Object.keys(seen?.headers ?? {}).toSorted()).toEqual([
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ]);
  expect(seen?.headers).toMatchObject({ 'user-agent': /^skinsmith\/\d/, 'accept-encoding': 'identity' });
});

test('The URL of a known picture costs nothing, and a check for an unknown one finds nothing', async () => {
  const site = await webServer(picture);
  const { user } = await runServer(LOCAL);
  const ann = await user('ann');
  await ann.upload('/v2/generate', skinPng(1));
  const used = async () => (await ann.get('/v2/delay')).body.rateLimit?.limit.used;
  const before = await used();
  const known = await ann.json('/v2/queue', { url: `${site.url}/1.png` });
  expect([known.status, known.body.messages[0]?.code]).toEqual([200, 'skin_found']);
  const check = await ann.json('/v2/queue?checkOnly=true', { url: `${site.url}/2.png` });
  expect(check.body.errors[0]?.code).toBe('no_duplicate');
  expect(await used()).toBe(before);
});

test('Five redirects are followed', async () => {
  const site = await webServer((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end();
    else response.end(skinPng(1));
  });
  const { owner } = await runServer(LOCAL);
  const heard = await owner.json('/v2/generate', { url: `${site.url}/5` });
  expect([heard.status, site.seen.length]).toEqual([200, 6]);
});

async function textureOf(caller: TestCaller, url: string) {
  const { body } = await caller.json('/v2/generate', { url });
  return body.skin?.texture.hash.skin ?? body.errors?.[0];
}

test("A texture of the service's own is read without a request, by each of its addresses", async () => {
  const { owner, url } = await runServer({ publicUrl: 'https://skins.example.invalid/smith' });
  const { body } = await owner.upload('/v2/generate', skinPng(1));
  expect(body.skin?.texture.url.skin).toBe(`https://skins.example.invalid/smith/textures/${hashOf(1)}`);
  const port = new URL(url).port;
  for (const root of [
    'https://skins.example.invalid/smith',
    url,
    `http://localhost:${port}`,
    `http://[::1]:${port}`,
  ]) {
    expect(await textureOf(owner, `${root}/textures/${hashOf(1)}`)).toBe(hashOf(1));
  }
});

test('A skin of this service is read by each address that leads to its texture', async () => {
  const { owner, url } = await runServer(LOCAL);
  const { body } = await owner.upload('/v2/generate', skinPng(1));
  const uuid = String(body.skin?.uuid);
  const dashed = uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
  for (const path of [
    `/v2/images/${hashOf(1)}`,
    `/v2/skins/${uuid}/texture`,
    `/v2/skins/${dashed}/texture`,
    `/v2/skins/${uuid.slice(0, 8)}/texture`,
    `/skins/${uuid}`,
    `/skins/${uuid.slice(0, 8)}`,
  ]) {
    expect([path, await textureOf(owner, url + path)]).toEqual([path, hashOf(1)]);
  }
});

test('A page of the hosted service is read as one of its own skins, if it has such a skin', async () => {
  const { owner } = await runServer();
  const { body } = await owner.upload('/v2/generate', skinPng(1));
  const uuid = String(body.skin?.uuid);
  for (const page of [`minesk.in/${uuid}`, `mineskin.org/skins/${uuid}`, `minesk.in/${uuid.slice(0, 8)}`]) {
    expect([page, await textureOf(owner, `https://${page}`)]).toEqual([page, hashOf(1)]);
  }
});

test('A skin is visible to everyone who may see it; to all others, it seems never to have existed', async () => {
  const server = await runServer(LOCAL);
  const [ann, bob] = [await userWithPlan(server, 'ann'), await server.user('bob')];
  const make = async (number: number, visibility: string) =>
    String((await ann.upload('/v2/generate', skinPng(number), { visibility })).body.skin?.uuid);
  const [unlisted, hidden, never] = [await make(1, 'unlisted'), await make(2, 'private'), 'a'.repeat(32)];
  const addresses = (uuid: string) => [
    `${server.url}/v2/skins/${uuid}/texture`,
    `${server.url}/skins/${uuid}`,
    `${server.url}/v2/skins/${uuid.slice(0, 8)}/texture`,
  ];
  const seenBy = async (caller: TestCaller, uuid: string) => {
    const seen = [];
    for (const address of addresses(uuid)) seen.push(await textureOf(caller, address));
    return seen;
  };
  const nothing = (await seenBy(bob, never)) as object[];
  expect(nothing[0]).toMatchObject({
    code: 'invalid_image_url',
    message: expect.stringContaining('does not have this skin'),
  });
  expect(await seenBy(bob, hidden)).toEqual(nothing);
  // A short id can be guessed.
  expect(await seenBy(bob, unlisted)).toEqual([hashOf(1), hashOf(1), nothing[2]]);
  expect(await seenBy(ann, hidden)).toEqual([hashOf(2), hashOf(2), hashOf(2)]);
});

test.each([
  ['/textures/{none}', 'does not have this texture'],
  ['/v2/images/{none}', 'does not have this texture'],
  ['/v2/skins/{none}/texture', 'is not a texture'],
  ['/v2/skins/latest/texture', 'is not a texture'],
  ['/v2/me', 'is not a texture'],
  ['/', 'is not a texture'],
])('Any other address of this service is refused without a request: %s', async (path, says) => {
  const { owner, url } = await runServer(LOCAL);
  const { message } = (await textureOf(owner, url + path.replace('{none}', 'a'.repeat(64)))) as {
    message: string;
  };
  expect(message).toContain(says);
});

test('A texture of Minecraft is fetched from its own host by http, and is then known', async () => {
  const fake = await runGame();
  const hash = fake.textures.keep(drawSkin(7));
  const { owner } = await runServer({ gameAddresses: fake.addresses });
  const url = `${fake.url}/texture/${hash}`;
  expect(await textureOf(owner, url)).toBe(hashOf(7));
  expect(fake.calls.map(({ kind }) => kind)).toEqual(['texture']);
  expect(await textureOf(owner, `${fake.url}/texture/abc`)).toMatchObject({
    code: 'invalid_image_url',
    message: 'Mojang does not have this texture.',
  });
});

test("The texture of a player's skin that is here is not fetched again", async () => {
  const fake = await runGame();
  const player = fake.addPlayer({ skin: { picture: drawSkin(8) } });
  const { owner } = await runServer({ gameAddresses: fake.addresses });
  const { body } = await owner.json('/v2/generate', { user: player.id });
  const before = fake.calls.length;
  expect(await textureOf(owner, String(body.skin?.texture.url.skin))).toBe(hashOf(8));
  expect(fake.calls.length).toBe(before);
});

test('Slow URLs of many anonymous callers do not block look-ups of players', async () => {
  const answers: ServerResponse[] = [];
  const slow = await webServer((_, response) => answers.push(response));
  const fake = await runGame({ accounts: 1 });
  fake.accounts[0]!.look = { skin: { hash: fake.textures.keep(drawSkin(1)), variant: 'classic' } };
  const { url: at } = await runServer({ ...LOCAL, gameAddresses: fake.addresses });
  const strangers = [1, 2, 3, 4, 5, 6].map((n) => new TestCaller(at, { address: `127.0.0.${10 + n}` }));
  const asked = strangers.flatMap((caller) =>
    [1, 2, 3, 4, 5, 6].map(async (n) => {
      const { status } = await caller.json('/v2/queue', { url: `${slow.url}/${n}`, checkOnly: true });
      return status;
    }),
  );
  await poll(
    () => answers.length,
    (number) => number === 32,
  );
  const reader = new TestCaller(at, { address: '127.0.0.30' });
  const player = await reader.json('/v2/queue', { user: fake.accounts[0]!.id });
  expect([player.status, player.body.job?.status]).toEqual([200, 'completed']);
  for (const response of answers) response.writeHead(404).end();
  expect((await Promise.all(asked)).filter((status) => status !== 400)).toEqual([503, 503, 503, 503]);
});
