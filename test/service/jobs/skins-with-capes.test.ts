import { describe, expect, test } from 'vitest';
import { decodeCape, pixelHash } from '../../../src/skin/read-skin.ts';
import { parseTexturesValue } from '../../../src/textures/property.ts';
import { isSignedBy, parsePublicKey } from '../../../src/textures/signing-key.ts';
import { addCape, capePng } from '../../support/server/drawn-capes.ts';
import { dataUrl, skinPng } from '../../support/server/drawn-skins.ts';
import { jobAt } from '../../support/server/job-at.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const RED = pixelHash(decodeCape(capePng(1)));
const BLUE = pixelHash(decodeCape(capePng(2)));
const NOBODY = '0'.repeat(32);

type Way = (caller: TestCaller, path: string, cape: string) => Promise<Heard>;

const WAYS: Record<string, Way> = {
  multipart: (caller, path, cape) => caller.upload(path, skinPng(1), { cape }),
  JSON: (caller, path, cape) => caller.json(path, { url: dataUrl(skinPng(1)), cape }),
  'a form': (caller, path, cape) =>
    caller.send('POST', path, {
      body: new URLSearchParams({ url: dataUrl(skinPng(1)), cape }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
};

const hashes = ({ body }: Heard) => body.skin?.texture.hash;

describe('A skin with a cape', () => {
  test.each(Object.entries(WAYS))('is made by %s, signed, and both textures are served', async (_, send) => {
    const server = await runServer();
    const { owner, url } = server;
    const cape = await addCape(server, 'red');
    const { status, body } = await send(owner, '/v2/generate', cape);
    const { texture } = body.skin ?? expect.unreachable();
    expect([status, texture.hash.cape, texture.url.cape]).toEqual([200, RED, `${url}/textures/${RED}`]);
    const { value, signature } = texture.data;
    expect(parseTexturesValue(value)).toMatchObject({
      skin: { url: texture.url.skin },
      cape: { url: texture.url.cape },
    });
    expect(Object.keys(JSON.parse(Buffer.from(value, 'base64').toString()).textures)).toEqual([
      'SKIN',
      'CAPE',
    ]);
    const key = parsePublicKey(String((await owner.get('/')).body.signaturePublickey));
    expect(isSignedBy(key, value, signature)).toBe(true);
    for (const address of Object.values(texture.url))
      expect((await owner.get(new URL(address).pathname)).status).toBe(200);
  });

  test('is in the answers of the queue, the job, the skin and the duplicate', async () => {
    const server = await runServer();
    const cape = await addCape(server, 'red');
    const queued = await server.owner.upload('/v2/queue', skinPng(1), { cape });
    const done = await jobAt(server.owner, queued.body.job?.id, 'completed');
    const both = { skin: expect.any(String), cape: RED };
    expect(hashes(done)).toEqual(both);
    expect(hashes(await server.owner.get(`/v2/skins/${done.body.skin?.uuid}`))).toEqual(both);
    expect(hashes(await server.owner.upload('/v2/queue', skinPng(1), { cape }))).toEqual(both);
  });

  test('differs from the skin without a cape, and from the one with another cape', async () => {
    const server = await runServer();
    const capes = ['', await addCape(server, 'red', 1), await addCape(server, 'blue', 2)];
    const made = [];
    for (const cape of capes) made.push(await server.owner.upload('/v2/generate', skinPng(1), { cape }));
    expect(made.map((heard) => hashes(heard)?.cape)).toEqual([undefined, RED, BLUE]);
    expect(new Set(made.map(({ body }) => body.skin?.uuid)).size).toBe(3);
    expect(made.map(({ body }) => body.skin?.duplicate)).toEqual([false, false, false]);
    const profiles = made.map(
      ({ body }) => parseTexturesValue(body.skin?.texture.data.value ?? '').profileId,
    );
    expect(new Set(profiles).size).toBe(3);
    const again = await server.owner.upload('/v2/generate', skinPng(1), { cape: capes[1] ?? '' });
    expect(again.body.skin).toMatchObject({ uuid: made[1]?.body.skin?.uuid, duplicate: true });
  });

  test('has a job of its own while others are pending, and is another request under the same idempotency key', async () => {
    const server = await runServer({ workers: 0 });
    const { owner } = server;
    const [red, blue] = [await addCape(server, 'red', 1), await addCape(server, 'blue', 2)];
    const send = async (cape: string, key?: string) =>
      await owner.json('/v2/queue', { url: dataUrl(skinPng(1)), cape }, { 'idempotency-key': key ?? '' });
    const ids = [await send(''), await send(red), await send(blue)].map(({ body }) => body.job?.id);
    expect(new Set(ids).size).toBe(3);
    expect((await send(red, 'k')).body.job?.id).toBe(ids[1]);
    expect((await send(red, 'k')).body.job?.id).toBe(ids[1]);
    expectRefusal(await send(blue, 'k'), 'invalid_request');
  });

  test('keeps a cape that is hidden or removed, but no new skin is made with that cape', async () => {
    const server = await runServer();
    const { owner } = server;
    const capes = [await addCape(server, 'red', 1), await addCape(server, 'blue', 2)];
    const made = [];
    for (const cape of capes) made.push(await owner.upload('/v2/generate', skinPng(1), { cape }));
    await owner.patch(`/v2/account/capes/${capes[0]}`, { support: 'none' });
    await owner.send('DELETE', `/v2/account/capes/${capes[1]}`);
    for (const [n, { body }] of made.entries()) {
      expectRefusal(await owner.upload('/v2/generate', skinPng(1), { cape: capes[n] ?? '' }), 'invalid_cape');
      const address = new URL(String(body.skin?.texture.url.cape));
      expect((await owner.get(address.pathname)).status).toBe(200);
      expect((await owner.get(`/v2/skins/${body.skin?.uuid}`)).body.skin?.texture).toEqual(
        body.skin?.texture,
      );
    }
  });

  test('needs the grant for capes, whether there is such a cape or not', async () => {
    const server = await runServer();
    const cape = await addCape(server, 'red');
    const free = await server.user('bob');
    for (const asked of [cape, NOBODY])
      for (const path of ['/v2/generate', '/v2/queue']) {
        const ask = async (caller: TestCaller) => await caller.upload(path, skinPng(1), { cape: asked });
        expectRefusal(await ask(free), 'insufficient_grants');
        expectRefusal(await ask(server.anonymous()), 'unauthorized');
      }
    const paid = await userWithPlan(server, 'ann', 'basic');
    expect(hashes(await paid.upload('/v2/generate', skinPng(1), { cape }))?.cape).toBe(RED);
  });

  test('is refused for an unknown cape and for an invalid UUID', async () => {
    const { owner } = await runServer();
    expectRefusal(await owner.upload('/v2/queue', skinPng(1), { cape: NOBODY }), 'invalid_cape');
    expectRefusal(await owner.upload('/v2/queue', skinPng(1), { cape: 'red' }), 'validation_error');
  });
});
