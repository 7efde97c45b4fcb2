import type { Game } from '../../game/game.ts';
import type { Db } from '../store/db.ts';
import type { TextureRow } from '../store/schema/tables.ts';
import { findTextureByUrl } from '../store/textures.ts';
import { isPlaceholder } from './profile-data.ts';

/** A texture of the game, by its address and the hash in it. */
export interface GameAddress {
  readonly url: string;
  readonly hash: string;
}

/** The game's texture, if a skin in the store uses it: then it need not be fetched. */
export async function findKnownTexture(
  { db, game }: { readonly db: Db; readonly game: Game },
  address: GameAddress,
): Promise<TextureRow | undefined> {
  const texture = await findTextureByUrl(db, spellingsOf(address, game.http.addresses.textures));
  return texture && isPlaceholder(texture.hash) ? undefined : texture;
}

/** The spellings of a texture's address in signed data: profiles use `http:`. */
function spellingsOf({ url, hash }: GameAddress, textures: string): string[] {
  const { host, pathname } = new URL(`${textures}/texture/${hash}`);
  return [...new Set([url, `http://${host}${pathname}`, `https://${host}${pathname}`])];
}
