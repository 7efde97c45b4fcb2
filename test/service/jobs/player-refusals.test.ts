import { expect, test } from 'vitest';
import type { ErrorCode } from '../../../src/protocol/errors.ts';
import type { Order } from '../../support/fake-game/faults.ts';
import { runGame } from '../../support/fake-game/run-game.ts';
import { expectOldRefusal } from '../../support/http/v1/old-format.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const OFFLINE = 'b50ad385829d3141a2167e7d7539ba7f';

test('A player who does not exist is refused with the reason', async () => {
  const fake = await runGame();
  const bare = fake.addPlayer({ name: 'Bare' });
  const { owner } = await runServer({ gameAddresses: fake.addresses });
  const rows: [user: string, says: string, calls: number][] = [
    ['0'.repeat(32), 'no player with the UUID 0000', 1],
    ['Nobody_1', 'no player called Nobody_1', 1],
    [bare.id, 'only has a default skin', 1],
    [OFFLINE, 'offline mode', 0],
    ['a name with spaces', 'at most 16 letters', 0],
    ['seventeen_letters', 'at most 16 letters', 0],
    ['61699b2e-d327-4a01-9f1e', 'UUID', 0],
  ];
  for (const [user, says, calls] of rows) {
    const before = fake.calls.length;
    const heard = await owner.json('/v2/queue', { user });
    expectRefusal(heard, 'invalid_user');
    expect(heard.body.errors[0]?.message).toContain(says);
    expect(fake.calls.length - before, user).toBe(calls);
  }
});

const FAULTS: [what: string, order: Order, code: ErrorCode, retryAfter: string | undefined][] = [
  ['says 429', { fault: { kind: 'limited', retryAfter: 42 }, on: ['profile'] }, 'service_unavailable', '42'],
  ['says 429 without a time', { fault: { kind: 'limited' }, on: ['profile'] }, 'service_unavailable', '10'],
  ['is broken', { fault: { kind: 'broken' }, on: ['profile'] }, 'service_unavailable', '10'],
  ['hangs up', { fault: { kind: 'cut' }, on: ['profile'] }, 'service_unavailable', '10'],
  ['has no keys to show', { fault: { kind: 'broken' }, on: ['keys'] }, 'service_unavailable', '10'],
  ['has no textures to show', { fault: { kind: 'broken' }, on: ['texture'] }, 'service_unavailable', '10'],
  ['answers with a page', { fault: { kind: 'garbled' }, on: ['profile'] }, 'invalid_skin_data', undefined],
  ['has not signed the profile', { fault: { kind: 'forged' } }, 'invalid_skin_data', undefined],
];

test.each(FAULTS)(
  'A game service that %s gives no skin, and nothing is kept',
  async (_what, order, code, retryAfter) => {
    const fake = await runGame();
    const { id } = fake.addPlayer({ skin: { picture: drawSkin(1) } });
    const { owner } = await runServer({ gameAddresses: fake.addresses, clock: new MovableClock() });
    fake.order({ fault: order.fault, ...(order.on && { on: order.on }) });
    const heard = await owner.json('/v2/queue', { user: id });
    expectRefusal(heard, code);
    expect(heard.headers['retry-after']).toBe(retryAfter);
    expect((await owner.get('/v2/queue')).body.jobs).toEqual([]);
    expect((await owner.get('/v2/skins')).body.skins).toEqual([]);
  },
);

const JPEG = Buffer.from('ffd8ffe000104a46494600', 'hex');

test("A player whose texture cannot be read gets Mojang's own data, with the reason", async () => {
  const fake = await runGame();
  const ann = fake.addPlayer({ name: 'Ann', skin: { picture: drawSkin(1) } });
  ann.look = { skin: { hash: fake.textures.keepFile(JPEG), variant: 'slim' } };
  const url = `${fake.addresses.textures}/texture/${ann.look.skin?.hash}`;
  const { owner } = await runServer({ gameAddresses: fake.addresses });
  const [first, again] = [
    await owner.json('/v2/queue', { user: ann.id }),
    await owner.json('/v2/queue', { user: ann.id }),
  ];
  for (const { status, body } of [first, again]) {
    expect([status, body.warnings?.map(({ code }) => code)]).toEqual([200, ['texture_unreadable']]);
    expect(body.skin).toMatchObject({ variant: 'slim', texture: { url: { skin: url } } });
  }
  expect(first.body.warnings?.[0]?.message).toContain('not a PNG picture but a JPEG picture');
  const picture = await owner.json('/v2/queue', { url });
  expectRefusal(picture, 'invalid_image_url'); // the placeholder is no picture of the player
});

test("A player's skin on another host than Minecraft's is permanently refused", async () => {
  const fake = await runGame();
  const { id } = fake.addPlayer({ skin: { picture: drawSkin(1) } });
  const elsewhere = { ...fake.addresses, textures: fake.addresses.sessionServer };
  const { owner } = await runServer({ gameAddresses: elsewhere });
  expectRefusal(await owner.json('/v2/queue', { user: id }), 'invalid_user');
});

test('Mojang is not asked again before the time that it names, and the answer says when', async () => {
  const fake = await runGame();
  const { id } = fake.addPlayer({ skin: { picture: drawSkin(1) } });
  const clock = new MovableClock();
  const { owner } = await runServer({ gameAddresses: fake.addresses, clock });
  fake.order({ fault: { kind: 'limited', retryAfter: 100 }, on: ['profile'] });
  const first = await owner.json('/v2/queue', { user: id });
  expect(first.body.rateLimit?.next).toEqual({ absolute: clock.now() + 100_000, relative: 100_000 });
  expectRefusal(await owner.json('/v2/queue', { user: id }), 'service_unavailable');
  expect(fake.calls).toHaveLength(1);
  clock.forward(101_000);
  expect((await owner.json('/v2/queue', { user: id })).status).toBe(200);
});

test('A caller over its limit causes no player look-ups', async () => {
  const fake = await runGame();
  const { owner, anonymous } = await runServer({ gameAddresses: fake.addresses, clock: new MovableClock() });
  const hasty = anonymous('127.0.0.2');
  await hasty.upload('/generate/upload', skinPng(1));
  expectOldRefusal(await hasty.json('/generate/user', { user: 'Nobody_1' }), 'rate_limit');
  expect(fake.calls).toEqual([]);
  const caller = anonymous();
  for (let number = 0; number < 20; number++) await caller.json('/v2/queue', { user: `Nobody_${number}` });
  const calls = fake.calls.length;
  expectRefusal(await caller.json('/v2/queue', { user: 'Nobody_20' }), 'rate_limit');
  expect(fake.calls.length).toBe(calls);
  expectRefusal(await owner.json('/v2/queue', { user: 'Nobody_20' }), 'invalid_user');
});
