import { SkinsmithError } from '../../client/errors.ts';
import type { SkinClient } from '../../client/skin-client.ts';
import type { CallOptions } from '../../client/types.ts';
import { PublicKeyError, readServiceKey } from '../../dispatch/service-facts.ts';
import type { OwnKey } from '../model/own-key.ts';

/** The key that a service publishes; undefined if it publishes none or cannot be asked. */
export async function signingKeyOf(client: SkinClient, call: CallOptions): Promise<OwnKey | undefined> {
  try {
    const { publicKey, fingerprint } = await readServiceKey({ client, call });
    return publicKey && fingerprint !== undefined ? { publicKey, fingerprint } : undefined;
  } catch (error) {
    if (error instanceof SkinsmithError || error instanceof PublicKeyError) return undefined;
    throw error;
  }
}
