import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { ownFolder } from '../../support/server/own-folder.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { TestCaller } from '../../support/server/test-caller.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

guardAgainstLeaks();

const SHA1 = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';
const BYTES = Buffer.from('PK: bytes of a pack');

test('Players get the pack of the operator by its SHA-1 without a key, also on a closed service', async () => {
  const path = join(await ownFolder(), 'pack.zip');
  await writeFile(path, BYTES);
  const server = await runServer({
    anonymous: false,
    findPack: async (sha1) => (sha1 === SHA1 ? { path, size: BYTES.length } : undefined),
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
  expect([again.status, again.bytes.length]).toEqual([304, 0]);
  const head = await player.send('HEAD', `/packs/${SHA1}.zip`);
  expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([
    200,
    String(BYTES.length),
    0,
  ]);
  const other = await player.get(`/packs/${'0'.repeat(40)}.zip`);
  expect([other.status, other.body.errors?.[0]?.code]).toEqual([404, 'not_found']);
});

/** Asks for the pack and reads no more than the start of the answer. `rest` reads on; returns how many bytes there were. */
async function startLoading(url: string): Promise<{ readonly rest: () => Promise<number> }> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /packs/${SHA1}.zip HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  const [start] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  return {
    rest: async () => {
      const rest = await buffer(socket);
      return start.length + rest.length - (start.indexOf('\r\n\r\n') + 4);
    },
  };
}

test('Players who load a large pack slowly and all at once all get it, without using memory for it', async () => {
  const [players, size] = [isWhole ? 20 : 4, 8 * 1024 * 1024];
  const path = join(await ownFolder(), 'pack.zip');
  await writeFile(path, Buffer.alloc(size, 'x'));
  const server = await runServer({ findPack: async () => ({ path, size }) });
  const before = process.memoryUsage().arrayBuffers;
  const loads = await Promise.all(
    Array.from({ length: players }, async () => await startLoading(server.url)),
  );
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan((players * size) / 4);
  const sizes = await Promise.all(loads.map(async ({ rest }) => await rest()));
  expect(sizes).toEqual(sizes.map(() => size));
});

test('A service without a pack has none under any SHA-1', async () => {
  const server = await runServer();
  expect((await new TestCaller(server.url).get(`/packs/${SHA1}.zip`)).status).toBe(404);
});
