import { expect, test } from 'vitest';
import { VERSION } from '../../../src/base/version.ts';
import { bodyOf, expectOldRefusal } from '../../support/http/v1/old-format.ts';
import { dataUrl, skinPng } from '../../support/server/drawn-skins.ts';
import { LogLines } from '../../support/server/log-lines.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const KEY = `sksm_${'0'.repeat(64)}`;

test.each([
  ['Optional', `Bearer Optional[${KEY}]`, /Optional/],
  ['a doubled Bearer', `Bearer Bearer ${KEY}`, /twice/],
  ['quotes', `Bearer "${KEY}"`, /quotes/],
  ['a space inside', `Bearer ${KEY.slice(0, 20)} ${KEY.slice(20)}`, /space/],
  ['brackets', `Bearer <${KEY}>`, /brackets/],
])(
  'A key mangled with %s gets an explanation, after the words that clients look for',
  async (_, sent, says) => {
    const { owner } = await runServer();
    const refused = await owner.get('/v2/me', { authorization: sent });
    expectRefusal(refused, 'invalid_api_key');
    expect(refused.body.errors.map(({ message }) => message)).toEqual([
      'Invalid API Key',
      expect.stringMatching(says),
    ]);
    const old = expectOldRefusal(await owner.get('/get/delay', { authorization: sent }), 'invalid_api_key');
    expect(old.error).toBe('Invalid API Key');
    expect(old.warnings).toEqual([{ code: 'invalid_api_key', message: expect.stringMatching(says) }]);
  },
);

test('An unknown key is refused in the words of the hosted service, in both versions', async () => {
  const { owner } = await runServer();
  const headers = { authorization: `Bearer ${KEY}` };
  const refused = await owner.get('/v2/me', headers);
  expect(refused.body.errors).toEqual([{ code: 'invalid_api_key', message: 'Invalid API Key' }]);
  const old = expectOldRefusal(await owner.get('/get/delay', headers), 'invalid_api_key');
  expect(old.error).toBe('Invalid API Key');
});

test('A key without the word Bearer is understood, with a warning', async () => {
  const { owner, key } = await runServer();
  const { status, body } = await owner.get('/v2/me', { authorization: String(key) });
  expect([status, body.warnings.map(({ code }) => code)]).toEqual([200, ['deprecated']]);
});

test.each([KEY, 'a-password-of-some-proxy', `Optional[${KEY}]`])(
  'A header of one word that is no key here (%s) counts as none, with a warning',
  async (authorization) => {
    const { anonymous } = await runServer();
    const heard = await anonymous().json('/v2/generate', { url: dataUrl(skinPng(1)) }, { authorization });
    expect([heard.status, heard.body.warnings]).toEqual([
      200,
      [{ code: 'no_api_key', message: expect.stringMatching(/no API key of this service.*Bearer <key>/) }],
    ]);
    expect((await anonymous().get('/get/delay', { authorization })).status).toBe(200);
    const strict = await runServer({ anonymous: false });
    expectRefusal(await strict.anonymous().get('/v2/delay', { authorization }), 'unauthorized');
  },
);

test.each(['Bearer', 'Bearer ', 'Basic dXNlcjpwYXNzd29yZA==', 'Token abc'])(
  'A header without a key (%j) counts as none, with a warning',
  async (authorization) => {
    const { anonymous } = await runServer();
    const heard = await anonymous().json('/v2/queue', { url: dataUrl(skinPng(1)) }, { authorization });
    expect([heard.status, heard.body.warnings]).toEqual([
      202,
      [{ code: 'no_api_key', message: expect.stringMatching(/Authorization: Bearer <key>/) }],
    ]);
    const old = await anonymous().get('/get/delay', { authorization });
    expect(old.status).toBe(200);
    expectRefusal(await anonymous().get('/v2/me/skins', { authorization }), 'unauthorized');
  },
);

test('A key in the query is understood by version 1 with a warning but not by version 2, and is never logged', async () => {
  const log = new LogLines();
  const { anonymous, owner, key } = await runServer({ logStream: log, logLevel: 'debug' });
  const made = await anonymous().upload(`/generate/upload?key=${key}`, skinPng(1));
  expect([made.status, bodyOf(made)]).toMatchObject([
    200,
    {
      warnings: [{ code: 'deprecated', message: expect.stringContaining('address') }, { code: 'deprecated' }],
    },
  ]);
  expect((await owner.get('/v2/me/skins')).body.skins).toHaveLength(1);
  const refused = await anonymous().upload(`/generate/upload?key=${KEY}`, skinPng(2));
  expectOldRefusal(refused, 'invalid_api_key');
  expectRefusal(await anonymous().get(`/v2/me?key=${key}`), 'user_not_found');
  expect(log.text).toContain('/generate/upload');
  expect(log.text).not.toMatch(new RegExp(`${key}|${KEY}|key=`));
});

test.each(['Bearer', 'Basic dXNlcjpwYXNzd29yZA=='])(
  'A key in the query is understood beside a header without one (%j)',
  async (authorization) => {
    const { anonymous, owner, key } = await runServer();
    const url = dataUrl(skinPng(1));
    const made = await anonymous().json(`/generate/url?key=${key}`, { url }, { authorization });
    expect([made.status, bodyOf(made)]).toMatchObject([
      200,
      {
        warnings: [
          { code: 'deprecated', message: expect.stringContaining('address') },
          { code: 'deprecated' },
        ],
      },
    ]);
    expect((await owner.get('/v2/me/skins')).body.skins).toHaveLength(1);
  },
);

test('Answers have the headers that clients read: server, breadcrumb, and the delay of version 1', async () => {
  const { user } = await runServer({ clock: new MovableClock() });
  const bob = await user('bob');
  for (const path of ['/v2/me', '/v2/nothing', '/health', '/get/delay']) {
    const { headers } = await bob.get(path);
    expect(headers['mineskin-server']).toBe('skinsmith');
    expect(headers['mineskin-breadcrumb']).toMatch(/^[0-9a-f]{8}$/);
    expect(headers['mineskin-version']).toBe(`skinsmith-${VERSION}`);
    expect(headers['mineskin-api-version']).toBe(path === '/get/delay' ? 'v1' : 'v2');
    expect(headers['mineskin-api-deprecated']).toBe(path === '/get/delay' ? 'true' : undefined);
    const [server, breadcrumb] =
      path === '/get/delay' ? [headers['mineskin-server'], headers['mineskin-breadcrumb']] : [];
    expect([headers['x-mineskin-server'], headers['x-mineskin-breadcrumb']]).toEqual([server, breadcrumb]);
  }
  const delay = { 'mineskin-delay': '1', 'mineskin-delay-seconds': '1', 'mineskin-delay-millis': '1000' };
  for (const status of [200, 429]) {
    const heard = await bob.upload('/generate/upload', skinPng(status));
    expect(heard).toMatchObject({ status, headers: delay });
  }
  const noPicture = await bob.upload('/generate/upload', Buffer.from('no picture'));
  expect(noPicture).toMatchObject({ status: 400, headers: delay });
});
