import type { Game } from '../../../game/game.ts';
import { isSignedBy } from '../../../textures/signing-key.ts';
import type { SkinWithData } from '../../store/skins.ts';

/** `game`: every server accepts it; `server`: this service's own key; `other`: another service's key. */
export type SignedBy = 'game' | 'server' | 'other';

export interface SignedByContext {
  readonly game: Pick<Game, 'keys'>;
  readonly ownAddresses: () => readonly string[];
}

/** Who has signed a skin, as far as is known without asking anybody. */
export function signedBy(
  { game, ownAddresses }: SignedByContext,
  { value, signature, url }: Pick<SkinWithData, 'value' | 'signature' | 'url'>,
): SignedBy {
  if (game.keys.known.some((key) => isSignedBy(key, value, signature))) return 'game';
  return ownAddresses().some((address) => url.startsWith(`${address}/textures/`)) ? 'server' : 'other';
}
