import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SkinClient } from '../../../../../src/client/skin-client.ts';
import { UpstreamTextures } from '../../../../../src/server/generators/upstream/results.ts';
import { makeGuardedAgent } from '../../../../../src/server/outbound/guarded-agent.ts';
import { outboundPolicy } from '../../../../../src/server/outbound/target.ts';
import { runHosted } from '../../../../support/hosted/run-hosted.ts';
import { skinPng } from '../../../../support/server/drawn-skins.ts';
import { hurriedClock } from '../../../../support/server/hurried-clock.ts';

async function oneTexture() {
  const hosted = await runHosted({ serviceTime: 0 });
  const client = new SkinClient({ baseUrl: hosted.url, apiKey: hosted.key });
  const { skin } = await client.generate({ file: skinPng(1) });
  await client.close();
  return { hosted, url: skin.texture.url.skin };
}

async function fetchFrom(
  base: string,
  url: string,
  allowedNetworks: string[] = [],
  clock = hurriedClock(),
): Promise<Uint8Array> {
  const client = { baseUrl: base };
  const pictures = makeGuardedAgent({ policy: outboundPolicy({ allowedNetworks }) });
  const textures = new UpstreamTextures({ client, pictures, clock, random: () => 0 });
  try {
    return await textures.read(url, new AbortController().signal);
  } finally {
    await Promise.all([textures.close(), pictures.close()]);
  }
}

/** A service that leads to another address, whatever it is asked for. */
async function redirecting(location: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(302, { location }).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('A texture', () => {
  test('is fetched from the service itself, also in a private network', async () => {
    const { hosted, url } = await oneTexture();
    expect((await fetchFrom(hosted.url, url)).length).toBeGreaterThan(100);
  });

  test('elsewhere in a private network is refused, unless the operator allows it', async () => {
    const { url } = await oneTexture();
    const error = { name: 'GenerationError', code: 'invalid_skin_data' };
    await expect(fetchFrom('http://upstream.example.org', url)).rejects.toMatchObject(error);
    const allowed = await fetchFrom('http://upstream.example.org', url, ['127.0.0.0/8']);
    expect(allowed.length).toBeGreaterThan(100);
  });

  test('behind a redirect of the service follows the same rules', async () => {
    const { url } = await oneTexture();
    const base = await redirecting(url);
    const error = { name: 'GenerationError', code: 'invalid_skin_data' };
    await expect(fetchFrom(base, `${base}/texture`)).rejects.toMatchObject(error);
    const allowed = await fetchFrom(base, `${base}/texture`, ['127.0.0.0/8']);
    expect(allowed.length).toBeGreaterThan(100);
  });

  test('that is missing is a failure; one that is temporarily unavailable is awaited', async () => {
    const { hosted, url } = await oneTexture();
    await expect(fetchFrom(hosted.url, `${url}0`)).rejects.toMatchObject({ name: 'GenerationError' });
    hosted.faults = () => ({ kind: 'bad-gateway' });
    const clock = hurriedClock();
    const inFiveSeconds = clock.now() + 5_000;
    await expect(fetchFrom(hosted.url, url, [], clock)).rejects.toMatchObject({
      name: 'GenerationPostponed',
      until: expect.toSatisfy((until) => until > inFiveSeconds),
    });
    await expect(fetchFrom('http://a.example.org', url, ['127.0.0.0/8'])).rejects.toMatchObject({
      name: 'GenerationPostponed',
    });
  });
});
