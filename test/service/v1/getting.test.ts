import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { v1DelayAnswerSchema, v1SkinSchema } from '../../../src/protocol/v1.ts';
import { bodyOf, expectOldRefusal, readGenerated, switchedKey } from '../../support/http/v1/old-format.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import type { Heard } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const readSkin = (heard: Heard) => z.strictObject(v1SkinSchema.shape).parse(bodyOf(heard));
const readDelay = (heard: Heard) => z.strictObject(v1DelayAnswerSchema.shape).parse(bodyOf(heard));

describe('GET /get/uuid and /get/id', () => {
  test('answer with the skin as it was made', async () => {
    const { owner, anonymous } = await runServer();
    const made = readGenerated(await owner.upload('/generate/upload', skinPng(1), { name: 'Smith' }));
    const dashed = made.uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
    const expected = v1SkinSchema.omit({ views: true }).parse(made);
    for (const path of [`uuid/${made.uuid}`, `uuid/${dashed}`, `id/${made.id}`])
      for (const caller of [owner, anonymous()])
        expect(readSkin(await caller.get(`/get/${path}`)), path).toMatchObject(expected);
  });

  test('show an unlisted skin by its number only to its owner', async () => {
    const { owner, user } = await runServer();
    const made = readGenerated(await owner.upload('/generate/upload', skinPng(1), { visibility: '1' }));
    const bob = await user('bob');
    expect(readSkin(await bob.get(`/get/uuid/${made.uuid}`)).uuid).toBe(made.uuid);
    expectOldRefusal(await bob.get(`/get/id/${made.id}`), 'skin_not_found');
    expect(readSkin(await owner.get(`/get/id/${made.id}`)).uuid).toBe(made.uuid);
  });

  test('show a private skin only to its owner', async () => {
    const { owner, user } = await runServer();
    const { skin } = (await owner.upload('/v2/generate', skinPng(1), { visibility: 'private' })).body;
    const bob = await user('bob');
    const own = readSkin(await owner.get(`/get/uuid/${skin?.uuid}`));
    expect(own).toMatchObject({ private: true, duplicate: false });
    for (const path of [`uuid/${skin?.uuid}`, `id/${own.id}`])
      expectOldRefusal(await bob.get(`/get/${path}`), 'skin_not_found');
  });
});

describe('GET /get/delay', () => {
  test('returns the delay of the plan and the time of the next request', async () => {
    const clock = new MovableClock();
    const { anonymous } = await runServer({ clock });
    const seconds = clock.now() / 1000;
    const free = { delay: 3, seconds: 3, millis: 3_000 };
    expect(readDelay(await anonymous().get('/get/delay'))).toEqual({
      ...free,
      next: seconds,
      nextRelative: 0,
      nextRequest: { time: clock.now(), relative: 0 },
    });
    readGenerated(await anonymous().upload('/generate/upload', skinPng(1)));
    clock.forward(500);
    expect(readDelay(await anonymous().get('/get/delay'))).toEqual({
      ...free,
      next: seconds + 3,
      nextRelative: 3,
      nextRequest: { time: seconds * 1000 + 3_000, relative: 2_500 },
    });
  });

  test('returns no delay for a key under the rules of version 2', async () => {
    const server = await runServer();
    const bob = await server.user('bob');
    expect(readDelay(await bob.get('/get/delay')).millis).toBe(1_000);
    const key = await switchedKey(server, 'bob');
    const heard = await bob.get('/get/delay', { authorization: `Bearer ${key}` });
    expect(readDelay(heard).millis).toBe(0);
    expect(heard.headers['mineskin-api-version']).toBe('v1-with-v2-compat');
  });
});
