import { expect, test } from 'vitest';
import { nameIn, newcomer, signIn, userNamed, world } from '../../support/openid/provider-world.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { guardAgainstLeaks } from '../../support/server/running-server.ts';
import { TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

test('Claims decide the plan and the operator role at each sign-in', async () => {
  const at = await world({
    planClaim: 'groups',
    operatorClaim: { claim: 'realm.roles', value: 'skins-admin' },
  });
  at.provider.claims = {
    sub: 'p',
    nickname: 'anna',
    groups: ['staff', 'pro'],
    realm: { roles: ['skins-admin'] },
  };
  await newcomer(at);
  expect(await userNamed(at, 'anna')).toMatchObject({ plan: 'pro', role: 'operator' });
  at.provider.claims = { sub: 'p', groups: 'plus', realm: { roles: 'none' } };
  await signIn(at, new PlainBrowser(at.server.url));
  expect(await userNamed(at, 'anna')).toMatchObject({ plan: 'plus', role: 'user' });
  at.provider.claims = { sub: 'p' };
  await signIn(at, new PlainBrowser(at.server.url));
  expect(await userNamed(at, 'anna')).toMatchObject({ plan: 'free', role: 'user' });
});

test('A key with the scope operator can still be changed and revoked when its user is no operator any more', async () => {
  const at = await world({ operatorClaim: { claim: 'admin', value: undefined } });
  at.provider.claims = { sub: 'p', nickname: 'anna', admin: true };
  await newcomer(at);
  const { owner } = at.server;
  const made = await owner.json('/v2/account/keys', { user: 'anna', scopes: ['account', 'operator'] });
  const anna = new TestCaller(at.server.url, { key: made.body.key?.secret });
  at.provider.claims = { sub: 'p', admin: false };
  await signIn(at, new PlainBrowser(at.server.url));
  const path = `/v2/account/keys/${made.body.key?.id}`;
  expect((await owner.patch(path, { allowedIps: ['127.0.0.1'] })).status).toBe(200);
  expect((await owner.patch(path, { scopes: ['operator'] })).status).toBe(403);
  expect((await anna.send('DELETE', path)).status).toBe(200);
  expect((await anna.get('/v2/me')).status).toBe(403);
});

test('Claims that are not set up decide nothing, and the owner keeps everything', async () => {
  const at = await world({ operatorClaim: { claim: 'admin', value: undefined } });
  const browser = await newcomer(at);
  await at.server.owner.patch('/v2/account/users/anna', { plan: 'plus' });
  await signIn(at, browser);
  expect(await userNamed(at, 'anna')).toMatchObject({ plan: 'plus', role: 'user' });
  at.provider.claims = { sub: 'the owner', admin: false };
  const owner = new PlainBrowser(at.server.url);
  await signIn(at, owner);
  await owner.open('/ui/sign-in/first', { form: { key: at.server.key! } });
  expect(await nameIn(owner)).toBe('owner');
  expect(await userNamed(at, 'owner')).toMatchObject({ plan: 'owner', role: 'operator' });
});

test('The operator is warned of a claim that the provider does not list, until a sign-in has it', async () => {
  const at = await world({ planClaim: 'plan', operatorClaim: { claim: 'realm.roles', value: 'admin' } });
  at.provider.lists = ['sub', 'plan'];
  const findings = async () => (await at.server.owner.get('/v2/account/doctor')).body.openId?.findings;
  expect(await findings()).toEqual([
    {
      code: 'claim_not_listed',
      result: 'warning',
      message: expect.stringContaining('claim realm.roles among those that it sends'),
    },
    expect.objectContaining({ code: 'provider_answers', result: 'ok' }),
  ]);
  at.provider.claims = { sub: 'p', nickname: 'anna', realm: { roles: ['admin'] } };
  await newcomer(at);
  expect(await findings()).toEqual([expect.objectContaining({ code: 'provider_answers' })]);
});

test('Claims that the ID token lacks are requested from the provider', async () => {
  const at = await world({ planClaim: 'groups' });
  at.provider.userInfo = { groups: ['pro'] };
  await newcomer(at);
  expect(await userNamed(at, 'anna')).toMatchObject({ plan: 'pro' });
  expect(at.provider.asked).toContain('/userinfo');
});

test('The signed ID token takes precedence over the answer of a request', async () => {
  const at = await world({ planClaim: 'groups', operatorClaim: { claim: 'admin', value: undefined } });
  at.provider.claims = { sub: 'p', preferred_username: 'anna', admin: false };
  at.provider.userInfo = { groups: ['pro'], preferred_username: 'eve', admin: true };
  await newcomer(at);
  expect(await userNamed(at, 'anna')).toMatchObject({ plan: 'pro', role: 'user' });
});

test.each([
  ['of someone else', { sub: 'another', groups: ['pro'] }, 502],
  ['that do not come', undefined, 503],
])('Claims %s are refused', async (_what, userInfo, status) => {
  const at = await world({ planClaim: 'groups' });
  at.provider.userInfo = userInfo ?? {};
  at.provider.refusesTokens = userInfo === undefined;
  const browser = new PlainBrowser(at.server.url);
  expect((await signIn(at, browser)).status).toBe(status);
  expect((await browser.open('/ui/sign-in/first', { form: {} })).status).toBe(403);
});

test('A person without a required claim is refused', async () => {
  const at = await world({ requiredClaim: { claim: 'groups', value: 'skins' } });
  const browser = new PlainBrowser(at.server.url);
  const refused = await signIn(at, browser);
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('You are not allowed to use this server');
  at.provider.claims = { sub: 'person-1', groups: ['skins'] };
  expect((await signIn(at, browser)).headers.get('location')).toBe('/ui/sign-in/first');
});

test.each([
  ['for another request', { nonce: 'another' }],
  ['for another client', { aud: 'another' }],
  ['of another issuer', { iss: 'http://127.0.0.1:1' }],
  ['that has expired', { exp: 1 }],
  ['from the future', { iat: 4_000_000_000, nbf: 4_000_000_000 }],
  ['about nobody', { sub: undefined }],
])('An ID token %s is refused', async (_what, wrongClaims) => {
  const at = await world();
  at.provider.wrongClaims = wrongClaims;
  const browser = new PlainBrowser(at.server.url);
  const { status, text } = await signIn(at, browser);
  expect(status).toBe(502);
  expect(text).toContain('Example sent an invalid answer');
  expect((await browser.open('/ui/sign-in/first', { form: {} })).status).toBe(403);
  expect(await nameIn(browser)).toBeUndefined();
});

test('An ID token with a foreign signature signs no one in', async () => {
  const at = await world();
  at.provider.signsWrongly = true;
  const browser = new PlainBrowser(at.server.url);
  expect((await signIn(at, browser)).status).toBe(502);
  expect(await nameIn(browser)).toBeUndefined();
});

test('No claim gives the plan of the owner, and nobody without a subject signs in', async () => {
  const at = await world({ planClaim: 'plan' });
  at.provider.claims = { sub: 'person-1', preferred_username: 'anna', plan: ['owner', 'pro'] };
  await newcomer(at);
  expect(await userNamed(at, 'anna')).toMatchObject({ plan: 'pro' });
  at.provider.claims = { sub: '', preferred_username: 'anna' };
  expect((await signIn(at, new PlainBrowser(at.server.url))).status).toBe(502);
});
