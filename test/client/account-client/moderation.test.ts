import { expect, test } from 'vitest';
import { testClient } from '../../support/client/test-client.ts';

test('Blocking an image waits longer than other requests, because many skins may have that image', async () => {
  const image = { hash: 'a'.repeat(64), note: '', blockedBy: 'owner', blockedAt: new Date(0).toISOString() };
  const json = { success: true, image, hidden: 100_000 };
  const script = [{ expect: 'POST /v2/account/blocked-images', json }];
  const { client } = await testClient(script, { timeout: 0.1 });
  expect(await client.account.moderation.blockImage({ hash: image.hash })).toEqual({
    image,
    hidden: 100_000,
  });
});
