import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../src/cli/doctor/checks.ts';
import { NOT_FOUND, servedPatient } from '../../support/cli/setup.ts';
import type { Exchange } from '../../support/client/scripted-server.ts';

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
