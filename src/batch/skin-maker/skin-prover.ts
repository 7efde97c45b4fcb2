import type { Facts } from '../../dispatch/first-contact.ts';
import { proveSkin, type Signing } from '../../dispatch/proof.ts';
import type { FinishedSkin } from '../model/finished-skin.ts';
import { GAME, type SignedBy, UNPROVED } from '../model/signer.ts';
import { pixelsOf, provableVariant, type Work } from '../model/work.ts';
import type { BatchOptions } from '../options/options.ts';
import { pictureOf } from '../pictures/work-picture.ts';

interface SkinProverOptions {
  readonly options: Pick<BatchOptions, 'verify' | 'game' | 'service'>;
  /** Reads a texture. */
  readonly texture: (url: string) => Promise<Uint8Array>;
  /** What is known of the service now. */
  readonly facts: () => Facts;
  /** Reads the service's key again. */
  readonly freshKey: () => Promise<Facts['publicKey']>;
}

/** Proves that a skin is what was asked for, and finds out who signed it. */
export class SkinProver {
  readonly #options: SkinProverOptions;

  constructor(options: SkinProverOptions) {
    this.#options = options;
  }

  /** @throws ProofError when it is another skin; what reading its texture throws */
  async prove(skin: FinishedSkin, work: Work): Promise<SignedBy> {
    const { options, facts, freshKey } = this.#options;
    const { publicKey, capeTexture } = facts();
    const texture = options.verify === false ? undefined : this.#options.texture;
    const cape = work.cape === undefined ? undefined : { texture: capeTexture };
    const picture = () => pictureOf(work);
    const expected = { pixels: pixelsOf(work), picture, variant: provableVariant(work), cape };
    const keys = { publicKey, freshKey, gameKeys: options.game?.keys };
    return this.signedBy(await proveSkin(skin, expected, { ...keys, texture }));
  }

  signedBy(signing: Signing): SignedBy {
    if (signing === 'game') return { signer: GAME };
    if (signing === 'unproved') return { signer: UNPROVED };
    // `embedded` names both the service and its signer.
    return { signer: this.#options.options.service.name, key: this.#options.facts().fingerprint };
  }
}
