import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { FakeProvider } from '../../support/openid/fake-provider.ts';
import {
  backFrom,
  begin,
  LOOPBACK,
  nameIn,
  newcomer,
  signIn,
  userNamed,
  world,
} from '../../support/openid/provider-world.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

test('A person identified by the provider becomes a new user, and is known afterwards', async () => {
  const at = await world();
  const { text } = await new PlainBrowser(at.server.url).open('/ui/sign-in');
  expect(text).toContain(`href="${at.server.url}/ui/sign-in/provider">Sign in with Example<`);
  const first = await newcomer(at);
  expect(await nameIn(first)).toBe('anna');
  const again = new PlainBrowser(at.server.url);
  expect((await signIn(at, again)).headers.get('location')).toBe('/ui/');
  expect(await nameIn(again)).toBe('anna');
  expect(await userNamed(at, 'anna')).toMatchObject({ plan: 'free', role: 'user', keys: 0 });
});

test('After signing in, people get to the requested page, also through a first sign-in', async () => {
  const at = await world();
  const browser = new PlainBrowser(at.server.url);
  const { text } = await browser.open('/ui/sign-in?next=%2Fui%2Fjobs');
  const [, link = ''] = /href="[^"]*(\/ui\/sign-in\/provider[^"]*)"/.exec(text) ?? [];
  expect(link).toBe('/ui/sign-in/provider?next=%2Fui%2Fjobs');
  const { headers } = await browser.open(link);
  await browser.open(backFrom(at.provider, String(headers.get('location'))));
  const first = await browser.open('/ui/sign-in/first', { form: {} });
  expect(first.headers.get('location')).toBe('/ui/jobs');
});

test('The request for a sign-in has state, nonce and a code challenge, and no two are the same', async () => {
  const at = await world();
  const browser = new PlainBrowser(at.server.url);
  const [one, other] = [new URL(await begin(browser)), new URL(await begin(browser))];
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(one.searchParams.get(name), name).toMatch(/^[\w-]{43}$/);
    expect(one.searchParams.get(name), name).not.toBe(other.searchParams.get(name));
  }
  expect(one.searchParams.get('redirect_uri')).toBe(`${at.server.url}/ui/sign-in/callback`);
  expect(new Set(one.searchParams.values()).size).toBe(one.searchParams.size);
});

test('People with equal names get different users', async () => {
  const at = await world();
  await at.server.user('anna');
  const browser = await newcomer(at);
  expect(await nameIn(browser)).toBe('anna-2');
  at.provider.claims = { sub: 'person-2', preferred_username: 'owner' };
  expect(await nameIn(await newcomer(at))).toBe('owner-2');
  expect(await userNamed(at, 'owner-2')).toMatchObject({ role: 'user' });
});

test('A store at its ceiling takes no new person, and still takes one who has a user', async () => {
  const at = await world({}, { maxStoreBytes: 1 });
  const browser = new PlainBrowser(at.server.url);
  await signIn(at, browser);
  const refused = await browser.open('/ui/sign-in/first', { form: {} });
  expect(refused.status).toBe(503);
  expect(refused.text).toContain('store is full');
  expect(await nameIn(browser)).toBeUndefined();
  const form = { key: at.server.key! };
  expect((await browser.open('/ui/sign-in/first', { form })).headers.get('location')).toBe('/ui/');
});

test('A person who has a key becomes the user of that key', async () => {
  const at = await world();
  const { body } = await at.server.owner.json('/v2/account/keys', { user: 'bert' });
  const browser = new PlainBrowser(at.server.url);
  await signIn(at, browser);
  const wrong = await browser.open('/ui/sign-in/first', { form: { key: 'sksm_wrong_wrong_wrong' } });
  expect(wrong.status).toBe(403);
  expect(wrong.text).toContain('This key was not accepted');
  const form = { key: String(body.key?.secret) };
  expect((await browser.open('/ui/sign-in/first', { form })).headers.get('location')).toBe('/ui/');
  expect(await nameIn(browser)).toBe('bert');
  const again = new PlainBrowser(at.server.url);
  await signIn(at, again);
  expect(await nameIn(again)).toBe('bert');
});

test.each([{ scopes: ['read', 'account'] }, { allowedIps: ['127.0.0.1'] }])(
  'A key with fewer rights than its user links nobody to that user: %j',
  async (limits) => {
    const at = await world();
    const { body } = await at.server.owner.json('/v2/account/keys', { user: 'bert', ...limits });
    const browser = new PlainBrowser(at.server.url);
    await signIn(at, browser);
    const form = { key: String(body.key?.secret) };
    const { status, text } = await browser.open('/ui/sign-in/first', { form });
    expect(status).toBe(403);
    expect(text).toContain('This key is restricted');
    expect(await nameIn(browser)).toBeUndefined();
  },
);

test('A code works once, in the browser that asked for it', async () => {
  const at = await world();
  const browser = new PlainBrowser(at.server.url);
  const path = backFrom(at.provider, await begin(browser));
  const strange = await new PlainBrowser(at.server.url).open(path);
  expect(strange.status).toBe(403);
  const other = new PlainBrowser(at.server.url);
  await begin(other);
  expect((await other.open(path)).text).toContain('started in another browser');
  expect((await browser.open(path)).status).toBe(303);
  const replayed = await browser.open(path);
  expect(replayed.status).toBe(403);
  expect(replayed.text).toContain('This sign-in was already used');
});

test('With a cookie that the service did not make, nothing is sent to the provider', async () => {
  const at = await world();
  await begin(new PlainBrowser(at.server.url)); // the provider is described by then
  const asked = at.provider.asked.length;
  const secret = randomBytes(32).toString('base64url');
  const state = createHash('sha256').update(`state:${secret}`).digest('base64url');
  const { status } = await fetch(`${at.server.url}/ui/sign-in/callback?code=made-up&state=${state}`, {
    headers: { cookie: `skinsmith-sign-in=${secret}` },
  });
  expect([status, at.provider.asked.length]).toEqual([403, asked]);
});

test('A network can finish at most ten sign-ins a minute', async () => {
  const clock = new MovableClock();
  const at = await world({}, { clock });
  const browser = new PlainBrowser(at.server.url);
  const finish = async () => {
    const back = backFrom(at.provider, await begin(browser));
    return (await browser.open(back.replace(/code=[^&]*/, 'code=no'))).status;
  };
  const statuses = [];
  for (let n = 0; n < 10; n++) statuses.push(await finish());
  expect(new Set(statuses)).toEqual(new Set([403]));
  expect(await finish()).toBe(429);
  clock.forward(60_000);
  expect(await finish()).toBe(403);
});

test('The cookie of a sign-in is deleted after the sign-in', async () => {
  const at = await world();
  const browser = new PlainBrowser(at.server.url);
  await signIn(at, browser);
  const cookiesOf = ({ headers }: { headers: Headers }) =>
    headers.getSetCookie().map((one) => one.split(';', 1)[0]);
  const first = await browser.open('/ui/sign-in/first', { form: {} });
  expect(cookiesOf(first)).toEqual([expect.stringMatching(/^skinsmith=./), 'skinsmith-sign-in=']);
  const again = await signIn(at, browser);
  expect(cookiesOf(again)).toEqual([expect.stringMatching(/^skinsmith=./), 'skinsmith-sign-in=']);
});

test('A person who declines at the provider sees a message', async () => {
  const at = await world();
  const browser = new PlainBrowser(at.server.url);
  const { searchParams } = new URL(await begin(browser));
  const query = new URLSearchParams({
    error: 'access_denied',
    error_description: '<b>no</b>',
    state: searchParams.get('state') ?? '',
    iss: at.provider.url,
  });
  const { status, text } = await browser.open(`/ui/sign-in/callback?${query}`);
  expect(status).toBe(403);
  expect(text).toContain('Signing in with Example failed.');
  expect(text).not.toContain('<b>no');
});

test('While the provider is down, sessions and keys continue and the page says so', async () => {
  const at = await world();
  const anna = await newcomer(at);
  const half = new PlainBrowser(at.server.url);
  const path = backFrom(at.provider, await begin(half));
  at.provider.isDown = true;
  expect((await half.open(path)).status).toBe(503);
  expect(await nameIn(anna)).toBe('anna');
  const other = await runServer({ openId: at.provider.settings(), allowedNetworks: LOOPBACK });
  const browser = new PlainBrowser(other.url);
  const { status, text } = await browser.open('/ui/sign-in/provider');
  expect(status).toBe(503);
  expect(text).toContain('Example is not responding');
  expect((await browser.signIn(other.key)).status).toBe(303);
  at.provider.isDown = false;
  await begin(browser);
});

test('The provider is contacted only where the operator allows, and cannot redirect to another server', async () => {
  const at = await world({}, { allowedNetworks: [] });
  const browser = new PlainBrowser(at.server.url);
  expect((await browser.open('/ui/sign-in/provider')).status).toBe(503);
  expect(at.provider.asked).toEqual([]);
  const allowed = await world();
  const other = await FakeProvider.start();
  allowed.provider.leadsTo = `${other.url}/.well-known/openid-configuration`;
  expect((await new PlainBrowser(allowed.server.url).open('/ui/sign-in/provider')).status).toBe(503);
  expect(other.asked).toEqual([]);
});

test('A disabled user stays out, and the session ends after a day', async () => {
  const clock = new MovableClock();
  const at = await world({}, { clock });
  at.provider.clock = clock;
  const browser = await newcomer(at);
  clock.forward(24 * 3_600_000 - 1);
  expect(await nameIn(browser)).toBe('anna');
  clock.forward(1);
  expect(await nameIn(browser)).toBeUndefined();
  await at.server.owner.patch('/v2/account/users/anna', { disabled: true });
  const { status } = await signIn(at, browser);
  expect(status).toBe(403);
  expect(await nameIn(browser)).toBeUndefined();
});

test('A new person has ten minutes to choose an account', async () => {
  const clock = new MovableClock();
  const at = await world({}, { clock });
  at.provider.clock = clock;
  const browser = new PlainBrowser(at.server.url);
  await signIn(at, browser);
  expect((await browser.open('/ui/sign-in/first')).text).toContain('for the first time');
  clock.forward(10 * 60_000);
  expect((await browser.open('/ui/sign-in/first', { form: {} })).status).toBe(403);
});

test('One node finishes a sign-in that another one began', async () => {
  const at = await world({}, { publicUrl: 'http://skins.example.org' });
  const openId = at.provider.settings();
  const { dataDir, url } = at.server;
  const shared = { openId, allowedNetworks: LOOPBACK, publicUrl: 'http://skins.example.org' };
  const second = await runServer({ ...shared, dataDir });
  const here = new PlainBrowser(url);
  const back = backFrom(at.provider, await begin(here));
  const there = new PlainBrowser(second.url);
  there.signInCookie = here.signInCookie;
  expect((await there.open(back)).headers.get('location')).toBe('/ui/sign-in/first');
  await here.open('/ui/sign-in/first', { form: {} });
  expect(await nameIn(here)).toBe('anna');
});

test('Without a provider, there are no routes for it', async () => {
  const { url } = await runServer();
  const browser = new PlainBrowser(url);
  expect((await browser.open('/ui/sign-in')).text).not.toContain('Sign in with');
  expect((await browser.open('/ui/sign-in/provider')).status).toBe(404);
  expect((await browser.open('/ui/sign-in/callback?code=x&state=y')).status).toBe(403);
});

test('What fails at the provider is logged without tokens and secrets', async () => {
  const lines: string[] = [];
  const logStream = { write: (text: string) => void lines.push(text) };
  const at = await world({}, { logStream, logLevel: 'info' });
  at.provider.wrongClaims = { aud: 'another' };
  const browser = new PlainBrowser(at.server.url);
  const path = backFrom(at.provider, await begin(browser));
  await browser.open(path);
  const log = lines.join('');
  expect(log).toContain('sign-in by OpenID Connect failed');
  expect(log).toContain('aud');
  for (const secret of [new URLSearchParams(path.split('?')[1]).get('code')!, 'a client secret', 'eyJ']) {
    expect(log).not.toContain(secret);
  }
});

test('An answer of the provider is used once, also if the provider accepts its code again', async () => {
  const at = await world();
  await newcomer(at);
  at.provider.isLenient = true;
  const browser = new PlainBrowser(at.server.url);
  const back = backFrom(at.provider, await begin(browser));
  const { signInCookie } = browser;
  const answers = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const again = new PlainBrowser(at.server.url);
      again.signInCookie = signInCookie;
      await again.open(back);
      return again.cookie;
    }),
  );
  expect(answers.filter((cookie) => cookie !== undefined)).toHaveLength(1);
});

test('Failed sign-ins from all networks of a block do not use up the share of others', async () => {
  const at = await world({}, { trustProxy: 'loopback', clock: new MovableClock() });
  const headersOf = (network: string) => ({ 'x-forwarded-for': network });
  const fail = async (network: string) => {
    const browser = new PlainBrowser(at.server.url);
    const back = backFrom(at.provider, await begin(browser)).replace(/code=[^&]*/, 'code=no');
    return (await browser.open(back, { headers: headersOf(network) })).status;
  };
  const statuses: number[] = [];
  for (let n = 0; n < 31; n++) statuses.push(await fail(`2001:db8:0:${n.toString(16)}::1`));
  expect(statuses).toEqual([...Array(30).fill(403), 429]);
  expect(await fail('2001:db8:1::1')).toBe(403);
});
