import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../src/cli/doctor/checks.ts';
import { errors, makePatient, NOT_FOUND, READY, servedPatient } from '../../support/cli/setup.ts';
import type { Exchange } from '../../support/client/scripted-server.ts';
import { webServer } from '../../support/server/web-server.ts';

const ok = (message: string) => ({ code: 'fine', result: 'ok', message });
const diagnosis = (parts: object = {}): Exchange => ({
  expect: 'GET /v2/account/doctor',
  json: {
    success: true,
    publicUrl: 'http://127.0.0.1:1',
    generator: { kind: 'signing', findings: [ok('It signs.')] },
    store: { findings: [ok('It is sound.')] },
    ...parts,
  },
});
const FOREIGN: Exchange = { expect: 'GET /ready', ...NOT_FOUND };

describe('The check of the textures', () => {
  const publicAt = (publicUrl: string) => [READY, diagnosis({ publicUrl })];

  test('tries where the service says that its textures are', async () => {
    const skinsmith = await webServer((_, response) => response.end(JSON.stringify(READY.json)));
    const other = await webServer((_, response) => response.end('hello'));
    const nowhere = 'http://127.0.0.1:1';
    const rows = [
      [skinsmith.url, 'ok', 'where a skinsmith answers'],
      [other.url, 'problem', 'where another program answers'],
      [nowhere, 'warning', 'where nothing answers from here'],
    ] as const;
    for (const [url, result, words] of rows) {
      const { setup } = await servedPatient(publicAt(url));
      const detail = `New skins say that their textures are at ${url}, ${words}.`;
      expect(await CHECKS.textures.look(setup)).toMatchObject({ result, detail });
    }
    expect(skinsmith.seen.map(({ line }) => line)).toEqual(['GET /ready']);
  });

  test('is content when that is the service itself', async () => {
    const { url } = await webServer((request, response) => {
      const answer =
        request.url === '/ready' ? READY.json : { ...(diagnosis().json as object), publicUrl: url };
      response.end(JSON.stringify(answer));
    });
    const { setup } = await makePatient({ env: { SKINSMITH_BASE_URL: url } });
    expect((await CHECKS.textures.look(setup)).detail).toMatch(/, where the service is\.$/);
  });

  const skin = (url: string) => ({
    uuid: 'aa',
    visibility: 'public',
    variant: 'slim',
    texture: { data: { value: 'v', signature: 's' }, hash: { skin: 'h' }, url: { skin: url } },
  });
  const newest: Exchange = {
    expect: 'GET /v2/skins?size=1',
    json: { success: true, skins: [{ ...skin(''), views: 0, texture: 'h' }] },
  };
  const shown = (url: string): Exchange => ({
    expect: 'GET /v2/skins/aa',
    json: { success: true, skin: skin(url) },
  });

  test('tries that of a public skin where the service does not say, without a key', async () => {
    const pictures = await webServer((_, response) => response.end('picture'));
    const { setup } = await servedPatient([FOREIGN, newest, shown(`${pictures.url}/t`)]);
    expect(await CHECKS.textures.look(setup)).toEqual({
      result: 'ok',
      detail: `That of the newest public skin can be fetched from ${pictures.url}.`,
    });
    expect(pictures.seen[0]?.headers.authorization).toBeUndefined();
  });

  test('finds that one that nobody can reach', async () => {
    const { setup } = await servedPatient([FOREIGN, newest, shown('http://127.0.0.1:1/t')]);
    expect(await CHECKS.textures.look(setup)).toMatchObject({
      result: 'problem',
      detail: expect.stringContaining('http://127.0.0.1:1/t: connection refused'),
    });
  });

  test('is left out where there is none', async () => {
    const none = { expect: 'GET /v2/skins?size=1', json: { success: true, skins: [] } };
    const { setup } = await servedPatient([FOREIGN, none]);
    expect((await CHECKS.textures.look(setup)).result).toBe('skipped');
  });
});

describe('The check of the signatures', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  const rows: [what: string, Omit<Exchange, 'expect'>, result: string, detail: RegExp][] = [
    [
      'a key',
      { json: { meta: {}, skinDomains: [], signaturePublickey: pem } },
      'ok',
      /public key \([0-9a-f]{16}\)/,
    ],
    ['no key', { json: { meta: {}, skinDomains: [] } }, 'ok', /no key of its own/],
    ['a page', { text: '<h1>Hi</h1>' }, 'ok', /no key of its own/],
    ['nothing', NOT_FOUND, 'ok', /no key of its own/],
    [
      'rubbish',
      { json: { meta: {}, skinDomains: [], signaturePublickey: 'x' } },
      'problem',
      /cannot be read as a key/,
    ],
  ];
  test.each(rows)('knows a service that tells %s', async (_, answer, result, detail) => {
    const { setup } = await servedPatient([{ expect: 'GET /', ...answer }]);
    expect(await CHECKS.signature.look(setup)).toMatchObject({
      result,
      detail: expect.stringMatching(detail),
    });
  });
});

describe('The checks of the store and of the generator', () => {
  test('tell what the service says, the worst first and with a hint', async () => {
    const findings = [
      ok('It has a client id.'),
      { code: 'game_limits', result: 'warning', message: 'Too fast.' },
      { code: 'no_accounts', result: 'problem', message: 'No account is linked.' },
    ];
    const { setup } = await servedPatient([READY, diagnosis({ generator: { kind: 'accounts', findings } })]);
    expect(await CHECKS.generator.look(setup)).toEqual({
      result: 'problem',
      detail: 'accounts: No account is linked. Too fast. It has a client id.',
      hint: 'Link one: skinsmith accounts link',
    });
    expect(await CHECKS.store.look(setup)).toEqual({
      result: 'ok',
      detail: 'It is sound.',
      hint: undefined,
    });
  });

  test.each([
    ['another service', FOREIGN, [], /Only a skinsmith service/],
    ['an older skinsmith', READY, [{ expect: 'GET /v2/account/doctor', ...NOT_FOUND }], /Only a skinsmith/],
    [
      'a service of somebody else',
      READY,
      [{ expect: 'GET /v2/account/doctor', status: 403, json: errors('insufficient_grants', 'No.') }],
      /Only the operator/,
    ],
    [
      'a service without a key',
      READY,
      [{ expect: 'GET /v2/account/doctor', status: 401, json: errors('unauthorized', 'No.') }],
      /Only the operator/,
    ],
  ] as const)('are left out for %s', async (_, ready, rest, why) => {
    const { setup } = await servedPatient([ready, ...rest]);
    const found = { result: 'skipped', detail: expect.stringMatching(why) };
    expect(await CHECKS.generator.look(setup)).toEqual(found);
    expect(await CHECKS.store.look(setup)).toEqual(found);
  });

  test('throw what they are refused for otherwise', async () => {
    const refused = { expect: 'GET /v2/account/doctor', status: 500, json: errors('internal_error', 'Oh.') };
    const { setup } = await servedPatient([READY, refused]);
    await expect(CHECKS.store.look(setup)).rejects.toMatchObject({ code: 'internal_error' });
  });
});
