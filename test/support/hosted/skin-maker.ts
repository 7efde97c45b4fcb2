import { createHash, type KeyObject, randomBytes } from 'node:crypto';
import { PNG } from 'pngjs';
import type { Skin } from '../../../src/protocol/skin.ts';
import type { Picture } from '../../../src/skin/picture.ts';
import { buildTexturesValue } from '../../../src/textures/property.ts';
import { openSigningKey, signValue } from '../../../src/textures/signing-key.ts';
import { drawSkin } from '../server/drawn-skins.ts';
import { sharedKey } from '../textures/shared-key.ts';
import type { SkinInput } from './job-book.ts';

interface Making {
  /** UUID of the skin, no dashes. */
  readonly uuid: string;
  readonly input: SkinInput;
  readonly picture: Picture;
  /** Takes the texture of a picture that nobody submits. */
  readonly isWrong: boolean;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  /** Milliseconds. */
  readonly duration: number;
}

/**
 * What a wrong skin shows. It is no picture of the caller's: whoever lost the answer to that picture's submission
 * would rightly take the skin, and what becomes of a source would depend on chance.
 */
const STRANGERS = drawSkin(65_535);

/** The same picture in other bytes than this project's encoder writes. */
export function encodeDifferently(picture: Picture): Buffer {
  const png = new PNG({ width: picture.width, height: picture.height });
  png.data = Buffer.from(picture.pixels);
  return PNG.sync.write(png, { deflateLevel: 6 });
}

/** Of all services that are given no other. */
const usualKey = sharedKey();

/** Makes signed skins and keeps their textures, each named by the SHA-256 of its file as the game does it. */
export class SkinMaker {
  readonly #key: KeyObject;
  readonly #root: string;
  readonly #textures = new Map<string, Buffer>();

  private constructor(key: KeyObject, root: string) {
    this.#key = key;
    this.#root = root;
  }

  /** `root`: where the textures are served, no slash at its end. */
  static async open(root: string, keyPath: string | undefined): Promise<SkinMaker> {
    if (keyPath !== undefined) return new SkinMaker((await openSigningKey(keyPath)).privateKey, root);
    return new SkinMaker(await usualKey(), root);
  }

  texture(hash: string): Buffer | undefined {
    return this.#textures.get(hash);
  }

  async make({ uuid, input, picture, isWrong, madeAt, duration }: Making): Promise<Skin> {
    const { variant, visibility, name } = input;
    const hash = this.#keepTexture(isWrong ? STRANGERS : picture);
    const url = `${this.#root}/textures/${hash}`;
    const profileId = randomBytes(16).toString('hex');
    const value = buildTexturesValue({
      timestamp: madeAt,
      profileId,
      profileName: profileId.slice(0, 12),
      skin: { url, variant },
    });
    return {
      uuid,
      name: name ?? null,
      visibility,
      variant,
      texture: {
        data: { value, signature: await signValue(value, this.#key) },
        hash: { skin: hash },
        url: { skin: url },
      },
      generator: {
        version: '2.0.0',
        timestamp: madeAt,
        duration,
        account: profileId,
        server: 'hosted',
        worker: 'w1',
      },
      tags: [],
      views: 0,
      duplicate: false,
    };
  }

  #keepTexture(picture: Picture): string {
    const png = encodeDifferently(picture);
    const hash = createHash('sha256').update(png).digest('hex');
    this.#textures.set(hash, png);
    return hash;
  }
}
