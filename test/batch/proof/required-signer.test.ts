import { describe, expect, test } from 'vitest';
import type { SignedBy } from '../../../src/batch/model/signer.ts';
import { isRequired, type RequiredSigner } from '../../../src/batch/proof/required-signer.ts';

const HERE = 'https://here.example';
const KEY = 'ab'.repeat(32);

const REQUIRED = {
  'the game': { kind: 'game' },
  'a service': { kind: 'service', address: HERE },
  'a key': { kind: 'key', fingerprint: KEY },
  "a key by its fingerprint's beginning": { kind: 'key', fingerprint: KEY.slice(0, 16) },
} satisfies Record<string, RequiredSigner>;

const TABLE: readonly [SignedBy, passes: readonly (keyof typeof REQUIRED)[]][] = [
  [{ signer: 'game' }, ['the game']],
  [{ signer: HERE, key: 'cd'.repeat(32) }, ['a service']],
  [{ signer: HERE, key: KEY }, ['a service', 'a key', "a key by its fingerprint's beginning"]],
  [{ signer: 'embedded', key: KEY }, ['a key', "a key by its fingerprint's beginning"]],
  [{ signer: 'https://there.example', key: 'cd'.repeat(32) }, []],
  [{ signer: 'unproved' }, []],
];

describe.each(Object.entries(REQUIRED))('Where %s is required', (name, required: RequiredSigner) => {
  test.each(TABLE)('%j', (signedBy, passes) => {
    expect(isRequired(signedBy, required)).toBe(passes.some((one) => one === name));
  });
});
