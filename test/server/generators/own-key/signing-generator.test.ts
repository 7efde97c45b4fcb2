import { expect, inject, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import type { HealthFinding } from '../../../../src/protocol/service.ts';
import { type SigningOptions, signingGenerator } from '../../../../src/server/generators/own-key.ts';
import {
  fingerprintOf,
  openSigningKey,
  parsePublicKey,
  SigningKeyError,
} from '../../../../src/textures/signing-key.ts';

async function health(
  parts: Pick<SigningOptions, 'key' | 'hasKey'>,
): Promise<readonly HealthFinding[] | undefined> {
  const isKeyChanged = async () => false;
  const generator = signingGenerator({
    ...parts,
    isKeyChanged,
    publicUrl: () => 'https://a.example',
    clock: systemClock,
  });
  return await generator.health?.(new AbortController().signal);
}

const openKey = async () => await openSigningKey(inject('signingKeyPath'));

test('A usable key is reported with its fingerprint', async () => {
  const fingerprint = fingerprintOf((await openKey()).publicKey);
  expect(await health({ key: openKey, hasKey: () => true })).toEqual([
    {
      code: 'signing_key',
      result: 'ok',
      message: `The service signs with its own key (${fingerprint}).`,
    },
  ]);
});

test('Checking for a missing key does not create it', async () => {
  const key = () => Promise.reject(new Error('It was made.'));
  expect(await health({ key, hasKey: () => false })).toMatchObject([
    { code: 'signing_key_unmade', result: 'ok' },
  ]);
});

test('An invalid key file is a problem, reported without its path', async () => {
  const key = () => Promise.reject(new SigningKeyError('/secret/place', 'it is empty'));
  expect(await health({ key, hasKey: () => true })).toEqual([
    {
      code: 'signing_key_unusable',
      result: 'problem',
      message: "The service's signing key cannot be used.",
    },
  ]);
});

test('A key whose halves do not belong together is a problem', async () => {
  const { privateKey, publicPem, id } = await openKey();
  const publicKey = parsePublicKey(`-----BEGIN PUBLIC KEY-----
MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf
9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit+CqvjWYzvQwECAwEAAQ==
-----END PUBLIC KEY-----`);
  const key = async () => ({ privateKey, publicKey, publicPem, id });
  expect(await health({ key, hasKey: () => true })).toMatchObject([{ code: 'signing_key_unusable' }]);
});
