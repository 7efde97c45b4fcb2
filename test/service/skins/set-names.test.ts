import { expect, test } from 'vitest';
import { SkinClient } from '../../../src/index.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { onSqlite } from '../../support/postgres/on-postgres.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import { expectRefusal, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const createSet = async (caller: TestCaller, name: string, more: object = {}) =>
  (await caller.json('/v2/sets', { name, ...more })).body.set!;

const namesOf = async (caller: TestCaller) => (await caller.get('/v2/me/set-names')).body.names;

async function signedInAs(server: ServerUnderTest, user: string): Promise<PlainBrowser> {
  const { key } = (await server.owner.json('/v2/account/keys', { user })).body;
  const browser = new PlainBrowser(server.url);
  expect((await browser.signIn(key?.secret)).status).toBe(303);
  return browser;
}

async function runWithUsers() {
  const server = await runServer();
  const [ann, bob] = [await userWithPlan(server, 'ann'), await userWithPlan(server, 'bob')];
  return { server, ann, bob, nobody: server.anonymous() };
}

test('A renamed public set is still found by its earlier names, which nobody else can take', async () => {
  const { ann, bob, nobody } = await runWithUsers();
  const { uuid } = await createSet(ann, 'Guards');
  await ann.patch('/v2/sets/guards', { name: 'Royal Guards' });
  for (const name of ['guards', 'royal-guards']) {
    expect((await nobody.get(`/v2/sets/${name}`)).body.set?.uuid).toBe(uuid);
    const taken = await bob.json('/v2/sets', { name });
    expectRefusal(taken, 'invalid_request', 400);
    expect(taken.body.errors[0]?.message).toBe(`The name ${name} is another user's, for a public set.`);
    expect((await bob.json('/v2/sets', { name, visibility: 'unlisted' })).status).toBe(201);
    expectRefusal(await bob.patch(`/v2/sets/${name}`, { visibility: 'public' }), 'invalid_request', 400);
  }
  expect(await namesOf(ann)).toEqual([{ name: 'guards', set: uuid }]);
  const own = await ann.json('/v2/sets', { name: 'Guards' });
  expect(own.body.errors[0]?.message).toBe(
    'The name guards still leads to your set Royal Guards. Release it first.',
  );
  await ann.patch('/v2/sets/guards', { name: 'Guards' });
  expect(await namesOf(ann)).toEqual([{ name: 'royal-guards', set: uuid }]);
});

test('The names of a deleted set are gone for everyone until its owner uses or releases them', async () => {
  const { ann, bob, nobody } = await runWithUsers();
  await createSet(ann, 'Guards');
  await ann.patch('/v2/sets/guards', { name: 'Sentries' });
  await ann.send('DELETE', '/v2/sets/guards');
  expect(await namesOf(ann)).toEqual([
    { name: 'guards', set: null },
    { name: 'sentries', set: null },
  ]);
  for (const caller of [ann, bob, nobody]) {
    for (const path of ['/v2/sets/guards', '/packs/guards.zip', '/packs/sentries.zip'])
      expectRefusal(await caller.get(path), 'set_gone', 410);
  }
  expectRefusal(await bob.json('/v2/sets', { name: 'Guards' }), 'invalid_request', 400);
  expectRefusal(await bob.send('DELETE', '/v2/set-names/guards'), 'set_not_found', 404);
  expectRefusal(await nobody.send('DELETE', '/v2/set-names/guards'), 'unauthorized', 401);
  const { uuid } = await createSet(ann, 'Guards');
  expect((await nobody.get('/v2/sets/guards')).body.set?.uuid).toBe(uuid);
  expectRefusal(await ann.send('DELETE', '/v2/set-names/guards'), 'invalid_request', 400);
  expect((await ann.send('DELETE', '/v2/set-names/sentries')).status).toBe(200);
  expectRefusal(await nobody.get('/packs/sentries.zip'), 'set_not_found', 404);
  expect((await bob.json('/v2/sets', { name: 'Sentries' })).status).toBe(201);
});

test('A set that is no longer public keeps its name, without revealing that it exists', async () => {
  const { server, ann, bob, nobody } = await runWithUsers();
  const { uuid } = await createSet(ann, 'Guards');
  await ann.patch('/v2/sets/guards', { name: 'Sentries' });
  for (const visibility of ['unlisted', 'private']) {
    await ann.patch(`/v2/sets/${uuid}`, { visibility });
    for (const name of ['guards', 'sentries']) {
      expectRefusal(await nobody.get(`/v2/sets/${name}`), 'set_not_found', 404);
      expectRefusal(await bob.json('/v2/sets', { name }), 'invalid_request', 400);
      expect((await ann.get(`/v2/sets/${name}`)).body.set?.uuid).toBe(uuid);
    }
  }
  await ann.patch(`/v2/sets/${uuid}`, { visibility: 'public' });
  await server.owner.patch(`/v2/account/sets/${uuid}`, { hidden: true });
  expectRefusal(await bob.json('/v2/sets', { name: 'Sentries' }), 'invalid_request', 400);
  await server.owner.patch(`/v2/account/sets/${uuid}`, { hidden: false });
  expect((await nobody.get('/packs/guards.zip')).status).toBe(200);
});

test('Operators release names of others, also those of deleted accounts, and the log says so', async () => {
  const { server, ann, bob, nobody } = await runWithUsers();
  for (const name of ['Guards', 'Sentries']) await createSet(ann, name);
  await ann.send('DELETE', '/v2/sets/guards');
  const browser = await signedInAs(server, 'ann');
  await browser.open('/ui/account/delete', { form: { confirm: 'ann', shared: 'delete' } });
  for (const name of ['guards', 'sentries']) {
    expectRefusal(await nobody.get(`/packs/${name}.zip`), 'set_gone', 410);
    expectRefusal(await bob.json('/v2/sets', { name }), 'invalid_request', 400);
    expect((await server.owner.send('DELETE', `/v2/set-names/${name}`)).status).toBe(200);
    expect((await bob.json('/v2/sets', { name })).status).toBe(201);
  }
  const { entries } = (await server.owner.get('/v2/account/log')).body;
  expect(entries?.[0]).toMatchObject({ action: 'release_set_name', subject: 'sentries' });
});

onSqlite(test)('The name that an operator clears leads nowhere, and nobody else gets it', async () => {
  const { server, ann, bob, nobody } = await runWithUsers();
  const { uuid } = await createSet(ann, 'Rude');
  await server.owner.patch(`/v2/account/sets/${uuid}`, { clearName: true });
  expectRefusal(await nobody.get('/packs/rude.zip'), 'set_gone', 410);
  expectRefusal(await bob.json('/v2/sets', { name: 'Rude' }), 'invalid_request', 400);
  const { db } = await openOwnStore(server.dataDir);
  const { namespace } = await db.selectFrom('sets').select('namespace').executeTakeFirstOrThrow();
  expect(namespace).toBe(`set-${uuid.slice(0, 8)}`);
});

onSqlite(test)('Reserved names count as sets, of which a user has at most 500', async () => {
  const { server, ann } = await runWithUsers();
  await createSet(ann, 'Guards');
  await ann.patch('/v2/sets/guards', { name: 'Sentries' });
  const { db } = await openOwnStore(server.dataDir);
  const { id: _, ...set } = await db.selectFrom('sets').selectAll().executeTakeFirstOrThrow();
  const copies = Array.from({ length: 497 }, (_, n) => {
    const name = `copy-${n}`;
    return { ...set, uuid: String(n).padStart(32, '0'), name, slug: name, visibility: 'private' as const };
  });
  await db.insertInto('sets').values(copies).execute();
  await createSet(ann, 'the last');
  for (const answer of [
    await ann.json('/v2/sets', { name: 'one more' }),
    await ann.patch('/v2/sets/sentries', { name: 'yet another' }),
  ]) {
    expectRefusal(answer, 'invalid_request', 400);
    expect(answer.body.errors[0]?.message).toContain('500 sets and reserved names');
  }
  await ann.send('DELETE', '/v2/set-names/guards');
  expect((await ann.json('/v2/sets', { name: 'one more' })).status).toBe(201);
});

test('A name that looks like a SHA-1 is refused, because packs have such addresses', async () => {
  const { ann } = await runWithUsers();
  for (const name of ['a'.repeat(40), `${'0123456789'.repeat(4)}`, ` ${'B'.repeat(40)} `])
    expectRefusal(await ann.json('/v2/sets', { name }), 'validation_error', 400);
  expect((await ann.json('/v2/sets', { name: 'a'.repeat(41) })).status).toBe(201);
});

test('The page of sets lists reserved names and releases them, and the page of a set offers its UUID', async () => {
  const { server, ann } = await runWithUsers();
  const skin = (await ann.upload('/v2/generate', skinPng(1))).body.skin?.uuid;
  const { uuid } = await createSet(ann, 'Guards', { skins: [skin] });
  await ann.patch('/v2/sets/guards', { name: 'Sentries' });
  const browser = await signedInAs(server, 'ann');
  expect((await browser.open('/ui/sets/guards')).text).toContain(
    `resource-pack=${server.url}/packs/${uuid}.zip`,
  );
  expect((await browser.open('/ui/sets')).text).toContain('<bdi>guards</bdi>');
  await browser.open('/ui/set-names/release', { form: { name: 'guards' } });
  expect((await browser.open('/ui/sets')).text).not.toContain('<bdi>guards</bdi>');
  const gone = await new PlainBrowser(server.url).open('/ui/sets/guards');
  expect(gone.status).toBe(404);
  await ann.send('DELETE', '/v2/sets/sentries');
  expect((await browser.open('/ui/sets/sentries')).status).toBe(410);
});

test('A client lists and releases reserved names', async () => {
  const server = await runServer();
  await createSet(server.owner, 'Guards');
  await server.owner.send('DELETE', '/v2/sets/guards');
  const { sets } = new SkinClient({ baseUrl: server.url, apiKey: String(server.key) }).account;
  expect(await sets.reservedNames()).toEqual([{ name: 'guards', set: null }]);
  await sets.releaseName('Guards');
  expect(await sets.reservedNames()).toEqual([]);
});
