import { describe, expect, test } from 'vitest';
import { callHosted, ended, submit } from '../../support/hosted/run-hosted.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';

async function withSkins() {
  const { caller, service } = await callHosted({ serviceTime: 0 });
  const names = ['one', 'two', 'three'];
  const skins = [];
  for (const [number, name] of names.entries()) {
    const heard = await caller.upload('/v2/queue', skinPng(number), {
      name,
      visibility: name === 'two' ? 'private' : 'public',
    });
    skins.push((await ended(caller, heard)).body.skin!);
  }
  return { caller, service, skins };
}

describe('Lists of skins', () => {
  test('have rows of five fields and a next page as long as there is a row', async () => {
    const { caller, skins } = await withSkins();
    const { body } = await caller.get('/v2/skins?size=1');
    const newest = skins[2]!;
    expect(body.skins).toEqual([
      {
        uuid: newest.uuid,
        shortId: newest.uuid.slice(0, 8),
        name: 'three',
        texture: newest.texture.hash.skin,
        timestamp: expect.any(Number),
      },
    ]);
    const next = await caller.get(body.links['next']!);
    expect(next.body.skins?.map(({ name }) => name)).toEqual(['one']);
    const past = await caller.get(next.body.links['next']!);
    expect([past.body.skins, past.body.links]).toEqual([[], {}]);
  });

  test('show private skins to their user only', async () => {
    const { caller } = await withSkins();
    const own = (await caller.get('/v2/me/skins')).body;
    expect([own.skins?.map(({ name }) => name), own.links['next']]).toEqual([
      ['three', 'two', 'one'],
      expect.stringMatching(/^\/v2\/skins\?/), // the public list's, by mistake
    ]);
  });
});

test('A skin is found only by its UUID, with or without dashes, and by its short id', async () => {
  const { caller, skins } = await withSkins();
  const { uuid } = skins[0]!;
  const dashed = uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  for (const id of [uuid, dashed, uuid.slice(0, 8)])
    expect((await caller.get(`/v2/skins/${id}`)).body.skin?.uuid).toBe(uuid);
  const strange = await caller.get(`/v2/skins/${uuid.toUpperCase()}`);
  expect([strange.status, strange.body.errors[0]?.code]).toEqual([400, 'validation_error']);
});

test('A skin can be renamed and deleted', async () => {
  const { caller, skins } = await withSkins();
  const path = `/v2/skins/${skins[0]!.uuid}`;
  expect((await caller.patch(path, { name: 'new' })).body.skin?.name).toBe('new');
  expect((await caller.send('DELETE', path)).body.messages[0]?.code).toBe('deleted');
  expect((await caller.get(path)).status).toBe(404);
});

test('An invalid job ID is a validation error, not a 404', async () => {
  const { caller } = await callHosted();
  const { status, body } = await caller.get('/v2/queue/no-job');
  expect([status, body.errors.map(({ code }) => code)]).toEqual([
    400,
    ['validation_error', 'too_small', 'invalid_string'],
  ]);
  expect((await submit(caller, 1)).body.errors).toBeUndefined();
});
