import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type FactsReader,
  PublicKeyError,
  readAccount,
  readCapeTexture,
  readServiceKey,
  slotsOf,
} from '../../src/dispatch/service-facts.ts';
import { ONE_ATTEMPT } from '../../src/dispatch/session.ts';
import { fingerprintOf } from '../../src/textures/signing-key.ts';
import type { Exchange } from '../support/client/scripted-server.ts';
import { testClient } from '../support/client/test-client.ts';

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();

const DOCUMENT = { meta: {}, skinDomains: [] };
const refusal = (status: number, code: string) => ({
  status,
  json: { success: false, errors: [{ code, message: 'No.' }] },
});
const page = (status: number) => ({ status, text: '<html>' });

async function reader(
  answer: Omit<Exchange, 'expect'>,
  path: string,
  apiKey?: undefined | { readonly apiKey: undefined },
): Promise<FactsReader> {
  const { client } = await testClient([{ ...answer, expect: `GET ${path}` }], apiKey);
  return { client, call: ONE_ATTEMPT };
}

describe('The account', () => {
  test('is what the service says', async () => {
    const json = { success: true, user: 'ab', grants: { queue: 7 } };
    expect(await readAccount(await reader({ json }, '/v2/me'))).toMatchObject({ grants: { queue: 7 } });
  });

  test.each([
    ['404', refusal(404, 'not_found')],
    ['user_not_found', refusal(401, 'user_not_found')],
    ["a web page's 404", page(404)],
  ])('is unknown after %s, and the batch continues', async (_, answer) => {
    expect(await readAccount(await reader(answer, '/v2/me'))).toBeUndefined();
  });

  test('is unknown if a key is required and missing; a refused key is a failure', async () => {
    const answer = refusal(401, 'unauthorized');
    expect(await readAccount(await reader(answer, '/v2/me', { apiKey: undefined }))).toBeUndefined();
    await expect(readAccount(await reader(answer, '/v2/me'))).rejects.toMatchObject({ status: 401 });
  });

  test.each([page(200), page(403), page(502), refusal(500, 'internal_error')])(
    'is not guessed after a temporary failure: %o',
    async (answer) => {
      await expect(readAccount(await reader(answer, '/v2/me'))).rejects.toThrow();
    },
  );

  test('is read again each time the caller repeats a request', async () => {
    const { client } = await testClient([
      { expect: 'GET /v2/me', ...page(502) },
      { expect: 'GET /v2/me', json: { success: true, grants: {} } },
    ]);
    const repeatedly = async <T>(request: () => Promise<T>) => await request().catch(request);
    expect(await readAccount({ client, call: ONE_ATTEMPT, repeatedly })).toEqual({ grants: {} });
  });
});

describe('The key of the service', () => {
  test('is known by its fingerprint, with the hosts of the textures', async () => {
    const json = { ...DOCUMENT, signaturePublickey: pem, skinDomains: ['a.example'] };
    const key = await readServiceKey(await reader({ json }, '/'));
    expect(key).toMatchObject({ fingerprint: fingerprintOf(publicKey), skinDomains: ['a.example'] });
    expect(key.publicKey?.equals(publicKey)).toBe(true);
  });

  test.each([{ json: DOCUMENT }, page(200), page(404), refusal(404, 'not_found')])(
    'is missing if the root shows none: %o',
    async (answer) => {
      const none = { publicKey: undefined, fingerprint: undefined, skinDomains: [] };
      expect(await readServiceKey(await reader(answer, '/'))).toEqual(none);
    },
  );

  test('causes an error with a hint if it is no key', async () => {
    const read = readServiceKey(await reader({ json: { ...DOCUMENT, signaturePublickey: 'AAAA' } }, '/'));
    await expect(read).rejects.toThrow(PublicKeyError);
  });
});

describe('The texture of a cape', () => {
  const cape = {
    uuid: 'ab'.repeat(16),
    alias: 'a',
    url: 'http://textures.example/texture/cc33',
    supported: true,
  };

  test('is named in the list of capes', async () => {
    const capes = { json: { success: true, capes: [cape] } };
    expect(await readCapeTexture(await reader(capes, '/v2/capes'), cape.uuid)).toBe('cc33');
    expect(await readCapeTexture(await reader(capes, '/v2/capes'), 'cd'.repeat(16))).toBeUndefined();
  });

  test('is unknown to a service without capes', async () => {
    expect(await readCapeTexture(await reader(refusal(404, 'no'), '/v2/capes'), cape.uuid)).toBeUndefined();
  });
});

test.each([
  ['nothing said', undefined, undefined, 5],
  ['a queue', { queue: 9 }, undefined, 9],
  ['a small queue', { queue: 2, concurrency: 8 }, undefined, 2],
  ['a high concurrency', { concurrency: 8 }, undefined, 8],
  ['fewer wanted', { queue: 9 }, 3, 3],
  ['more wanted', { queue: 9 }, 30, 9],
])('The number of slots is right with %s', (_, grants, wanted, slots) => {
  expect(slotsOf(grants && { grants }, wanted)).toBe(slots);
});
