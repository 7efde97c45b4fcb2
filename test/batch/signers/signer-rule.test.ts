import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { SignedBy } from '../../../src/batch/model.ts';
import { SignerRule, type SignerStatus, signerStatusOf } from '../../../src/batch/signers.ts';
import { type LockEntry, withDigest } from '../../../src/protocol/lock-line.ts';
import { lockEntry } from '../../support/batch/lockfile-entries.ts';

const HERE = 'https://here.example';
const THERE = 'https://there.example';
const OWN = 'aa'.repeat(32);
const THEIRS = 'bb'.repeat(32);

const SIGNERS = {
  'the game': { signer: 'game' },
  'this machine': { signer: 'embedded', key: OWN },
  'another machine': { signer: 'embedded', key: THEIRS },
  'the service itself': { signer: HERE, key: THEIRS },
  'another service': { signer: THERE, key: OWN },
  'nobody known': { signer: 'unproved' },
} satisfies Record<string, SignedBy>;

test.each([
  ['http://127.0.0.1:7546', 'http://localhost:7546', 'current'],
  ['http://127.0.0.1:7546', 'http://localhost:7547', 'outdated'],
  ['http://127.0.0.1:7546', 'http://127.0.0.2:7546', 'outdated'],
  ['http://127.0.0.1/skins', 'http://[::1]/skins', 'current'],
] as const)('With a former signer %s and a current one %s, entries are %s', (signer, name, standing) => {
  expect(signerStatusOf({ signer }, { name, key: undefined })).toBe(standing);
});

/** Of what each signer signed: asked of the embedded service, of a service without a key, of one with a key. */
const TABLE: readonly [
  who: keyof typeof SIGNERS,
  embedded: SignerStatus,
  keyless: SignerStatus,
  keyed: SignerStatus,
][] = [
  ['the game', 'current', 'current', 'current'],
  ['this machine', 'current', 'outdated', 'outdated'],
  ['another machine', 'current', 'outdated', 'current'], // its key is the very one that the service tells
  ['the service itself', 'current', 'current', 'current'],
  ['another service', 'current', 'outdated', 'outdated'],
  ['nobody known', 'current', 'unknown_signer', 'unknown_signer'],
];

describe.each(TABLE)('A skin that %s has signed', (who, embedded, keyless, keyed) => {
  const signedBy: SignedBy = SIGNERS[who];

  test(`is ${embedded} when the embedded service is used`, () => {
    expect(signerStatusOf(signedBy, { name: 'embedded', key: undefined })).toBe(embedded);
    expect(signerStatusOf(signedBy, { name: 'embedded', key: THEIRS })).toBe(embedded);
  });

  test(`is ${keyless} when the service publishes no key`, () => {
    expect(signerStatusOf(signedBy, { name: HERE, key: undefined })).toBe(keyless);
  });

  test(`is ${keyed} when the service publishes its key`, () => {
    expect(signerStatusOf(signedBy, { name: HERE, key: THEIRS })).toBe(keyed);
  });
});

describe('The rule about signers', () => {
  const keyless = { game: undefined, own: undefined };
  const ruleFor = (name: string, keepSignatures = false, key?: string) => {
    const asked: string[] = [];
    const signingKey = async () => {
      asked.push(name);
      return key === undefined ? undefined : { fingerprint: key };
    };
    return { asked, rule: new SignerRule({ name, signingKey, keepSignatures, keys: keyless }) };
  };
  const entryOf = (changes: Partial<LockEntry>) => withDigest(lockEntry({ key: undefined, ...changes }));

  test('does not apply to the embedded service, nor where all signatures are kept', () => {
    expect(ruleFor('embedded').rule.applies).toBe(false);
    expect(ruleFor(HERE, true).rule.applies).toBe(false);
    expect(ruleFor(HERE).rule.applies).toBe(true);
  });

  test('asks the service for its key once, and only when an entry depends on it', async () => {
    const { rule, asked } = ruleFor(HERE, false, THEIRS);
    await rule.judge(entryOf({ signer: 'game' }));
    await rule.judge(entryOf({ signer: HERE, key: THEIRS }));
    expect(asked).toEqual([]);
    const foreign = entryOf({ signer: 'embedded', service: 'embedded', key: THEIRS });
    expect([(await rule.judge(foreign)).standing, (await rule.judge(foreign)).standing]).toEqual([
      'current',
      'current',
    ]);
    expect(asked).toEqual([HERE]);
  });

  test('treats an unreachable service as one with another key', async () => {
    const { rule } = ruleFor(HERE);
    const entry = entryOf({ signer: 'embedded', service: 'embedded', key: OWN });
    expect(await rule.judge(entry)).toEqual({
      standing: 'outdated',
      signedBy: { signer: 'embedded', key: OWN },
    });
  });

  test('finds damage of any field by the digest', () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const own = { publicKey, fingerprint: OWN };
    const rule = new SignerRule({ name: HERE, signingKey: undefined, keepSignatures: false, keys: { own } });
    const sound = entryOf({ signer: 'game' });
    expect(rule.damageOf(sound)).toBeUndefined();
    for (const touched of [
      { value: `${sound.value.slice(4)}AAAA` },
      { signature: `AAAA${sound.signature.slice(4)}` },
      { signer: 'embedded' },
      { service: THERE },
      { key: OWN },
    ]) {
      expect(rule.damageOf({ ...sound, ...touched })).toBe('it was changed after it was written.');
    }
  });
});
