import { VERSION } from '../../../base/version.ts';
import type { KeyDocument } from '../../../protocol/account.ts';
import type { SigningKey } from '../../../textures/signing-key.ts';
import type { Trust } from '../port.ts';

export interface TrustOptions {
  readonly key: () => Promise<SigningKey>;
  readonly publicUrl: string;
  /** Where another signs. */
  readonly trust: Trust | undefined;
}

/** What others need to trust the skins that are made here: whose key, and where their textures are. */
export async function describeTrust({ key, publicUrl, trust }: TrustOptions): Promise<KeyDocument> {
  const pem = trust ? trust.publicPem : (await key()).publicPem;
  return {
    meta: { serverName: 'skinsmith', implementationName: 'skinsmith', implementationVersion: VERSION },
    skinDomains: [...new Set([new URL(publicUrl).hostname, ...(trust?.skinDomains ?? [])])],
    ...(pem !== undefined && { signaturePublickey: pem }),
  };
}
