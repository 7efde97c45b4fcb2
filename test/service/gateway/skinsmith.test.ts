import { expect, test } from 'vitest';
import { isSignedBy, parsePublicKey } from '../../../src/textures/signing-key.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { dataUrl, skinPng } from '../../support/server/drawn-skins.ts';
import { ends, numbers, push, runGateway } from '../../support/server/gateway.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

guardAgainstLeaks();

async function overSkinsmith(options: Parameters<typeof runGateway>[1] = {}) {
  const above = await runServer();
  const gateway = await runGateway({ url: above.url, key: String(above.key) }, options);
  return { above, gateway };
}

/** Visibility of all that the service above has of the gateway's key. */
async function visibilities({ owner }: ServerUnderTest): Promise<string[]> {
  const { body } = await owner.get('/v2/me/skins?size=100');
  return (body.skins ?? []).map(({ visibility }) => visibility).toSorted();
}

/** How many clients listen to events of a service. */
async function openStreams({ owner }: ServerUnderTest): Promise<number> {
  const { bytes } = await owner.get('/metrics');
  return Number(/^skinsmith_event_streams(?:\{[^}]*\})? (\d+)$/m.exec(bytes.toString())?.[1]);
}

test('Skins of another skinsmith are signed with its key, served by it, and attributed to it', async () => {
  const { above, gateway } = await overSkinsmith();
  const { body } = await gateway.owner.upload('/v2/generate', skinPng(1), { variant: 'slim', name: 'mine' });
  const { body: about } = await above.owner.get('/');
  const { value, signature } = body.skin!.texture.data;
  expect(isSignedBy(parsePublicKey(String(about.signaturePublickey)), value, signature)).toBe(true);
  expect(body.skin).toMatchObject({ variant: 'slim', name: 'mine', duplicate: false });
  expect(body.skin?.texture.url.skin).toMatch(new RegExp(`^${above.url}/textures/`));
  const { body: theirs } = await above.owner.upload('/v2/generate', skinPng(1), { variant: 'slim' });
  const { account, server, version, duration } = theirs.skin!.generator;
  expect(body.skin?.generator).toMatchObject({ account, server, version, duration });
  expect(theirs.skin?.texture.data.value).toBe(value);
});

test('The key document has the key that signs the skins, and the hosts of textures', async () => {
  const { above, gateway } = await overSkinsmith({ publicUrl: 'http://skins.example.org' });
  const [{ body: theirs }, { body: own }] = await Promise.all([above.owner.get('/'), gateway.owner.get('/')]);
  expect(own.signaturePublickey).toBe(theirs.signaturePublickey);
  expect(own.skinDomains).toEqual(['skins.example.org', '127.0.0.1']);
});

/** Jobs of each caller: together more than are under way at once. */
const OWN = isWhole ? 20 : 6;

test('The events of a gateway report many jobs of several callers', async () => {
  const { above, gateway } = await overSkinsmith();
  const users = [await gateway.user('ann'), await gateway.user('bob')];
  await Promise.all(users.map(async (user, n) => await push(user, numbers(n * 100, OWN))));
  const ended = await ends(gateway.dataDir, 2 * OWN);
  expect(ended.every(({ status }) => status === 'completed')).toBe(true);
  expect((await visibilities(above)).length).toBe(2 * OWN);
  const streams = await poll(
    () => openStreams(above),
    (open) => open > 0,
  );
  expect(streams).toBe(1);
});

test('Skins of a gateway are unlisted upstream, or private if the key allows it, or as the operator configures', async () => {
  const { above, gateway } = await overSkinsmith();
  const make = async (number: number, visibility: string) =>
    await gateway.owner.upload('/v2/generate', skinPng(number), { visibility });
  const { body } = await make(1, 'public');
  expect(body.skin?.visibility).toBe('public');
  await make(2, 'private');
  expect(await visibilities(above)).toEqual(['private', 'unlisted']);

  const poor = await above.user('poor');
  const { body: made } = await above.owner.json('/v2/account/keys', { user: 'poor' });
  const upstream = { url: above.url, apiKey: String(made.key?.secret), visibility: 'public' } as const;
  const second = await runGateway({ url: above.url, key: upstream.apiKey }, { upstream });
  await second.owner.upload('/v2/generate', skinPng(3), { visibility: 'private' });
  const { body: list } = await poor.get('/v2/me/skins');
  expect(list.skins?.map(({ visibility }) => visibility)).toEqual(['public']);
});

test('A cape is refused, because the upstream service does not know it', async () => {
  const { gateway } = await overSkinsmith();
  const uuid = await addCape(gateway, 'founder');
  const heard = await gateway.owner.json('/v2/queue', { url: dataUrl(skinPng(1)), cape: uuid });
  expectRefusal(heard, 'invalid_cape');
  expect(heard.body.errors[0]?.message).toContain('Another service');
});

test('A closed gateway leaves its jobs to the next one, which continues with the same upstream jobs', async () => {
  const above = await runServer({ pace: 400, workers: 5 });
  const first = await runGateway({ url: above.url, key: String(above.key) });
  await push(first.owner, numbers(0, 5));
  await first.close({ limit: 0 });
  const { dataDir } = await runGateway(
    { url: above.url, key: String(above.key) },
    { dataDir: first.dataDir },
  );
  await ends(dataDir, 5);
  expect((await above.owner.get('/v2/queue')).body.jobs).toHaveLength(5);
});

test('A key that is revoked while the gateway runs stops it, and no job is lost', async () => {
  const above = await runServer();
  const { body } = await above.owner.json('/v2/account/keys', {});
  const gateway = await runGateway({ url: above.url, key: String(body.key?.secret) });
  await above.owner.send('DELETE', `/v2/account/keys/${body.key?.id}`);
  await push(gateway.owner, [1, 2]);
  const ready = await poll(
    () => gateway.owner.get('/ready'),
    ({ status }) => status === 503,
  );
  expect(ready.bytes.toString()).toContain('generator_not_ready');
  const states = async () => (await gateway.owner.get('/v2/queue')).body.jobs?.map(({ status }) => status);
  await poll(states, (all) => all?.join() === 'waiting,waiting');
});
