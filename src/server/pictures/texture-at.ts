import type { Caller } from '../service/callers/caller.ts';
import { Refusal } from '../service/refusals/refusal.ts';
import { ownPath, textureHashIn } from '../sources/own-pictures.ts';
import type { SourceContext } from '../sources/source-context.ts';
import type { GameTextures } from './game-textures.ts';
import type { NamedTexture } from './renders.ts';
import { storedTexture, type Textures } from './texture-renders.ts';

interface TextureAtContext extends Textures, Pick<SourceContext, 'ownAddresses'> {
  readonly gameTextures: GameTextures;
}

/**
 * The texture at a URL of this service or of the game. Nothing else is fetched: it could be anybody's, and be anything.
 * @throws Refusal `invalid_image_url`, `not_found`, `rate_limit`, `service_unavailable`
 */
export async function textureAt(
  context: TextureAtContext,
  text: string,
  caller: Caller,
): Promise<NamedTexture> {
  const own = ownTextureAt(context, text);
  if (own !== undefined) return await storedTexture(context, own);
  const address = context.gameTextures.addressOf(text);
  if (address) return await context.gameTextures.find(address, caller);
  throw new Refusal('invalid_image_url', 'Only textures of the game and of this service are drawn.');
}

function ownTextureAt(context: Pick<SourceContext, 'ownAddresses'>, text: string): string | undefined {
  const url = URL.parse(text);
  const path = url ? ownPath(context, url) : undefined;
  return path === undefined ? undefined : textureHashIn(path);
}
