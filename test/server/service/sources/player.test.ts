import { expect, test } from 'vitest';
import { pixelHash } from '../../../../src/skin/read-skin.ts';
import { isSignedBy, parsePublicKey } from '../../../../src/textures/signing-key.ts';
import type { FakeGame } from '../../../support/fake-game/fake-game.ts';
import type { PersonPlan } from '../../../support/fake-game/people.ts';
import { runGame } from '../../../support/fake-game/run-game.ts';
import { drawSkin } from '../../../support/server/drawn-skins.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';
import {
  guardAgainstLeaks,
  runServer,
  type ServerUnderTest,
} from '../../../support/server/running-server.ts';
import { looksOf } from '../../../support/server/skin-records.ts';

guardAgainstLeaks();

const SKIN = { picture: drawSkin(1), variant: 'slim' } as const;
const CAPE = { width: 64, height: 32, pixels: new Uint8Array(64 * 32 * 4).fill(200) };

async function playing(
  plan: PersonPlan = {},
): Promise<{ fake: FakeGame; server: ServerUnderTest; clock: MovableClock; id: string }> {
  const fake = await runGame();
  const clock = new MovableClock();
  const server = await runServer({ gameAddresses: fake.addresses, clock });
  const { id } = fake.addPlayer({ name: 'Ann_B', skin: SKIN, ...plan });
  return { fake, server, clock, id };
}

function kindsOf(fake: FakeGame): string[] {
  return fake.calls.map(({ kind }) => kind);
}

test("A player's skin is what Mojang has signed, at once and without a generation", async () => {
  const { fake, server, id } = await playing({ cape: CAPE });
  const { status, body } = await server.owner.json('/v2/queue', { user: id, name: 'Ann' });
  expect([status, body.job?.status, body.messages[0]?.code]).toEqual([200, 'completed', 'job_completed']);
  const { skin } = body;
  expect(skin).toMatchObject({
    name: 'Ann',
    variant: 'slim',
    visibility: 'public',
    duplicate: false,
    texture: {
      hash: { skin: fake.textures.keep(drawSkin(1)), cape: fake.textures.keep(CAPE) },
      url: {
        skin: `${fake.url}/texture/${fake.textures.keep(drawSkin(1))}`,
        cape: `${fake.url}/texture/${fake.textures.keep(CAPE)}`,
      },
    },
    generator: { account: id, server: new URL(fake.url).host, version: expect.stringMatching(/^\d/) },
  });
  const { value = '', signature = '' } = skin?.texture.data ?? {};
  expect(isSignedBy(parsePublicKey(fake.publicKey), value, signature)).toBe(true);
  expect(kindsOf(fake).toSorted()).toEqual(['keys', 'profile', 'texture', 'texture']);
  const texture = await server.owner.get(`/v2/skins/${skin?.uuid}/texture`);
  const moved = await server.owner.get(new URL(String(texture.headers['location']), server.url).pathname);
  expect(moved.headers['content-type']).toBe('image/png');
  expect(await looksOf(server)).toEqual([pixelHash(drawSkin(1))]);
});

test('A player is found by UUID in both spellings and by name in any case, with one request', async () => {
  const { fake, server, id } = await playing();
  const dashed = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5').toUpperCase();
  const first = await server.owner.json('/v2/generate', { user: 'ann_b' });
  expect([first.status, first.body.messages[0]?.code]).toEqual([200, 'skin_generated']);
  const calls = fake.calls.length;
  for (const user of [id, dashed, 'Ann_B', 'ANN_B']) {
    const { body } = await server.owner.json('/v2/generate', { user });
    expect([body.skin?.uuid, body.skin?.duplicate]).toEqual([first.body.skin?.uuid, true]);
  }
  const old = await server.owner.json('/generate/user', { uuid: dashed });
  expect(old.body).toMatchObject({ uuid: first.body.skin?.uuid, duplicate: true });
  expect(fake.calls.length).toBe(calls);
});

test('After half an hour a player is looked up again: the same profile is the same skin, another one is another', async () => {
  const { fake, server, clock, id } = await playing();
  const skinOf = async () => (await server.owner.json('/v2/generate', { user: id })).body.skin;
  const first = await skinOf();
  clock.forward(31 * 60_000);
  expect(await skinOf()).toMatchObject({ uuid: first?.uuid, texture: first?.texture, duplicate: true });
  expect(kindsOf(fake).filter((kind) => kind === 'profile')).toHaveLength(2);
  expect(kindsOf(fake).filter((kind) => kind === 'texture')).toHaveLength(1);
});

test('A changed skin is a new one; the old record keeps the old data', async () => {
  const fake = await runGame({ accounts: 1 });
  const clock = new MovableClock();
  const { owner } = await runServer({ gameAddresses: fake.addresses, clock });
  const [account] = fake.accounts;
  account!.look = { skin: { hash: fake.textures.keep(drawSkin(1)), variant: 'classic' } };
  const first = (await owner.json('/v2/generate', { user: account!.id })).body.skin;
  account!.look = { skin: { hash: fake.textures.keep(drawSkin(2)), variant: 'classic' } };
  const still = (await owner.json('/v2/generate', { user: account!.id })).body.skin;
  expect(still?.uuid).toBe(first?.uuid);
  clock.forward(31 * 60_000);
  const changed = (await owner.json('/v2/generate', { user: account!.id })).body.skin;
  expect(changed).toMatchObject({
    duplicate: false,
    texture: { hash: { skin: fake.textures.keep(drawSkin(2)) } },
  });
  const kept = await owner.get(`/v2/skins/${first?.uuid}`);
  expect(kept.body.skin?.texture).toEqual(first?.texture);
});

test('A request for another variant than the signed one gets a warning, and one with a cape is refused', async () => {
  const { server, id } = await playing();
  const { body } = await server.owner.json('/v2/generate', { user: id, variant: 'classic' });
  expect(body.skin?.variant).toBe('slim');
  expect(body.warnings).toEqual([
    { code: 'variant_mismatch', message: expect.stringContaining('signed as slim') },
  ]);
  const caped = await server.owner.json('/v2/generate', { user: id, cape: 'a'.repeat(32) });
  expect(caped.body.errors[0]?.code).toBe('invalid_cape');
});

test('A private record of a player’s skin is its owner’s alone; shared data still answers everyone', async () => {
  const { server, id } = await playing();
  const mine = await server.owner.json('/v2/generate', { user: id, visibility: 'private' });
  const bob = await server.user('bob');
  expect((await bob.get(`/v2/skins/${mine.body.skin?.uuid}`)).status).toBe(404);
  const his = await bob.json('/v2/generate', { user: id });
  expect(his.body.skin).toMatchObject({ visibility: 'public', texture: mine.body.skin?.texture });
  expect(his.body.skin?.uuid).not.toBe(mine.body.skin?.uuid);
  await server.owner.send('DELETE', `/v2/skins/${mine.body.skin?.uuid}`);
  expect((await bob.get(`/v2/skins/${his.body.skin?.uuid}`)).status).toBe(200);
});

test('A look-up costs as much as a generation, and a recent one costs nothing', async () => {
  const { server, id } = await playing();
  const ann = await server.user('ann');
  const used = async () => (await ann.get('/v2/delay')).body.rateLimit?.limit.used;
  await ann.json('/v2/queue', { user: id });
  expect(await used()).toBe(1);
  await ann.json('/v2/queue', { user: id });
  expect(await used()).toBe(1);
});

test('Simultaneous look-ups each cost a unit, so a limit of one lets one pass', async () => {
  const fake = await runGame();
  const server = await runServer({ gameAddresses: fake.addresses, anonymousPerHour: 1 });
  const players = [1, 2, 3, 4].map((n) =>
    fake.addPlayer({ name: `Ann_${n}`, skin: { picture: drawSkin(n), variant: 'classic' } }),
  );
  const answers = await Promise.all(
    players.map(({ id }, n) => server.anonymous(`127.0.0.${n + 2}`).json('/v2/queue', { user: id })),
  );
  const codes = answers.map(({ body }) => body.errors?.[0]?.code ?? 'made');
  expect(codes.toSorted()).toEqual(['anonymous_limit', 'anonymous_limit', 'anonymous_limit', 'made']);
});

test.each(['Nobody_1', 'f'.repeat(32), 'Plain'])(
  'A player who does not exist or has no skin costs nothing: %s',
  async (user) => {
    const { fake, server } = await playing();
    fake.addPlayer({ name: 'Plain' });
    const ann = await server.user('ann');
    const { body } = await ann.json('/v2/generate', { user });
    expect(body.errors[0]?.code).toBe('invalid_user');
    const { rateLimit } = (await ann.get('/v2/delay')).body;
    expect([rateLimit?.limit.used, rateLimit?.next.relative]).toEqual([0, 0]);
  },
);

test('After a skin is deleted, the player is looked up again', async () => {
  const { fake, server, id } = await playing();
  const { body } = await server.owner.json('/v2/generate', { user: id });
  await server.owner.send('DELETE', `/v2/skins/${body.skin?.uuid}`);
  const again = await server.owner.json('/v2/generate', { user: id });
  expect(again.body.skin).toMatchObject({ duplicate: false });
  expect(kindsOf(fake).filter((kind) => kind === 'profile')).toHaveLength(2);
});

test('Names in one batch are requested together', async () => {
  const { fake, server } = await playing();
  for (const name of ['Cid', 'Dora']) fake.addPlayer({ name, skin: { picture: drawSkin(3) } });
  const batch = ['Ann_B', 'Cid', 'Dora', 'Nobody_1'].map((user) => ({ user }));
  const { body } = await server.owner.json('/v2/queue/batch', { batch });
  expect(body).toMatchObject({
    batch: [{ success: true }, { success: true }, { success: true }, { errors: [{ code: 'invalid_user' }] }],
  });
  expect(kindsOf(fake).filter((kind) => kind === 'names')).toHaveLength(1);
});

test('A player of Bedrock Edition has what Mojang signed for Geyser, by any name, asked for once', async () => {
  const { fake, server } = await playing();
  fake.geyser.add({ gamertag: 'Some Name', xuid: '2535432196048835', skin: SKIN });
  fake.geyser.add({ gamertag: 'Bob', xuid: '2535432196048836' });
  const names = [
    'bedrock:Some Name',
    '.Some_Name',
    '2535432196048835',
    '00000000-0000-0000-0009-01f64f65c7c3',
  ];
  const skins = await Promise.all([server.owner.json('/v2/generate', { user: names[0] })]);
  for (const user of names.slice(1)) skins.push(await server.owner.json('/v2/generate', { user }));
  expect(skins.map(({ status, body }) => [status, body.skin?.variant])).toEqual(
    names.map(() => [200, 'slim']),
  );
  expect(new Set(skins.map(({ body }) => body.skin?.texture.data.value)).size).toBe(1);
  expect(kindsOf(fake).filter((kind) => kind === 'bedrock_skin').length).toBe(1);
  const { status, body } = await server.owner.json('/v2/generate', { user: '.Bob' });
  expect([status, body.errors[0]]).toMatchObject([
    400,
    { code: 'invalid_user', message: expect.stringContaining('Geyser') },
  ]);
});
