import { createHash } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { buildTexturesValue } from '../../textures/property.ts';
import { signValue } from '../../textures/signature.ts';
import type { SigningKey } from '../../textures/signing-key.ts';
import type { Generator, SkinData, Texture } from './port.ts';

export interface SigningOptions {
  readonly key: () => Promise<SigningKey>;
  /** Address of the service as players' machines reach it, no slash at its end. */
  readonly publicUrl: () => string;
  readonly clock: Clock;
}

const PROFILE_NAME = 'skinsmith';

/**
 * Signs with the service's own key. Clients and servers that trust the key take it for good;
 * the game's own clients, which trust the game's key alone, do not.
 */
export function signingGenerator(options: SigningOptions): Generator {
  return {
    signer: async () => `signing:${(await options.key()).fingerprint}:${options.publicUrl()}`,
    generate: async (texture) => await signTexture(texture, options),
  };
}

async function signTexture(texture: Texture, { key, publicUrl, clock }: SigningOptions): Promise<SkinData> {
  const { privateKey, fingerprint } = await key();
  const url = `${publicUrl()}/textures/${texture.hash}`;
  const value = buildTexturesValue({
    timestamp: clock.now(),
    profileId: profileIdOf(texture),
    profileName: PROFILE_NAME,
    skin: { url, variant: texture.variant },
  });
  return { value, signature: await signValue(value, privateKey), url, account: fingerprint };
}

/** A profile of its own for every texture and variant: caches that go by profile keep them apart. */
function profileIdOf(texture: Texture): string {
  return createHash('sha256').update(`${texture.hash}:${texture.variant}`).digest('hex').slice(0, 32);
}
