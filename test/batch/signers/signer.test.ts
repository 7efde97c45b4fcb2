import { expect, test } from 'vitest';
import { SignerCounts, signerText } from '../../../src/batch/signers.ts';

test('Skins to make again are counted by signer and key', () => {
  const counts = new SignerCounts();
  const [one, other] = [{ signer: 'https://one.example', key: 'ab' }, { signer: 'https://other.example' }];
  for (const signedBy of [one, other, one, undefined, { ...one, key: 'cd' }]) counts.outdated(signedBy);
  expect(counts.list).toEqual([
    { signedBy: one, sources: 2 },
    { signedBy: other, sources: 1 },
    { signedBy: { ...one, key: 'cd' }, sources: 1 },
  ]);
});

test('A signer has a readable name', () => {
  const own = { fingerprint: 'ab' };
  const keys = [undefined, 'ab', 'cd'];
  const names = keys.map((key) => signerText({ signer: 'embedded', key }, own));
  expect(names).toEqual(['an embedded service', 'this machine', 'another machine']);
  const others = ['game', 'unproved', 'https://one.example'].map((signer) => signerText({ signer }, own));
  expect(others).toEqual(['Mojang', 'an unknown signer', 'https://one.example']);
});

test('Without skins to make again, the list of signers is empty', () => {
  const counts = new SignerCounts();
  counts.outdated(undefined);
  expect([counts.list, counts.unknownSigner]).toEqual([[], 0]);
});
