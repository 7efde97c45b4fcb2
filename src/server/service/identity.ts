import { createHash } from 'node:crypto';
import type { SkinVisibility } from '../../protocol/skin.ts';

/**
 * What signed data is known by: same pixels, variant and signer, same data. A change of key or of the
 * service's public address makes new data, because the old would point to where nobody listens.
 */
export function dataIdentity(pixelHash: string, variant: 'classic' | 'slim', signer: string): string {
  return digest([pixelHash, variant, signer]);
}

/** What a request is known by within one owner's pending jobs. */
export function requestKey(
  identity: string,
  options: { visibility: SkinVisibility; name: string | null },
): string {
  return digest([identity, options.visibility, options.name]);
}

function digest(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
