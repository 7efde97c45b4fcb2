import { describe, expect, test } from 'vitest';
import { SkinClient } from '../../../src/client/skin-client.ts';
import { runHosted } from '../../support/hosted/run-hosted.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { runEmbedded } from '../../support/server/embedded-service.ts';
import { push, runGateway } from '../../support/server/gateway.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

describe('The embedded service', () => {
  test('listens nowhere', async () => {
    const { client } = await runEmbedded();
    await client.generate({ file: skinPng(1) });
    const resources = process.getActiveResourcesInfo();
    expect(resources.filter((resource) => resource.startsWith('TCP'))).toEqual([]);
  });

  test('needs no key from the command that runs it, which counts as the owner', async () => {
    const { client } = await runEmbedded();
    expect(await client.me()).toMatchObject({ name: 'owner' });
    expect(await client.account.me()).toMatchObject({ role: 'operator' });
  });

  test('gives its command 10,000 slots', async () => {
    const { client } = await runEmbedded({ workers: 0 });
    expect((await client.me()).grants).toMatchObject({ queue: 10_000 });
    for (let n = 0; n < 6; n++) await client.queue({ file: skinPng(n) });
    expect(await client.jobs()).toHaveLength(6);
  });

  test('refuses a wrong key, and accepts the keys of its store', async () => {
    const { fetch, client, ask } = await runEmbedded();
    const { secret } = await client.account.createKey({ user: 'bob' });
    const bob = new SkinClient({ fetch, apiKey: secret });
    expect(await bob.me()).toMatchObject({ name: 'bob' });
    expectRefusal(await ask('/v2/me', { key: '0'.repeat(64) }), 'invalid_api_key');
  });

  test('signs textures with the address that serve announced last', async () => {
    const serving = await runServer({ publicUrl: 'https://skins.example.org' });
    await serving.close();
    const { client } = await runEmbedded({ dataDir: serving.dataDir });
    const { skin } = await client.generate({ file: skinPng(1) });
    expect(skin.texture.url.skin).toMatch(/^https:\/\/skins\.example\.org\/textures\//);
  });

  test('signs textures with the default address of serve, if serve never announced one', async () => {
    const { client } = await runEmbedded();
    const { skin } = await client.generate({ file: skinPng(1) });
    expect(skin.texture.url.skin).toMatch(/^http:\/\/127\.0\.0\.1:7546\/textures\//);
  });

  test("leaves other users' jobs to the service with another generator", async () => {
    const gateway = await runGateway(await runHosted(), { workers: 0 });
    await push(await gateway.user('bob'), [1]);
    await gateway.close();
    const { client } = await runEmbedded({ dataDir: gateway.dataDir });
    await client.generate({ file: skinPng(2) });
    const { db } = await openOwnStore(gateway.dataDir);
    const jobs = await db.selectFrom('jobs').select('status').orderBy('id').execute();
    expect(jobs.map(({ status }) => status)).toEqual(['waiting', 'completed']);
  });

  test('sends the last jobs to a stream when it stops, then ends it', async () => {
    const { client, close } = await runEmbedded({ workers: 1, pace: 50 });
    const queued: string[] = [];
    const completed: string[] = [];
    for await (const event of client.events()) {
      if (event.type === 'jobs') {
        for (const n of [1, 2]) queued.push((await client.queue({ file: skinPng(n) })).job.id);
        void close({ drain: true });
      } else if (event.state.job.status === 'completed') completed.push(event.state.job.id);
    }
    expect(completed).toEqual(queued);
    await close();
  });
});

test('A service that requires a key from everyone says so, in the words of each version', async () => {
  const { owner, anonymous } = await runServer({ anonymous: false });
  expect((await owner.upload('/v2/queue', skinPng(1))).status).toBe(202);
  expectRefusal(await anonymous().upload('/v2/queue', skinPng(1)), 'unauthorized');
  expectRefusal(await anonymous().get('/v2/skins'), 'unauthorized');
  const old = await anonymous().upload('/generate/upload', skinPng(1));
  expect([old.status, old.body]).toEqual([401, expect.objectContaining({ errorCode: 'unauthorized' })]);
  expect((await anonymous().get('/health')).status).toBe(200);
});
