import { NetworkError, type SkinsmithError } from '../../index.ts';
import { PrivateAddressError } from '../connection/texture-guard.ts';
import { count } from '../text/quantities.ts';

/** Fetches a texture by its URL. @throws SkinsmithError */
export type FetchTexture = (url: string) => Promise<Uint8Array>;

interface Unreachable {
  readonly error: SkinsmithError;
  /** How many textures were wanted from it. */
  textures: number;
}

/** Fetches textures, and gives up a host for good once it could not be reached: a lockfile has thousands of them there. */
export class TextureHosts {
  readonly #fetch: FetchTexture;
  readonly #unreachable = new Map<string, Unreachable>();

  constructor(fetch: FetchTexture) {
    this.#fetch = fetch;
  }

  /** @throws SkinsmithError; the same NetworkError for every texture of an unreachable host */
  async texture(url: string): Promise<Uint8Array> {
    const origin = URL.parse(url)?.origin ?? url;
    const known = this.#unreachable.get(origin);
    // On this machine, the path decides whether a request is allowed.
    if (known?.error instanceof NetworkError) {
      known.textures++;
      throw known.error;
    }
    try {
      return await this.#fetch(url);
    } catch (error) {
      if (error instanceof NetworkError || error instanceof PrivateAddressError) {
        const textures = (this.#unreachable.get(origin)?.textures ?? 0) + 1;
        this.#unreachable.set(origin, { error, textures });
      }
      throw error;
    }
  }

  /** `5 textures could not be fetched from http://…`: a sentence for each unreachable host. */
  get notes(): readonly string[] {
    return [...this.#unreachable].map(([origin, { textures, error }]) => {
      const what = textures === 1 ? '1 texture' : `${count(textures)} textures`;
      const why = error instanceof NetworkError ? '' : ', a private address that is not the service in use';
      return `${what} could not be fetched from ${origin}${why}.`;
    });
  }
}
