import { expect, onTestFinished, test } from 'vitest';
import { SkinClient } from '../../../src/client/skin-client.ts';
import type { JobAnswer } from '../../../src/client/types.ts';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

async function clientOf(options: Parameters<typeof runServer>[0]) {
  const server = await runServer(options);
  const client = new SkinClient({ baseUrl: server.url, apiKey: server.key });
  onTestFinished(async () => await client.close());
  return { server, client };
}

test('A client that listens to events needs no other request for its skins', async () => {
  const { client } = await clientOf({ pace: 50 });
  const ends = new Map<string, JobAnswer>();
  const wanted: string[] = [];
  for await (const event of client.events()) {
    if (event.type === 'jobs') {
      for (let n = 0; n < 3; n++) {
        const { job, links } = await client.queue({ file: skinPng(n) });
        expect(links['events']).toBe('/v2/queue/events');
        wanted.push(job.id);
      }
    } else if (event.state.job.status === 'completed') ends.set(event.state.job.id, event.state);
    if (ends.size === 3) break;
  }
  const hashes = wanted.map((id) => ends.get(id)?.skin?.texture.hash.skin);
  expect(hashes).toEqual([0, 1, 2].map((n) => pixelHash(drawSkin(n))));
});

test('A client that closes ends its stream, and the service notices', async () => {
  const { client, server } = await clientOf({});
  const following = (async () => {
    for await (const _ of client.events()) void client.close();
  })();
  await following;
  await server.close();
});

test('A submission repeated under its key is one job, and its texture is available', async () => {
  const { client } = await clientOf({});
  const call = { idempotencyKey: 'the same' };
  const [first, again] = await Promise.all([1, 2].map(() => client.queue({ file: skinPng(1) }, {}, call)));
  expect(again?.job.id).toBe(first?.job.id);
  const { skin, job } = await client.generate({ file: skinPng(1) }, {}, call);
  expect(job).toBe(first?.job.id);
  const png = await client.texture(skin.texture.url.skin);
  expect(pixelHash(decodePng(png))).toBe(pixelHash(drawSkin(1)));
});
