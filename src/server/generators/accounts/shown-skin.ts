import { GameError } from '../../../game/errors.ts';
import type { GameHttp } from '../../../game/http.ts';
import { fetchSignedProfile, type SignedProfile } from '../../../game/profiles.ts';
import type { AccountSkin } from '../../../game/skins.ts';
import { downloadTexture, type GameTexture, textureHashOf } from '../../../game/textures.ts';
import { AccountFault } from '../../accounts/faults.ts';

export interface ShownSkinOptions {
  /** 32 hexadecimal digits. */
  readonly uuid: string;
  /** As in the game's answer to the change. */
  readonly skin: AccountSkin;
  /** Pauses before each look, in milliseconds. */
  readonly looks: readonly number[];
  readonly signal: AbortSignal;
}

/**
 * The account's signed profile, once it shows exactly this skin. Never returns an earlier skin, or one that someone
 * else has set in the meantime.
 * @throws AccountFault `mismatch` if no look shows it; GameError if the last look failed
 */
export async function awaitShownSkin(http: GameHttp, options: ShownSkinOptions): Promise<SignedProfile> {
  const { uuid, looks, signal } = options;
  const profile = await retrying({ http, waits: looks, signal }, async () => {
    const found = await fetchSignedProfile(http, uuid, { isFresh: true, signal });
    return shows(http, found, options) ? found : undefined;
  });
  if (profile) return profile;
  throw new AccountFault('mismatch', 'The game does not show the skin that it took.');
}

/** The texture at a URL; a new one may take a moment to become available. @throws GameError */
export async function awaitTexture(
  http: GameHttp,
  { skin, looks, signal }: Omit<ShownSkinOptions, 'uuid'>,
): Promise<GameTexture | undefined> {
  const waits = [0, ...looks.slice(1)];
  return await retrying({ http, waits, signal }, () => downloadTexture(http, skin.url, signal));
}

/** The account may have worn the same picture before with the other arm width. */
function shows(http: GameHttp, { id, textures }: SignedProfile, { uuid, skin }: ShownSkinOptions): boolean {
  const hashOf = (url: string) => textureHashOf(http.addresses.textures, url) ?? url;
  const { skin: shown } = textures;
  const isThat = shown && hashOf(shown.url) === hashOf(skin.url) && shown.variant === skin.variant;
  return isThat === true && id === uuid && textures.profileId === uuid;
}

/** The first result of a look; undefined if there is none. A failed look is repeated, except for the last one. */
async function retrying<T>(
  { http, waits, signal }: { http: GameHttp; waits: readonly number[]; signal: AbortSignal },
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  let failure: GameError | undefined;
  for (const wait of waits) {
    await http.clock.sleep(wait, signal);
    try {
      failure = undefined;
      const seen = await look();
      if (seen !== undefined) return seen;
    } catch (error) {
      if (!(error instanceof GameError)) throw error;
      failure = error;
    }
  }
  if (failure) throw failure;
  return undefined;
}
