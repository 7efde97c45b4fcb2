import { idOfSigningKey } from '../../textures/signing-key.ts';
import { type Enclosures, readKeysOfStore } from '../store/sqlite-copy.ts';
import { ACCOUNT_KEY, SIGNING_KEY } from './data-files.ts';

export type KeyFile = typeof SIGNING_KEY | typeof ACCOUNT_KEY;

/**
 * The keys that a copied store counts on and that are not enclosed with it: `serve` may have been given them from elsewhere
 * than the data folder.
 */
export async function missingKeys(copy: string, enclosures: Enclosures): Promise<KeyFile[]> {
  const { signingKey, hasAccounts } = await readKeysOfStore(copy);
  const missing: KeyFile[] = [];
  if (signingKey !== undefined && idOf(enclosures[SIGNING_KEY]) !== signingKey) missing.push(SIGNING_KEY);
  if (hasAccounts && enclosures[ACCOUNT_KEY] === undefined) missing.push(ACCOUNT_KEY);
  return missing;
}

function idOf(pem: Uint8Array | undefined): string | undefined {
  return pem && idOfSigningKey(Buffer.from(pem).toString());
}
