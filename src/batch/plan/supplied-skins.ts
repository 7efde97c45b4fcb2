import { hash } from 'node:crypto';
import { ProofError, proveSkin, readTextures, type Signing } from '../../dispatch/proof.ts';
import type { Note } from '../../protocol/envelope.ts';
import { textureName } from '../../textures/property.ts';
import type { FinishedSkin } from '../model/result.ts';
import { GAME, type PublicSigningKey, type SignedBy, UNPROVED, UNPROVED_NOTE } from '../model/signer.ts';
import type { SuppliedSkin, VariantInput } from '../model/source.ts';
import type { GameKeys } from '../proof/known-keys.ts';

/** What happens to skin data given as a source. */
export type SuppliedOutcome =
  /** It is used as the result. */
  | { readonly kind: 'kept'; readonly skin: FinishedSkin; readonly warnings: readonly Note[] }
  /** The skin is made from its texture; gives the reason. */
  | { readonly kind: 'remade'; readonly note: Note };

export interface SuppliedSkinsOptions {
  /** The service in use. */
  readonly service: string;
  /** Its own key; undefined if it publishes none or is not asked. */
  readonly askedKey: () => Promise<PublicSigningKey | undefined>;
  readonly gameKeys: GameKeys | undefined;
  /** Make every skin again. */
  readonly force: boolean;
  /** UUID of the cape for every skin. */
  readonly cape: string | undefined;
}

interface Wanted {
  readonly given: SuppliedSkin;
  readonly variant: VariantInput;
  /** The skin exists on the service: it counts even if no known key verifies its signature. */
  readonly isOfService: boolean;
}

/** Decides whether given skin data is a result: signed by the game or the service in use, with the requested options. */
export class SuppliedSkins {
  readonly #options: SuppliedSkinsOptions;
  #askedKey: Promise<PublicSigningKey | undefined> | undefined;

  constructor(options: SuppliedSkinsOptions) {
    this.#options = options;
  }

  async judge({ given, variant, isOfService }: Wanted): Promise<SuppliedOutcome> {
    const { force, cape } = this.#options;
    if (force) return remade('You asked to make everything again');
    if (cape !== undefined) return remade('The data does not prove the requested cape');
    const { value, signature } = given;
    if (signature === undefined) return remade('The value has no signature');
    const signing = await this.#prove({ value, signature }, variant);
    if (typeof signing !== 'string') return remade(signing.message.replace(/\.$/, ''));
    if (signing === 'unproved' && !isOfService) return remade('No known key verifies the signature');
    const signedBy = await this.#signedBy(signing);
    const warnings = signing === 'unproved' ? [UNPROVED_NOTE] : [];
    return { kind: 'kept', skin: { ...skinOf(given, signature), signedBy }, warnings };
  }

  async #prove(
    skin: Pick<FinishedSkin, 'value' | 'signature'>,
    variant: VariantInput,
  ): Promise<Signing | ProofError> {
    const { gameKeys } = this.#options;
    const isGames = gameKeys?.haveSignedByKnownKey(skin.value, skin.signature) ?? false;
    const publicKey = isGames ? undefined : (await this.#key())?.publicKey;
    try {
      const expected = { pixels: undefined, variant };
      return await proveSkin(skin, expected, { publicKey, gameKeys, texture: undefined });
    } catch (error) {
      if (error instanceof ProofError) return error;
      throw error;
    }
  }

  async #signedBy(signing: Signing): Promise<SignedBy> {
    if (signing === 'game') return { signer: GAME };
    if (signing === 'unproved') return { signer: UNPROVED };
    return { signer: this.#options.service, key: (await this.#key())?.fingerprint };
  }

  async #key(): Promise<PublicSigningKey | undefined> {
    this.#askedKey ??= this.#options.askedKey();
    return await this.#askedKey;
  }
}

function remade(why: string): SuppliedOutcome {
  const message = `${why}, so the skin is made from its texture.`;
  return { kind: 'remade', note: { code: 'made_from_texture', message } };
}

/** The variant of a value. */
export function givenVariant({ value }: SuppliedSkin): VariantInput {
  return readTextures(value).skin.variant;
}

function skinOf({ value, uuid, name, visibility = 'public' }: SuppliedSkin, signature: string): FinishedSkin {
  const { url, variant } = readTextures(value).skin;
  return {
    uuid: uuid ?? uuidFrom(value),
    ...(name !== undefined && { name }),
    variant,
    visibility,
    value,
    signature,
    texture: { url, hash: textureName(url) ?? '' },
  };
}

/** Pasted data has no UUID, so derive one: the same data always gets the same UUID. */
function uuidFrom(value: string): string {
  return hash('sha256', value).slice(0, 32);
}
