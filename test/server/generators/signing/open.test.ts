import { expect, inject, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { openSigning } from '../../../../src/server/generators/signing/open.ts';
import { isFreshSignature } from '../../../../src/textures/fresh-signatures.ts';
import { isSignedBy, parsePublicKey } from '../../../../src/textures/signature.ts';
import { openSigningKey } from '../../../../src/textures/signing-key.ts';

async function signSome(isEmbedded: boolean, hashes: readonly string[]) {
  const key = await openSigningKey(inject('signingKeyPath'));
  const { generator, close } = openSigning({
    isEmbedded,
    key: async () => key,
    hasKey: () => true,
    isKeyChanged: async () => false,
    publicUrl: () => 'https://a.example',
    clock: systemClock,
  });
  const { signal } = new AbortController();
  const made = await Promise.all(
    hashes.map(async (hash) => {
      const texture = { owner: 'smith', identity: hash, hash, variant: 'slim', capeHash: null } as const;
      return await generator.generate({ ...texture, visibility: 'public' }, signal);
    }),
  );
  await close?.();
  return { made, publicKey: parsePublicKey(key.publicPem) };
}

test.each([
  ['An embedded service remembers what it has just signed', true],
  ['A server remembers nothing of it', false],
])('%s', async (_, isEmbedded) => {
  const hashes = Array.from({ length: 30 }, (_, index) => `${isEmbedded} ${index}`);
  const { made, publicKey } = await signSome(isEmbedded, hashes);
  expect(made).toHaveLength(30);
  for (const { value, signature } of made) {
    expect(isFreshSignature(value, signature, publicKey)).toBe(isEmbedded);
    expect(isSignedBy(publicKey, value, signature)).toBe(true);
  }
});
