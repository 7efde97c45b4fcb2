import { SkinsmithError } from '../../client/errors.ts';
import type { SkinClient } from '../../client/skin-client.ts';
import type { CallOptions } from '../../client/types.ts';
import { fingerprintOf } from '../../textures/fingerprint.ts';
import { parsePublicKey } from '../../textures/signature.ts';
import type { OwnKey } from '../model/own-key.ts';

/** The key that a service publishes; undefined if it publishes none or cannot be asked. */
export async function signingKeyOf(client: SkinClient, call: CallOptions): Promise<OwnKey | undefined> {
  try {
    const { signaturePublickey } = await client.keyDocument(call);
    if (signaturePublickey === undefined) return undefined;
    const publicKey = parsePublicKey(signaturePublickey);
    return { publicKey, fingerprint: fingerprintOf(publicKey) };
  } catch (error) {
    if (error instanceof SkinsmithError || isBadKey(error)) return undefined;
    throw error;
  }
}

/** Node's error codes for invalid keys. */
function isBadKey(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return code.startsWith('ERR_OSSL') || code === 'ERR_INVALID_ARG_VALUE';
}
