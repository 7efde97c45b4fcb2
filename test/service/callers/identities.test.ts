import { expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { startSession } from '../../../src/server/service/sessions.ts';
import { findUserByName } from '../../../src/server/store/sessions.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { ISSUER, linkIdentity } from '../../support/server/linked-identity.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import { expectRefusal, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const PATH = '/v2/account/identities';

interface Listed {
  readonly id: string;
  readonly subject: string;
}

async function identitiesOf(caller: TestCaller, user?: string): Promise<Listed[]> {
  const { status, bytes } = await caller.get(user === undefined ? PATH : `${PATH}?user=${user}`);
  expect(status).toBe(200);
  return (JSON.parse(bytes.toString()) as { identities: Listed[] }).identities;
}

/** Browsers in which a user without a key is signed in, as a provider does it. */
async function browsersOf({ dataDir, url }: ServerUnderTest, name: string, count: number) {
  const { db } = await openOwnStore(dataDir);
  const user = await findUserByName(db, name);
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const whose = { user_id: user!.id, key_id: null };
      const secret = await startSession({ db, clock: systemClock }, whose, { agents: [] });
      return Object.assign(new PlainBrowser(url), { cookie: `skinsmith=${secret}` });
    }),
  );
}

const isSignedIn = async (browser: PlainBrowser) => (await browser.open('/ui/account')).status === 200;

test('A user sees the linked identities, and unlinks one of them', async () => {
  const server = await runServer();
  const anna = await server.user('anna');
  await linkIdentity(server, 'anna', 'anna@work');
  await linkIdentity(server, 'anna', 'anna@home');
  const [home, work, ...others] = await identitiesOf(anna);
  expect([home, work, others]).toMatchObject([
    { subject: 'anna@home', issuer: ISSUER, createdAt: '1970-01-01T00:00:00.000Z', isLastWay: false },
    { subject: 'anna@work' },
    [],
  ]);
  expect((await anna.send('DELETE', `${PATH}/${home?.id}`)).status).toBe(200);
  expect((await identitiesOf(anna)).map(({ subject }) => subject)).toEqual(['anna@work']);
  expectRefusal(await anna.send('DELETE', `${PATH}/${home?.id}`), 'not_found');
});

test('Operators manage identities of other users, and the log records it', async () => {
  const server = await runServer();
  const bob = await server.user('bob');
  await server.user('anna');
  await linkIdentity(server, 'anna', 'anna@work');
  const [{ id } = { id: '' }] = await identitiesOf(server.owner, 'anna');
  expectRefusal(await bob.get(`${PATH}?user=anna`), 'insufficient_grants');
  expectRefusal(await bob.send('DELETE', `${PATH}/${id}?user=anna`), 'insufficient_grants');
  expectRefusal(await bob.send('DELETE', `${PATH}/${id}`), 'not_found');
  expectRefusal(await server.owner.get(`${PATH}?user=nobody`), 'user_not_found');
  expectRefusal(await server.owner.send('DELETE', `${PATH}/${id}?user=nobody`), 'user_not_found');
  expect((await server.owner.send('DELETE', `${PATH}/${id}?user=anna`)).status).toBe(200);
  expect(await identitiesOf(server.owner, 'anna')).toEqual([]);
  const log = (await server.owner.get('/v2/account/log')).bytes.toString();
  expect(log).toMatch(/"action":"unlink_identity","subject":"anna"/);
});

test('The only sign-in is unlinked only after confirmation', async () => {
  const server = await runServer();
  await server.owner.json('/v2/account/users', { name: 'bert' });
  await linkIdentity(server, 'bert', 'bert');
  const bound = { user: 'bert', allowedIps: ['192.0.2.1'] };
  expect((await server.owner.json('/v2/account/keys', bound)).status).toBe(201);
  const [only] = await identitiesOf(server.owner, 'bert');
  expect(only).toMatchObject({ isLastWay: true });
  const refused = await server.owner.send('DELETE', `${PATH}/${only?.id}?user=bert`);
  expectRefusal(refused, 'invalid_request');
  expect(refused.bytes.toString()).toContain('This is the only way for bert to sign in');
  expect(await identitiesOf(server.owner, 'bert')).toHaveLength(1);
  expect((await server.owner.send('DELETE', `${PATH}/${only?.id}?user=bert&last=yes`)).status).toBe(200);
  expect(await identitiesOf(server.owner, 'bert')).toEqual([]);
});

test('Unlinking on the page asks for confirmation, and ends other sessions that did not begin with a key', async () => {
  const server = await runServer();
  await server.owner.json('/v2/account/users', { name: 'bert' });
  await linkIdentity(server, 'bert', 'bert <b>');
  const [browser, other] = await browsersOf(server, 'bert', 2);
  const { text } = await browser!.open('/ui/sessions');
  expect(text).toContain('bert &lt;b&gt;');
  const [path = ''] = /\/ui\/account\/identities\/[0-9a-f]{24}\/unlink/.exec(text) ?? [];
  const asked = await browser!.open(path, { form: {} });
  expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('You have no other way')]);
  expect(asked.text).toContain('bert &lt;b&gt;');
  expect([await isSignedIn(other!), (await identitiesOf(server.owner, 'bert')).length]).toEqual([true, 1]);
  const unlinked = await browser!.open(path, { form: { last: 'yes' } });
  expect([unlinked.status, unlinked.headers.get('location')]).toEqual([303, '/ui/sessions']);
  expect([await isSignedIn(browser!), await isSignedIn(other!)]).toEqual([true, false]);
  expect((await browser!.open('/ui/sessions')).text).not.toContain('Accounts that sign you in');
});

test('An operator unlinks the identity of a user on the page of that user', async () => {
  const server = await runServer();
  await server.owner.json('/v2/account/users', { name: 'bert' });
  await linkIdentity(server, 'bert', 'bert@work');
  const operator = new PlainBrowser(server.url);
  await operator.signIn(server.key);
  const { text } = await operator.open('/ui/operator/users/bert');
  const [path = ''] = /\/ui\/operator\/users\/bert\/identities\/[0-9a-f]{24}\/unlink/.exec(text) ?? [];
  expect((await operator.open(path, { form: {} })).text).toContain('This user has no other way');
  const unlinked = await operator.open(path, { form: { last: 'yes' } });
  expect(unlinked.headers.get('location')).toBe('/ui/operator/users/bert');
  expect((await operator.open('/ui/operator/users/bert')).text).not.toContain('bert@work');
  const bert = new PlainBrowser(server.url);
  const { body } = await server.owner.json('/v2/account/keys', { user: 'bert' });
  await bert.signIn(body.key?.secret);
  expect((await bert.open(path, { form: { last: 'yes' } })).status).toBe(403);
});
