import type { Picture } from '../skin/picture.ts';
import type { TextureModel } from '../textures/property.ts';
import { GameError } from './errors.ts';
import type { GameHttp } from './http.ts';
import { fetchSignedProfile } from './profiles.ts';
import { downloadTexture } from './textures.ts';

/** The current skin of a player. */
export interface PlayerSkin {
  readonly name: string;
  readonly picture: Picture;
  readonly variant: TextureModel;
}

/**
 * A player's current skin, by UUID with or without dashes.
 * @throws GameError, `not_found` when the player does not exist or has no skin
 */
export async function fetchPlayerSkin(
  http: GameHttp,
  playerId: string,
  signal?: AbortSignal,
): Promise<PlayerSkin> {
  const { name, textures } = await fetchSignedProfile(http, playerId, { ...(signal && { signal }) });
  if (!textures.skin) throw new GameError('not_found', `The player ${name} has no skin.`);
  const { picture } = await downloadTexture(http, textures.skin.url, signal);
  return { name, picture, variant: textures.skin.variant };
}
