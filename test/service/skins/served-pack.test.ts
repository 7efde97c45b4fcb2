import { expect, test } from 'vitest';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const SHA1 = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';
const BYTES = Buffer.from('PK: bytes of a pack');

test('Players get the pack of the operator by its SHA-1 without a key, also on a closed service', async () => {
  const server = await runServer({
    anonymous: false,
    findPack: (sha1) => (sha1 === SHA1 ? BYTES : undefined),
  });
  const player = new TestCaller(server.url);
  const { status, headers, bytes } = await player.get(`/packs/${SHA1}.zip`);
  expect([status, bytes]).toEqual([200, BYTES]);
  expect(headers).toMatchObject({
    'content-type': 'application/zip',
    'content-length': String(BYTES.length),
    'cache-control': 'public, max-age=31536000, immutable',
    etag: `"${SHA1}"`,
  });
  const again = await player.get(`/packs/${SHA1}.zip`, { 'if-none-match': `"${SHA1}"` });
  expect(again.status).toBe(304);
  const other = await player.get(`/packs/${'0'.repeat(40)}.zip`);
  expect([other.status, other.body.errors?.[0]?.code]).toEqual([404, 'not_found']);
});

test('A service without a pack has none under any SHA-1', async () => {
  const server = await runServer();
  expect((await new TestCaller(server.url).get(`/packs/${SHA1}.zip`)).status).toBe(404);
});
