import { expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { makeLink, startSession } from '../../../src/server/service/sessions.ts';
import { findUserByName } from '../../../src/server/store/sessions.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';

guardAgainstLeaks();

async function signedIn(server: ServerUnderTest): Promise<PlainBrowser> {
  const browser = new PlainBrowser(server.url);
  expect((await browser.signIn(server.key)).status).toBe(303);
  return browser;
}

/** Whether the browser's session is one. */
async function isSignedIn(browser: PlainBrowser): Promise<boolean> {
  return (await browser.open('/ui/sessions')).status === 200;
}

test('A key that is pasted once signs in, until the person signs out', async () => {
  const server = await runServer();
  const browser = await signedIn(server);
  const { text } = await browser.open('/ui/sessions');
  expect(text).toContain('Firefox on Linux');
  expect(text).not.toContain(server.key);
  const { cookie } = browser;
  await browser.open('/ui/sign-out', { form: {} });
  expect(browser.cookie).toBeUndefined();
  browser.cookie = cookie;
  expect(await isSignedIn(browser)).toBe(false);
});

test('A wrong key is reported on the page, and signs no one in', async () => {
  const { url } = await runServer();
  const browser = new PlainBrowser(url);
  const { status, text } = await browser.signIn('sksm_wrong_wrong_wrong');
  expect(status).toBe(403);
  expect(text).toContain('This API key is not valid here');
  expect(browser.cookie).toBeUndefined();
});

test('The cookie is for this host and its pages only, and for https where the public address has it', async () => {
  const cookieOf = async (publicUrl: string, headers: Record<string, string> = {}) => {
    const { url, key } = await runServer({ publicUrl });
    const answer = await new PlainBrowser(url).open('/ui/sign-in', { form: { key: key! }, headers });
    return answer.headers.get('set-cookie');
  };
  const secure = /^__Host-skinsmith=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/;
  expect(await cookieOf('http://skins.example.org')).toMatch(
    /^skinsmith=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
  );
  expect(await cookieOf('https://skins.example.org')).toMatch(secure);
  expect(await cookieOf('http://skins.example.org', { 'x-forwarded-proto': 'https' })).toMatch(secure);
});

test('The session ends with its key, and with its user', async () => {
  const server = await runServer();
  const anna = await server.owner.json('/v2/account/keys', { user: 'anna' });
  const browser = new PlainBrowser(server.url);
  await browser.signIn(anna.body.key?.secret);
  expect(await isSignedIn(browser)).toBe(true);
  await server.owner.send('DELETE', `/v2/account/keys/${anna.body.key?.id}`);
  expect(await isSignedIn(browser)).toBe(false);

  const bert = await server.owner.json('/v2/account/keys', { user: 'bert' });
  await browser.signIn(bert.body.key?.secret);
  expect(await isSignedIn(browser)).toBe(true);
  await server.owner.patch('/v2/account/users/bert', { disabled: true });
  expect(await isSignedIn(browser)).toBe(false);
  await server.owner.patch('/v2/account/users/bert', { disabled: false });
  expect(await isSignedIn(browser)).toBe(false);
});

test('A session ends after 30 days', async () => {
  const clock = new MovableClock();
  const browser = await signedIn(await runServer({ clock }));
  clock.forward(30 * 24 * 3_600_000 - 1);
  expect(await isSignedIn(browser)).toBe(true);
  clock.forward(1);
  expect(await isSignedIn(browser)).toBe(false);
});

test('Users can end their own sessions elsewhere, but not those of others', async () => {
  const server = await runServer();
  const [here, there] = [await signedIn(server), await signedIn(server)];
  const { text } = await here.open('/ui/sessions');
  const other = text.split('<li').find((row) => row.includes('/end') && !row.includes('this browser'));
  const end = /action="([^"]+)"/.exec(other ?? '')?.[1] ?? '';
  const anna = await server.owner.json('/v2/account/keys', { user: 'anna' });
  const annas = new PlainBrowser(server.url);
  await annas.signIn(anna.body.key?.secret);
  expect((await annas.open(end, { form: {} })).status).toBe(404);
  expect(await isSignedIn(there)).toBe(true);
  expect((await here.open(end, { form: {} })).status).toBe(303);
  expect(await isSignedIn(there)).toBe(false);
  expect(await isSignedIn(here)).toBe(true);
});

test('Users can end all their other sessions at once', async () => {
  const server = await runServer();
  const [here, ...others] = [await signedIn(server), await signedIn(server), await signedIn(server)];
  expect((await here.open('/ui/sessions')).text).toContain('End all others');
  const narrow = await narrowlySignedIn(server);
  expect((await narrow.open('/ui/sessions/end-others', { form: {} })).status).toBe(403);
  await here.open('/ui/sessions/end-others', { form: {} });
  expect(await Promise.all([here, ...others, narrow].map(isSignedIn))).toEqual([true, false, false, false]);
  expect((await here.open('/ui/sessions')).text).not.toContain('End all others');
});

test('Signed-in people can sign in as another user, or go on', async () => {
  const server = await runServer();
  const browser = await signedIn(server);
  const { status, text } = await browser.open('/ui/sign-in');
  expect([status, text.includes('You are signed in as <strong><bdi>owner</bdi></strong>')]).toEqual([
    200,
    true,
  ]);
  const next = await browser.open('/ui/sign-in?next=%2Fui%2Faccount');
  expect(next.headers.get('location')).toBe('/ui/account');
});

/** A browser that is signed in with a key of the owner's that has only this scope. */
async function narrowlySignedIn(server: ServerUnderTest): Promise<PlainBrowser> {
  const { body } = await server.owner.json('/v2/account/keys', { user: 'owner', scopes: ['generate'] });
  const browser = new PlainBrowser(server.url);
  expect((await browser.signIn(body.key?.secret)).status).toBe(303);
  return browser;
}

const endings = (text: string) => [...text.matchAll(/action="([^"]+\/end)"/g)].map(([, path]) => path!);

test('A key without the scope account shows and ends its own session only', async () => {
  const server = await runServer();
  const [whole, narrow] = [await signedIn(server), await narrowlySignedIn(server)];
  const { text } = await narrow.open('/ui/sessions');
  const own = endings(text);
  expect([own.length, text.includes('has the permission account')]).toEqual([1, true]);
  const all = await whole.open('/ui/sessions');
  expect([endings(all.text).length, all.text.includes('has the permission account')]).toEqual([2, false]);
  const other = endings(all.text).find((path) => path !== own[0])!;
  expect((await narrow.open(other, { form: {} })).status).toBe(403);
  expect(await isSignedIn(whole)).toBe(true);
  expect((await narrow.open(own[0]!, { form: {} })).status).toBe(303);
  expect([await isSignedIn(whole), await isSignedIn(narrow)]).toEqual([true, false]);
});

test('A key that signs in very often ends its own oldest sessions, but not those of other keys', async () => {
  const clock = new MovableClock();
  const server = await runServer({ clock });
  const whole = await signedIn(server);
  clock.forward(1);
  const first = await narrowlySignedIn(server);
  const { db } = await openOwnStore(server.dataDir);
  const { key_id } = await db
    .selectFrom('sessions')
    .select('key_id')
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  expect(key_id).not.toBeNull();
  const user = await findUserByName(db, 'owner');
  for (let count = 0; count < 50; count++) {
    clock.forward(1);
    await startSession({ db, clock }, { user_id: user!.id, key_id }, { agents: ['x'] });
  }
  expect(await isSignedIn(first)).toBe(false);
  expect(await isSignedIn(whole)).toBe(true);
  expect(endings((await whole.open('/ui/sessions')).text)).toHaveLength(51);
});

test.each([
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
])('A form that another site sends does nothing: %j', async (headers) => {
  const server = await runServer();
  const browser = await signedIn(server);
  expect((await browser.open('/ui/sign-out', { form: {}, headers })).status).toBe(403);
  expect((await browser.open('/ui/sign-in', { form: { key: server.key! }, headers })).status).toBe(403);
  expect(await isSignedIn(browser)).toBe(true);
});

test('Where browsers do not say which site sends a form, its origin counts', async () => {
  const server = await runServer();
  const send = async (headers: Record<string, string>) =>
    (await fetch(`${server.url}/ui/sign-out`, { method: 'POST', headers, redirect: 'manual' })).status;
  expect(await send({ origin: server.url })).toBe(303);
  for (const headers of [{}, { origin: 'null' }, { origin: 'http://example.com' }]) {
    expect(await send(headers as Record<string, string>)).toBe(403);
  }
});

test('A form that is sent after the session has ended is kept, and can be sent again', async () => {
  const server = await runServer();
  const browser = await signedIn(server);
  const { uuid } = (await server.owner.upload('/v2/generate', skinPng(1))).body.skin!;
  const [path, form] = [`/ui/skins/${uuid}`, { name: 'Anna', visibility: 'unlisted' }];
  await browser.open('/ui/sign-out', { form: {} });
  const { status, text } = await browser.open(path, { form });
  expect([status, text.includes('in a new tab, then send this form again.')]).toEqual([401, true]);
  expect(text).toContain(`<form class="panel" method="post" action="${path}">`);
  for (const [name, value] of Object.entries(form))
    expect(text).toContain(`<input type="hidden" name="${name}" value="${value}">`);
  await browser.signIn(server.key);
  expect((await browser.open(path, { form })).status).toBe(303);
});

test('The cookie does not count for the API', async () => {
  const server = await runServer();
  const browser = await signedIn(server);
  expect((await browser.open('/v2/me/skins')).status).toBe(401);
});

test('A sign-in link is not used up by a request for its address, nor by a browser that preloads it', async () => {
  const server = await runServer();
  const { db } = await openOwnStore(server.dataDir);
  const user = await db.selectFrom('users').select('id').executeTakeFirstOrThrow();
  const secret = await makeLink({ db, clock: systemClock }, { user_id: user.id, key_id: null });
  const address = `${server.url}/ui/sign-in/link?secret=${secret}`;
  const typed = { 'sec-fetch-site': 'none' };
  const open = async (method: string, headers: Record<string, string>) =>
    (await fetch(address, { method, headers, redirect: 'manual' })).status;
  expect(await open('HEAD', typed)).toBe(200);
  expect(await open('GET', { ...typed, 'sec-purpose': 'prefetch;prerender' })).toBe(200);
  expect(await open('GET', typed)).toBe(303);
});

test('A sign-in link works once', async () => {
  const server = await runServer();
  const { db } = await openOwnStore(server.dataDir);
  const { id } = (await findUserByName(db, 'owner'))!;
  const secret = await makeLink({ db, clock: systemClock }, { user_id: id, key_id: null });
  const browser = new PlainBrowser(server.url);
  const path = `/ui/sign-in/link?secret=${secret}`;
  const asked = await browser.open(path, { headers: { 'sec-fetch-site': 'cross-site' } });
  expect(asked.text).toContain('Sign in with this link?');
  expect(browser.cookie).toBeUndefined();
  expect((await browser.open(path)).status).toBe(303);
  expect(await isSignedIn(browser)).toBe(true);
  const { status, text } = await new PlainBrowser(server.url).open(path);
  expect([status, text.includes('Ask the operator for a new one, or run skinsmith open again.')]).toEqual([
    410,
    true,
  ]);
});
