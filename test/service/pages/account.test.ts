import { expect, test } from 'vitest';
import { changeUser } from '../../../src/server/store/sessions.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { runAccountServer } from '../../support/server/account-server.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { poll } from '../../support/server/poll.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const KEYS = '/ui/account/keys';
const GAMES = '/ui/account/games';

async function signedIn({ url, key }: ServerUnderTest, as = key): Promise<PlainBrowser> {
  const browser = new PlainBrowser(url);
  expect((await browser.signIn(as)).status).toBe(303);
  return browser;
}

async function secretOf(server: ServerUnderTest, input: object): Promise<string> {
  return String((await server.owner.json('/v2/account/keys', input)).body.key?.secret);
}

const fields = (...pairs: [string, string][]) => new URLSearchParams(pairs);

test("The account shows the user's plan with its benefits, no other plans, and what is used of it", async () => {
  const server = await runServer({ workers: 0 });
  const key = await secretOf(server, { user: 'bob' });
  await new TestCaller(server.url, { key }).upload('/v2/queue', skinPng(1));
  const { text } = await (await signedIn(server, key)).open('/ui/account');
  for (const shown of ['<bdi>bob</bdi>', '1 of 5', '1 API key', 'Private skins', 'free</th>']) {
    expect(text).toContain(shown);
  }
  const rows = [...text.matchAll(/<th scope="col"[^>]*>([\w-]+)/g)].map(([, name]) => name);
  expect(rows).toEqual(['free']);
});

test('A key is created with scopes and bindings, and shown only once', async () => {
  const server = await runServer();
  const browser = await signedIn(server);
  const form = fields(
    ['name', 'My <plugin>'],
    ['scope', 'read'],
    ['scope', 'generate'],
    ['allowedIps', '127.0.0.1\r\n 10.0.0.0/8'],
    ['allowedAgents', 'MyApp'],
    ['v2Compat', 'on'],
  );
  const made = await browser.open(KEYS, { form });
  const secret = />([\w-]{64,})</.exec(made.text)?.[1] ?? '';
  expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
  const headers = { 'user-agent': 'MyApp/1' };
  const caller = new TestCaller(server.url, { key: secret });
  expect((await caller.get('/v2/queue', headers)).status).toBe(200);
  expectRefusal(await caller.get('/v2/queue'), 'invalid_api_key');
  expectRefusal(await caller.get('/v2/account/keys', headers), 'insufficient_grants');
  const { text } = await browser.open(KEYS);
  expect(text).not.toContain(secret);
  for (const shown of [
    'My &lt;plugin&gt;',
    `…${secret.slice(-4)}`,
    'Permissions: Read my jobs and skins, including private ones; Make skins; only from <bdi>127.0.0.1, 10.0.0.0/8, MyApp</bdi>',
  ]) {
    expect(text).toContain(shown);
  }
});

test('A new key’s page that is reloaded makes no second key', async () => {
  const server = await runServer();
  const browser = await signedIn(server);
  const [, id = ''] = /name="id" value="(\w+)"/.exec((await browser.open(KEYS)).text) ?? [];
  const form = fields(['name', 'Once'], ['scope', 'read'], ['id', id]);
  expect((await browser.open(KEYS, { form })).text).toContain('Your new key');
  const again = await browser.open(KEYS, { form });
  expect([again.status, again.headers.get('location')]).toEqual([303, `${KEYS}?created=before`]);
  const { text } = await browser.open(`${KEYS}?created=before`);
  expect(text).toContain('This key has already been created.');
  expect(text.match(/<bdi>Once<\/bdi>/g)).toHaveLength(1);
  await browser.open(`${KEYS}/${id}/revoke`, { form: {} });
  expect((await browser.open(KEYS, { form })).status).toBe(303);
});

test('The page shows the use of each key, and the key that the person signed in with', async () => {
  const server = await runServer();
  await server.owner.upload('/v2/generate', skinPng(1));
  const { text } = await (await signedIn(server)).open(KEYS);
  expect(text).toContain('used for this session');
  expect(text).toMatch(/last used <time[^>]+>[^<]+<\/time>; 1 new skin</);
});

test('A key and its compatibility settings are changed, and the key is revoked', async () => {
  const server = await runServer();
  const browser = await signedIn(server);
  const { id, secret } = (await server.owner.json('/v2/account/keys', { name: 'old' })).body.key!;
  const form = fields(['name', 'new'], ['scope', 'read'], ['v2Compat', 'on']);
  expect((await browser.open(`${KEYS}/${id}`, { form })).headers.get('location')).toBe(KEYS);
  const stored = async () =>
    (await server.owner.get('/v2/account/keys')).body.keys?.find((key) => key.id === id);
  expect(await stored()).toMatchObject({ name: 'new', scopes: ['read'], v2Compat: true, allowedIps: [] });
  expect((await browser.open(`${KEYS}/${id}/revoke`, { form: {} })).status).toBe(303);
  expect(await stored()).toBeUndefined();
  expectRefusal(await new TestCaller(server.url, { key: secret }).get('/v2/me'), 'invalid_api_key');
});

test('Revoking the key of the session signs the person out', async () => {
  const server = await runServer();
  const { id, secret } = (await server.owner.json('/v2/account/keys', { name: 'mine' })).body.key!;
  const browser = await signedIn(server, secret);
  await browser.open(`${KEYS}/${id}/revoke`, { form: {} });
  expect((await browser.open(KEYS)).headers.get('location')).toBe('/ui/sign-in?next=%2Fui%2Faccount%2Fkeys');
});

test('Invalid restrictions or scopes create no key, and neither does a key without the scope', async () => {
  const server = await runServer();
  const browser = await signedIn(server);
  for (const wrong of [
    fields(['name', 'a'], ['scope', 'read'], ['allowedIps', 'nowhere']),
    fields(['name', 'a'], ['scope', 'all']),
    fields(['name', 'a']),
    fields(['name', ''], ['scope', 'read']),
  ]) {
    expect((await browser.open(KEYS, { form: wrong })).status).toBe(400);
  }
  const typed = fields(['name', 'My <bot>'], ['scope', 'read'], ['allowedIps', '10.0.0.0/8\nnowhere']);
  const { text } = await browser.open(KEYS, { form: typed });
  expect(text).toMatch(/role="alert">[^<]*allowedIps/);
  expect(text).toContain('maxlength="64" value="My &lt;bot&gt;"');
  expect(text).toContain('>10.0.0.0/8\nnowhere</textarea>');
  expect(/id="ips-new"/.exec(text.split('<details open>').at(-1) ?? '')).not.toBeNull();
  const kept = (await server.owner.json('/v2/account/keys', { name: 'kept' })).body.key!;
  const changed = await browser.open(`${KEYS}/${kept.id}`, { form: typed });
  expect(changed.status).toBe(400);
  expect(changed.text).toMatch(
    new RegExp(`role="alert">[^]*id="name-${kept.id}"[^>]*value="My &lt;bot&gt;"`),
  );
  expect(changed.text).toMatch(/id="name-new"[^>]*value=""/);
  const reader = await signedIn(server, await secretOf(server, { scopes: ['read'] }));
  expect((await reader.open(KEYS)).status).toBe(403);
  expect((await reader.open(KEYS, { form: fields(['name', 'a'], ['scope', 'read']) })).status).toBe(403);
  const manager = await signedIn(server, await secretOf(server, { scopes: ['read', 'account'] }));
  const [, form] = (await manager.open(KEYS)).text.split('Create a key');
  expect(form).toContain('value="account"');
  expect(form).not.toContain('value="operator"');
  const stronger = fields(['name', 'a'], ['scope', 'operator']);
  expect((await manager.open(KEYS, { form: stronger })).status).toBe(403);
  expect((await server.owner.get('/v2/account/keys')).body.keys).toHaveLength(4);
});

test("A user's forms cannot change keys of others", async () => {
  const server = await runServer();
  const { id } = (await server.owner.get('/v2/account/keys')).body.keys![0]!;
  const bob = await signedIn(server, await secretOf(server, { user: 'bob' }));
  expect((await bob.open(`${KEYS}/${id}/revoke`, { form: {} })).status).toBe(404);
  expect((await bob.open(`${KEYS}/${id}`, { form: fields(['name', 'x'], ['scope', 'read']) })).status).toBe(
    404,
  );
});

test('A game account is linked by a code, paused, changed, checked and unlinked', async () => {
  const { fake, server } = await runAccountServer({}, { interval: 0.01 });
  const browser = await signedIn(server);
  expect((await browser.open(GAMES)).text).toContain('No game accounts linked yet.');
  const begun = await browser.open(`${GAMES}/logins`, { form: { share: 'on' } });
  const login = begun.headers.get('location') ?? '';
  const { text } = await browser.open(login);
  const code = /<code>([A-Z0-9-]{4,})<\/code>/.exec(text)?.[1] ?? '';
  const [path] = login.split('?');
  expect((await browser.open(path!)).text).toContain(code);
  const account = fake.addAccount();
  fake.microsoft.approve(code, account.id);
  await poll(
    async () => await browser.open(path!),
    ({ headers }) => headers.get('location') === GAMES,
  );
  const shown = async () => (await browser.open(GAMES)).text;
  expect(await shown()).toContain(`<bdi>${account.name}</bdi></strong> <span class="tag active">works`);

  const read = async () => {
    const { body } = await server.owner.get('/v2/account/accounts');
    return (body as unknown as { accounts: object[] }).accounts;
  };
  expect(await read()).toMatchObject([{ share: true, capes: false, restore: false, state: 'active' }]);
  await browser.open(`${GAMES}/${account.id}`, { form: { capes: 'on', restore: 'on' } });
  expect(await read()).toMatchObject([{ share: false, capes: true, restore: true }]);
  await browser.open(`${GAMES}/${account.id}/pause`, { form: { paused: 'yes' } });
  expect(await shown()).toContain('paused');
  await browser.open(`${GAMES}/${account.id}/pause`, { form: { paused: 'no' } });
  expect(await read()).toMatchObject([{ state: 'active' }]);
  expect((await browser.open(`${GAMES}/${account.id}/check`, { form: {} })).text).toContain(
    'The account works',
  );
  expect((await browser.open(`${GAMES}/${account.id}/unlink`, { form: {} })).headers.get('location')).toBe(
    GAMES,
  );
  expect(await read()).toEqual([]);
});

test('A declined sign-in says so, and sign-ins of others cannot be seen', async () => {
  const { fake, server } = await runAccountServer({}, { interval: 0.01 });
  const browser = await signedIn(server);
  const login = (await browser.open(`${GAMES}/logins`, { form: {} })).headers.get('location') ?? '';
  const [path] = login.split('?');
  const bob = await signedIn(server, await secretOf(server, { user: 'bob' }));
  expect((await bob.open(login)).status).toBe(404);
  expect((await bob.open(`${path}/state`)).status).toBe(404);
  const code = /<code>([A-Z0-9-]{4,})<\/code>/.exec((await browser.open(login)).text)?.[1] ?? '';
  fake.microsoft.decline(code);
  const failed = await poll(
    async () => await browser.open(path!),
    ({ status }) => status !== 200,
  );
  expect([failed.status, failed.text.includes('The sign-in was declined.')]).toEqual([400, true]);
});

test("A user's game accounts are not on the pages of other users or on the operator's own account page", async () => {
  const { fake, server } = await runAccountServer();
  const key = await secretOf(server, { user: 'bob' });
  const account = fake.addAccount();
  const bob = new TestCaller(server.url, { key });
  expect((await bob.json('/v2/account/accounts', { token: account.token })).status).toBe(201);
  expect((await (await signedIn(server, key)).open(GAMES)).text).toContain(account.name);
  expect((await (await signedIn(server)).open(GAMES)).text).not.toContain(account.name);
  const ann = await signedIn(server, await secretOf(server, { user: 'ann' }));
  expect((await ann.open(`${GAMES}?whose=all`)).text).not.toContain(account.name);
  for (const act of ['', '/pause', '/check', '/unlink']) {
    const { status } = await ann.open(`${GAMES}/${account.id}${act}`, { form: { paused: 'yes' } });
    expect(status).toBe(404);
  }
});

test('An operator sees and pauses the game accounts of all users in one list, and returns to it', async () => {
  const { fake, server } = await runAccountServer();
  const bob = new TestCaller(server.url, { key: await secretOf(server, { user: 'bob' }) });
  const account = fake.addAccount();
  await bob.json('/v2/account/accounts', { token: account.token });
  const operator = await signedIn(server);
  const all = `${GAMES}?whose=all`;
  const { text } = await operator.open(all);
  expect(text).toContain('Linked by <bdi>bob</bdi>');
  expect(text).toContain('Link an account');
  const [, path = ''] = /action="([^"]+\/pause[^"]*)"/.exec(text) ?? [];
  const paused = await operator.open(path, { form: { paused: 'yes' } });
  expect(paused.headers.get('location')).toBe(all);
  expect((await operator.open(all)).text).toContain('paused');
});

test('A server that makes no skins with game accounts does not offer to link one', async () => {
  const server = await runServer();
  const { text } = await (await signedIn(server)).open(GAMES);
  expect(text).toContain('does not make skins with game accounts');
  expect(text).not.toContain('Link an account');
});

test('The restrictions of a key are collapsed unless it has some', async () => {
  const server = await runServer();
  await server.owner.json('/v2/account/keys', { name: 'office', allowedIps: ['127.0.0.0/8'] });
  const { text } = await (await signedIn(server)).open(KEYS);
  const folds = [...text.matchAll(/<details( open)?><summary>Restrict to/g)].map(([, open]) => open);
  expect(folds.filter((open) => open === ' open')).toHaveLength(1);
  expect(folds.length).toBeGreaterThan(1);
  expect(folds.at(-1)).toBeUndefined(); // the form of a new key
});

const DELETE = '/ui/account/delete';

/** A user with a public, an unlisted and a private skin, and a browser of theirs. */
async function bobAndSkins(server: ServerUnderTest) {
  await server.owner.json('/v2/account/users', { name: 'bob', plan: 'pro' });
  const key = await secretOf(server, { user: 'bob' });
  const bob = new TestCaller(server.url, { key });
  const uuids: string[] = [];
  for (const [index, visibility] of ['public', 'unlisted', 'private'].entries()) {
    const { body } = await bob.upload('/v2/queue', skinPng(index), { name: `skin-${index}`, visibility });
    const done = await poll(
      async () => (await bob.get(`/v2/queue/${body.job?.id}`)).body,
      ({ job }) => job?.status === 'completed',
    );
    uuids.push(String(done.skin?.uuid));
  }
  const set = await bob.json('/v2/sets', { name: 'Mine', skins: uuids, visibility: 'private' });
  expect(set.status).toBe(201);
  return { bob, key, uuids, browser: await signedIn(server, key) };
}

/** How many rows of each table are of the user with this ID. */
async function rowsOf({ dataDir }: ServerUnderTest, id: string): Promise<Record<string, number>> {
  const { db } = await openOwnStore(dataDir);
  const counts: Record<string, number> = {};
  for (const [table, column, value] of [
    ['users', 'id', id],
    ['api_keys', 'user_id', id],
    ['sessions', 'user_id', id],
    ['jobs', 'owner', `user:${id}`],
    ['callers', 'owner', `user:${id}`],
    ['sets', 'owner', `user:${id}`],
  ] as const) {
    const rows = await db.selectFrom(table).selectAll().where(db.dynamic.ref(column), '=', value).execute();
    counts[table] = rows.length;
  }
  return counts;
}

test('People delete their account after typing its name: keys, sessions, jobs, sets and all skins go', async () => {
  const server = await runServer();
  const { bob, key, uuids, browser } = await bobAndSkins(server);
  const { user } = (await bob.get('/v2/account/me')).body;
  expect((await browser.open('/ui/account')).text).toContain(`href="${DELETE}"`);
  const { text } = await browser.open(DELETE);
  expect(text).toContain('What should happen to your skins that others can see: 1 public, 1 unlisted?');
  for (const form of [fields(['confirm', 'Bob'], ['shared', 'delete']), fields(['confirm', 'bob'])])
    expect((await browser.open(DELETE, { form })).status).toBe(400);
  const again = await browser.open(DELETE, { form: { confirm: 'Bob', shared: 'leave' } });
  expect(again.text.match(/value="\w+"[^>]* checked/g)).toEqual(['value="leave" checked']);
  expect((await bob.get('/v2/me')).status).toBe(200);
  const gone = await browser.open(DELETE, { form: { confirm: 'bob', shared: 'delete' } });
  expect(gone.headers.get('location')).toBe('/ui/account/deleted');
  expect(browser.cookie).toBeUndefined();
  const shown = await browser.open('/ui/account/deleted');
  expect([shown.status, shown.text.includes('bob')]).toEqual([200, false]);
  expect((await bob.get('/v2/me')).status).toBe(403);
  expect((await new PlainBrowser(server.url).signIn(key)).status).not.toBe(303);
  for (const uuid of uuids) expect((await server.owner.get(`/v2/skins/${uuid}`)).status).toBe(404);
  expect(await rowsOf(server, String(user))).toEqual({
    ...{ users: 0, api_keys: 0, sessions: 0, jobs: 0, callers: 0, sets: 0 },
  });
  // The name is free again.
  expect((await server.owner.json('/v2/account/users', { name: 'bob' })).status).toBe(201);
});

test('Skins that others can see may stay after their account is gone, without a name and without an owner', async () => {
  const server = await runServer();
  const { uuids, browser } = await bobAndSkins(server);
  await browser.open(DELETE, { form: { confirm: 'bob', shared: 'leave' } });
  const left = await Promise.all(uuids.map(async (uuid) => await server.owner.get(`/v2/skins/${uuid}`)));
  expect(left.map(({ status }) => status)).toEqual([200, 200, 404]);
  expect(left[0]?.body.skin).toMatchObject({ name: null, visibility: 'public' });
  expect((await server.owner.get('/v2/skins?filter=skin')).body.skins).toEqual([]);
});

test('A name is shown with public skins and sets of users who wish it, and with nothing else', async () => {
  const server = await runServer();
  const operator = await signedIn(server);
  const key = await secretOf(server, { user: 'zelda', scopes: ['read', 'generate', 'skins', 'account'] });
  const zelda = new TestCaller(server.url, { key });
  const browser = await signedIn(server, key);
  const skins = [];
  for (const [number, visibility] of (['public', 'unlisted'] as const).entries()) {
    const { body } = await zelda.upload('/v2/generate', skinPng(number), { visibility });
    skins.push(String(body.skin?.uuid));
  }
  const sets = [];
  for (const visibility of ['public', 'unlisted'] as const) {
    const { body } = await zelda.json('/v2/sets', { name: `the ${visibility}`, visibility, skins });
    sets.push(String(body.set?.uuid));
  }
  const kinds = {
    'public skin': `/ui/skins/${skins[0]}`,
    'unlisted skin': `/ui/skins/${skins[1]}`,
    'public set': `/ui/sets/${sets[0]}`,
    'unlisted set': `/ui/sets/${sets[1]}`,
  };
  const readers = { visitor: new PlainBrowser(server.url), zelda: browser, operator };
  const shownIn = async (reader: PlainBrowser) => {
    const shown: string[] = [];
    for (const [kind, address] of Object.entries(kinds)) {
      const { status, text } = await reader.open(address);
      expect(status).toBe(200);
      if (/<bdi>zelda<\/bdi>/.test(text.slice(text.indexOf('<main')))) shown.push(kind);
    }
    return shown;
  };
  expect(await shownIn(readers.visitor)).toEqual([]);
  const wish = async (form: Record<string, string>) => {
    const saved = await browser.open('/ui/account/name', { form });
    expect([saved.status, saved.headers.get('location')]).toEqual([303, '/ui/account?saved=yes']);
    return (await browser.open('/ui/account?saved=yes')).text;
  };
  expect(await wish({ shown: 'on' })).toMatch(/name="shown" value="on" checked>/);
  for (const reader of Object.values(readers))
    expect(await shownIn(reader)).toEqual(['public skin', 'public set']);
  expect((await server.anonymous().get(`/v2/skins/${skins[0]}`)).bytes.toString()).not.toContain('zelda');

  await server.owner.patch('/v2/account/users/zelda', { disabled: true });
  expect(await shownIn(readers.visitor)).toEqual([]);
  await server.owner.patch('/v2/account/users/zelda', { disabled: false });
  await browser.signIn(key);
  await server.owner.patch(`/v2/account/skins/${skins[0]}`, { hidden: true });
  expect((await browser.open(kinds['public skin'])).text).not.toContain('<dt>Owner</dt>');
  await server.owner.patch(`/v2/account/skins/${skins[0]}`, { hidden: false });
  expect(await wish({})).not.toContain('checked>');
  expect(await shownIn(readers.visitor)).toEqual([]);

  await wish({ shown: 'on' });
  await browser.open(DELETE, { form: { confirm: 'zelda', shared: 'leave' } });
  expect((await readers.visitor.open(kinds['public skin'])).text).not.toContain('zelda');
});

test('Neither the owner nor the last operator can delete their account', async () => {
  const server = await runServer();
  const owner = await signedIn(server);
  expect((await owner.open(DELETE)).text).toContain('The service makes this account at each start');
  const refused = await owner.open(DELETE, { form: { confirm: 'owner', shared: 'delete' } });
  expect([refused.status, (await server.owner.get('/v2/me')).status]).toEqual([400, 200]);
  const key = await secretOf(server, { user: 'bob' });
  const { db } = await openOwnStore(server.dataDir);
  await changeUser(db, 'bob', { role: 'operator' });
  await changeUser(db, 'owner', { disabled_at: 1 });
  const bob = await signedIn(server, key);
  expect((await bob.open(DELETE)).text).toContain('You are the last operator');
  expect((await bob.open(DELETE, { form: { confirm: 'bob' } })).status).toBe(400);
  await changeUser(db, 'owner', { disabled_at: null });
  expect((await bob.open(DELETE, { form: { confirm: 'bob' } })).status).toBe(303);
});
