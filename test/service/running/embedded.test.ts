import { describe, expect, test } from 'vitest';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

/** What a web page, or another user of the machine, might try on the port of somebody's command. */
describe('The embedded service', () => {
  test('takes and tells nothing without its key', async () => {
    const { owner, anonymous } = await runServer({ embedded: true });
    const { body } = await owner.upload('/v2/generate', skinPng(1));
    const uuid = body.skin?.uuid;
    const page = anonymous();
    for (const path of [
      '/v2/skins',
      `/v2/skins/${uuid}`,
      `/get/uuid/${uuid}`,
      '/v2/queue',
      '/v2/queue/events',
    ])
      expect([path, (await page.get(path)).status]).toEqual([path, 403]);
    for (const path of ['/v2/generate', '/v2/queue', '/generate/upload'])
      expect([path, (await page.upload(path, skinPng(2))).status]).toEqual([path, 403]);
    expectRefusal(await page.get('/v2/me'), 'invalid_api_key');
    expect((await owner.get('/v2/queue')).body.jobs).toHaveLength(1);
  });

  test('still shows to everybody whether it is up, its public key and the textures it has signed', async () => {
    const { owner, anonymous } = await runServer({ embedded: true });
    const { body } = await owner.upload('/v2/generate', skinPng(1));
    for (const path of ['/', '/health', '/ready', `/textures/${body.skin?.texture.hash.skin}`])
      expect((await anonymous().get(path)).status).toBe(200);
  });
});

test('A service that wants a key of everybody says so, in the words of each version', async () => {
  const { owner, anonymous } = await runServer({ anonymous: false });
  expect((await owner.upload('/v2/queue', skinPng(1))).status).toBe(202);
  expectRefusal(await anonymous().upload('/v2/queue', skinPng(1)), 'unauthorized');
  expectRefusal(await anonymous().get('/v2/skins'), 'unauthorized');
  const old = await anonymous().upload('/generate/upload', skinPng(1));
  expect([old.status, old.body]).toEqual([401, expect.objectContaining({ errorCode: 'unauthorized' })]);
  expect((await anonymous().get('/health')).status).toBe(200);
});
