import { createPublicKey, type KeyObject } from 'node:crypto';
import { openSigningKey, signValue } from '../../../src/textures/signing-key.ts';
import { sharedKey } from '../textures/shared-key.ts';
import { gameJson } from './answers.ts';
import type { Look, Person } from './people.ts';

interface Signing {
  readonly isSigned: boolean;
  /** The signature is over something else. */
  readonly isForged: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The default for all games. */
const usualKey = sharedKey();

/** Writes signed profiles as the session server does. */
export class Signer {
  /** SPKI in base64 DER. */
  readonly publicKey: string;
  readonly #key: KeyObject;
  /** Where textures are served, as in `http://host/texture`. */
  readonly #textures: string;

  private constructor(key: KeyObject, textures: string) {
    this.#key = key;
    this.#textures = textures;
    this.publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
  }

  /** `keyPath`: an RSA key (PKCS#8 PEM), made if missing; default: one for all games of this process. */
  static async open(textures: string, keyPath: string | undefined): Promise<Signer> {
    if (keyPath !== undefined) return new Signer((await openSigningKey(keyPath)).privateKey, textures);
    return new Signer(await usualKey(), textures);
  }

  /** The session server's answer for a person. */
  async profile(person: Person, look: Look, signing: Signing): Promise<Record<string, unknown>> {
    const { id, name } = person;
    const value = this.#value(person, look, signing);
    const signed = signing.isForged ? `${value}=` : value;
    const signature = signing.isSigned ? { signature: await signValue(signed, this.#key) } : {};
    return { id, name, properties: [{ name: 'textures', value, ...signature }], profileActions: [] };
  }

  #value({ id, name }: Person, { skin, cape }: Look, { isSigned, now }: Signing): string {
    const model = skin?.variant === 'slim' ? { metadata: { model: 'slim' } } : {};
    const document = {
      timestamp: now,
      profileId: id,
      profileName: name,
      ...(isSigned && { signatureRequired: true }),
      textures: {
        ...(skin && { SKIN: { url: `${this.#textures}/${skin.hash}`, ...model } }),
        ...(cape !== undefined && { CAPE: { url: `${this.#textures}/${cape}` } }),
      },
    };
    return Buffer.from(gameJson(document)).toString('base64');
  }
}
