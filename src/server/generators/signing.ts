import { hash as digest } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { VERSION } from '../../base/version.ts';
import type { KeyDocument } from '../../protocol/account.ts';
import type { HealthFinding } from '../../protocol/service.ts';
import { buildTexturesValue } from '../../textures/property.ts';
import {
  fingerprintOf,
  isSignedBy,
  parsePublicKey,
  type SigningKey,
  SigningKeyError,
  signValue,
} from '../../textures/signing-key.ts';
import type { Generator, SignedSkin, Texture, Trust } from './port.ts';

export interface SigningOptions {
  readonly key: () => Promise<SigningKey>;
  /** Whether a key already exists. Creating one takes a while. */
  readonly hasKey: () => boolean;
  /** Whether the key is gone or differs from the one that signed the store's skins. */
  readonly isKeyChanged: () => Promise<boolean>;
  /** Address of the service as seen from players' machines, without a trailing slash. */
  readonly publicUrl: () => string;
  readonly clock: Clock;
}

const PROFILE_NAME = 'skinsmith';

/** The address of a texture on a service at this address. */
export function textureUrl(publicUrl: string, hash: string): string {
  return `${publicUrl}/textures/${hash}`;
}

/**
 * Signs with the service's own key. Clients and servers that trust the key accept the signature; the game's own
 * clients, which trust only the game's key, do not.
 */
export function signingGenerator(options: SigningOptions): Generator {
  return {
    signer: async () => `signing:${(await options.key()).id}:${options.publicUrl()}`,
    generate: async (texture) => await signTexture(texture, options),
    health: async () => [await keyHealth(options)],
  };
}

async function signTexture(texture: Texture, { key, publicUrl, clock }: SigningOptions): Promise<SignedSkin> {
  const { privateKey, id } = await key();
  const url = textureUrl(publicUrl(), texture.hash);
  const capeUrl = texture.capeHash === null ? undefined : textureUrl(publicUrl(), texture.capeHash);
  const value = buildTexturesValue({
    timestamp: clock.now(),
    profileId: profileIdOf(texture),
    profileName: PROFILE_NAME,
    skin: { url, variant: texture.variant },
    ...(capeUrl !== undefined && { cape: { url: capeUrl } }),
  });
  return { value, signature: await signValue(value, privateKey), url, capeUrl, account: id };
}

async function keyHealth({ key, hasKey, isKeyChanged }: SigningOptions): Promise<HealthFinding> {
  if (await isKeyChanged()) {
    const message =
      "The signing key file is missing, or is not the key that signed the store's skins. Restore the old one and restart the service.";
    return { code: 'signing_key_changed', result: 'problem', message };
  }
  if (!hasKey()) {
    const message = 'The service signs with its own key, which it creates on first use.';
    return { code: 'signing_key_unmade', result: 'ok', message };
  }
  if (!(await canSign(key))) {
    return {
      code: 'signing_key_unusable',
      result: 'problem',
      message: "The service's signing key cannot be used.",
    };
  }
  const publicKey = parsePublicKey((await key()).publicPem);
  const message = `The service signs with its own key (${fingerprintOf(publicKey)}).`;
  return { code: 'signing_key', result: 'ok', message };
}

async function canSign(key: SigningOptions['key']): Promise<boolean> {
  try {
    const { privateKey, publicPem } = await key();
    return isSignedBy(parsePublicKey(publicPem), PROFILE_NAME, await signValue(PROFILE_NAME, privateKey));
  } catch (error) {
    if (error instanceof SigningKeyError) return false;
    throw error;
  }
}

/** A separate profile id for every texture, variant and cape, so that caches keyed by profile keep them apart. */
function profileIdOf({ hash, variant, capeHash }: Texture): string {
  const parts = [hash, variant, ...(capeHash === null ? [] : [capeHash])];
  return digest('sha256', parts.join(':')).slice(0, 32);
}

export interface TrustOptions {
  readonly key: () => Promise<SigningKey>;
  readonly publicUrl: string;
  /** Set if another service signs. */
  readonly trust: Trust | undefined;
  /** The service's name, which launchers show. */
  readonly name: string;
}

/** What others need to trust the skins made here: the key, and the hosts of the textures. */
export async function describeTrust({ key, publicUrl, trust, name }: TrustOptions): Promise<KeyDocument> {
  const pem = trust ? trust.publicPem : (await key()).publicPem;
  return {
    meta: { serverName: name, implementationName: 'skinsmith', implementationVersion: VERSION },
    skinDomains: [...new Set([new URL(publicUrl).hostname, ...(trust?.skinDomains ?? [])])],
    ...(pem !== undefined && { signaturePublickey: pem }),
  };
}
