import { generateKeyPairSync } from 'node:crypto';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { isRequired, type RequiredSigner } from '../../../../src/batch/verify-skin.ts';
import { CHECKS } from '../../../../src/cli/doctor/checks.ts';
import { requireSignerOption } from '../../../../src/cli/options/skin-options.ts';
import { fingerprintOf } from '../../../../src/textures/signing-key.ts';
import { NOT_FOUND, servedSetup } from '../../../support/cli/setup.ts';
import type { Exchange } from '../../../support/client/scripted-server.ts';

describe('The check of the signatures', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  const fingerprint = fingerprintOf(publicKey);
  const rows: [what: string, Omit<Exchange, 'expect'>, result: string, detail: RegExp][] = [
    [
      'a key',
      { json: { meta: {}, skinDomains: [], signaturePublickey: pem } },
      'ok',
      new RegExp(`public key \\(${fingerprint}\\)`),
    ],
    ['no key', { json: { meta: {}, skinDomains: [] } }, 'ok', /no key of its own/],
    ['a page', { text: '<h1>Hi</h1>' }, 'ok', /no key of its own/],
    ['nothing', NOT_FOUND, 'ok', /no key of its own/],
    [
      'rubbish',
      { json: { meta: {}, skinDomains: [], signaturePublickey: 'x' } },
      'problem',
      /is not a valid key/,
    ],
  ];
  test.each(rows)('recognizes a service that answers with %s', async (_, answer, result, detail) => {
    const { setup } = await servedSetup([{ expect: 'GET /', ...answer }]);
    expect(await CHECKS.signature.look(setup)).toMatchObject({
      result,
      detail: expect.stringMatching(detail),
    });
  });
});

test('The fingerprint that doctor shows can be pasted into --require-signer', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  const answer = { json: { meta: {}, skinDomains: [], signaturePublickey: pem } };
  const { setup } = await servedSetup([{ expect: 'GET /', ...answer }]);
  const { detail } = await CHECKS.signature.look(setup);
  const pasted = /\((.*)\)/.exec(detail)?.[1] ?? '';
  const command = new Command().addOption(requireSignerOption());
  const { requireSigner } = command
    .parse(['--require-signer', pasted], { from: 'user' })
    .opts<{ requireSigner: RequiredSigner }>();
  const key = fingerprintOf(publicKey); // as verify and the lockfile name it
  expect(isRequired({ signer: 'https://skins.example.org', key }, requireSigner)).toBe(true);
});
