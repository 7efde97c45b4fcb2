import { expect, test } from 'vitest';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { onSqlite } from '../../support/postgres/on-postgres.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { jobAt } from '../../support/server/job-at.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { expectRefusal, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

async function makeSkin(caller: TestCaller, number: number, fields: Record<string, string> = {}) {
  const { body } = await caller.upload('/v2/generate', skinPng(number), fields);
  return { uuid: String(body.skin?.uuid), hash: String(body.skin?.texture.hash.skin) };
}

async function logOf({ owner }: ServerUnderTest): Promise<(string | undefined)[][]> {
  const { entries = [] } = (await owner.get('/v2/account/log')).body;
  const decisions = entries.filter(({ action }) => action !== 'create_key');
  return decisions.map(({ operator, action, subject, note }) => [operator, action, subject, note]);
}

async function publicSkins({ anonymous }: ServerUnderTest): Promise<string[]> {
  const { skins = [] } = (await anonymous().get('/v2/skins')).body;
  return skins.map(({ uuid }) => uuid);
}

test('A hidden skin is visible to its owner only, who cannot unhide it', async () => {
  const server = await runServer();
  const ann = await server.user('ann');
  const { uuid } = await makeSkin(ann, 1);
  await server.anonymous().json(`/v2/skins/${uuid}/report`, { reason: 'offensive' });
  const hidden = await server.owner.patch(`/v2/account/skins/${uuid}`, { hidden: true, note: 'rude' });
  expect(hidden.body.skin).toEqual({ uuid, visibility: 'private', hidden: true });
  expectRefusal(await server.anonymous().get(`/v2/skins/${uuid}`), 'skin_not_found');
  expect((await ann.get(`/v2/skins/${uuid}`)).status).toBe(200);
  expectRefusal(await ann.patch(`/v2/skins/${uuid}`, { visibility: 'public' }), 'insufficient_grants');
  expect((await ann.patch(`/v2/skins/${uuid}`, { name: 'Other' })).status).toBe(200);
  expect(await publicSkins(server)).toEqual([]);
  expect((await server.owner.get('/v2/account/reports')).body.reports).toEqual([]);

  const shown = await server.owner.patch(`/v2/account/skins/${uuid}`, { hidden: false });
  expect(shown.body.skin).toEqual({ uuid, visibility: 'public', hidden: false });
  expect(await publicSkins(server)).toEqual([uuid]);
  expect(await logOf(server)).toEqual([
    ['owner', 'show_skin', uuid, ''],
    ['owner', 'hide_skin', uuid, 'rude'],
  ]);
});

test('An operator deletes the skin of anyone', async () => {
  const server = await runServer();
  const { uuid, hash } = await makeSkin(server.anonymous(), 1);
  await server.anonymous().json(`/v2/skins/${uuid}/report`, { reason: 'copyright' });
  expect((await server.owner.send('DELETE', `/v2/account/skins/${uuid}?note=mine`)).status).toBe(200);
  expectRefusal(await server.anonymous().get(`/v2/skins/${uuid}`), 'skin_not_found');
  expect((await server.anonymous().get(`/textures/${hash}`)).status).toBe(404);
  expectRefusal(await server.owner.send('DELETE', `/v2/account/skins/${uuid}`), 'skin_not_found');
  expect((await server.owner.get('/v2/account/reports')).body.reports).toEqual([]);
  expect(await logOf(server)).toEqual([['owner', 'delete_skin', uuid, 'mine']]);
});

test('A blocked image is refused everywhere, and all skins that have it are hidden', async () => {
  const server = await runServer();
  const [ann, bob] = [await server.user('ann'), await server.user('bob')];
  const { uuid, hash } = await makeSkin(ann, 1);
  const copy = await makeSkin(bob, 1, { name: 'Copy', visibility: 'unlisted' });
  const other = await makeSkin(bob, 2);
  const { body } = await server.owner.json('/v2/account/blocked-images', { skin: uuid, note: 'no' });
  expect([body.image?.hash, body.image?.blockedBy, body.hidden]).toEqual([hash, 'owner', 2]);
  expect(await publicSkins(server)).toEqual([other.uuid]);
  expectRefusal(await server.anonymous().get(`/v2/skins/${copy.uuid}`), 'skin_not_found');
  for (const caller of [ann, bob, server.anonymous()]) {
    for (const path of ['/v2/generate', '/v2/queue'])
      expectRefusal(await caller.upload(path, skinPng(1)), 'blocked_image');
    const old = await caller.upload('/generate/upload', skinPng(1));
    expect([old.status, old.body]).toEqual([400, expect.objectContaining({ errorCode: 'blocked_image' })]);
  }
  expectRefusal(
    await ann.upload('/v2/generate', skinPng(1), { visibility: 'private' }),
    'insufficient_grants',
  );
  expectRefusal(
    await server.owner.upload('/v2/generate', skinPng(1), { visibility: 'private' }),
    'blocked_image',
  );
  expectRefusal(await server.owner.patch(`/v2/account/skins/${uuid}`, { hidden: false }), 'blocked_image');
  for (const path of [`/textures/${hash}/face.png?size=64`, `/v2/skins/${uuid}/face.png?size=64`])
    expect((await ann.get(path)).status).toBe(404);

  const listed = (await server.owner.get('/v2/account/blocked-images')).body.images ?? [];
  expect(listed.map((image) => [image.hash, image.note])).toEqual([[hash, 'no']]);
  expect((await server.owner.send('DELETE', `/v2/account/blocked-images/${hash}`)).status).toBe(200);
  expectRefusal(await server.owner.send('DELETE', `/v2/account/blocked-images/${hash}`), 'not_found');
  expect((await bob.upload('/v2/generate', skinPng(1))).status).toBe(200);
  expect(
    (await server.owner.patch(`/v2/account/skins/${uuid}`, { hidden: false })).body.skin?.visibility,
  ).toBe('public');
  expect(await logOf(server)).toEqual([
    ['owner', 'show_skin', uuid, ''],
    ['owner', 'unblock_image', hash, ''],
    ['owner', 'block_image', hash, 'no'],
  ]);
});

onSqlite(test)('A private skin of a blocked image does not become public', async () => {
  const server = await runServer();
  const { uuid, hash } = await makeSkin(server.owner, 1, { visibility: 'private' });
  await server.owner.json('/v2/account/blocked-images', { hash });
  expectRefusal(await server.owner.patch(`/v2/skins/${uuid}`, { visibility: 'public' }), 'blocked_image');
});

test('A job that waits while its image is blocked fails', async () => {
  const work = new HeldWork();
  const server = await runServer({ workers: 1, ...work.options });
  const { body } = await server.anonymous().upload('/v2/queue', skinPng(1));
  await server.owner.json('/v2/account/blocked-images', { hash: pixelHash(drawSkin(1)) });
  work.release();
  const failed = await jobAt(server.anonymous(), body.job?.id, 'failed');
  expect(failed.body.errors[0]?.code).toBe('blocked_image');
  expect(await publicSkins(server)).toEqual([]);
});

test('The log records decisions about users', async () => {
  const server = await runServer();
  await server.owner.json('/v2/account/users', { name: 'eve' });
  await server.owner.patch('/v2/account/users/eve', { plan: 'pro', disabled: true });
  await server.owner.patch('/v2/account/users/eve', { plan: 'pro' });
  await server.owner.patch('/v2/account/users/eve', { disabled: false });
  expect(await logOf(server)).toEqual([
    ['owner', 'enable_user', 'eve', ''],
    ['owner', 'disable_user', 'eve', ''],
    ['owner', 'change_plan', 'eve', 'pro'],
    ['owner', 'create_user', 'eve', 'free'],
  ]);
});
