import { ByteCache } from '../../../base/byte-cache.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Db } from '../../store/db.ts';
import type { TextureRow } from '../../store/schema/skin-tables.ts';
import { findServedTexture } from '../../store/textures.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** Milliseconds for which a texture is served without asking the store whether anything still needs it. */
const TRUSTED_FOR = 5_000;

interface Kept {
  readonly texture: TextureRow;
  /** When the store was asked. */
  readonly readAt: number;
}

/** The textures that are served, with those that are in demand in memory: the bytes under a hash never change. */
export class ServedTextures {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #kept = new ByteCache<Kept>(MAX_BYTES, ({ texture }) => texture.png.length);

  constructor({ db, clock }: { readonly db: Db; readonly clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  /** A picture that signed data or a cape needs, or needed some seconds ago. Its bytes are not to be changed. */
  async find(hash: string): Promise<TextureRow | undefined> {
    const now = this.#clock.now();
    const kept = this.#kept.get(hash);
    if (kept && Math.abs(now - kept.readAt) < TRUSTED_FOR) return kept.texture;
    const texture = await findServedTexture(this.#db, hash);
    if (texture) this.#kept.set(hash, { texture, readAt: now });
    return texture;
  }
}
