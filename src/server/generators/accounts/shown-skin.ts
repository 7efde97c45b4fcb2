import { GameError } from '../../../game/errors.ts';
import type { GameHttp } from '../../../game/http.ts';
import { fetchSignedProfile, type SignedProfile } from '../../../game/profiles.ts';
import type { AccountSkin } from '../../../game/skins.ts';
import { downloadTexture, type GameTexture, textureHashOf } from '../../../game/textures.ts';
import { AccountFault } from '../../accounts/faults.ts';

export interface ShownSkinOptions {
  /** 32 hexadecimal digits. */
  readonly uuid: string;
  /** As the game answered the change. */
  readonly skin: AccountSkin;
  /** Waits before each look, in milliseconds. */
  readonly looks: readonly number[];
  readonly signal: AbortSignal;
}

/**
 * The account's signed profile, once it shows this very skin. What it showed before, or what somebody else has set
 * meanwhile, is never answered.
 * @throws AccountFault `mismatch` when it does not within all looks; GameError when the last of them failed
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

/** The texture behind a URL; one that was just made may take a moment to be there. @throws GameError */
export async function awaitTexture(
  http: GameHttp,
  { skin, looks, signal }: Omit<ShownSkinOptions, 'uuid'>,
): Promise<GameTexture | undefined> {
  const waits = [0, ...looks.slice(1)];
  return await retrying({ http, waits, signal }, () => downloadTexture(http, skin.url, signal));
}

/** The same picture may have been worn before with arms of the other kind. */
function shows(http: GameHttp, { id, textures }: SignedProfile, { uuid, skin }: ShownSkinOptions): boolean {
  const hashOf = (url: string) => textureHashOf(http.addresses.textures, url) ?? url;
  const { skin: shown } = textures;
  const isThat = shown && hashOf(shown.url) === hashOf(skin.url) && shown.variant === skin.variant;
  return isThat === true && id === uuid && textures.profileId === uuid;
}

/** What a look answers; undefined when none does. A look that fails is made again, but for the last. */
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
