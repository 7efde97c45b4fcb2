import { skinOnPage } from '../../base/bounded-fetch.ts';
import { uuidOrShortIdSchema } from '../../protocol/skin.ts';
import type { Caller } from '../service/callers/caller.ts';
import { Refusal } from '../service/refusal.ts';
import { fullUuid } from '../service/skins/skin-picks.ts';
import { readSkin } from '../service/skins/skins.ts';
import { findServedTexture } from '../store/textures.ts';
import type { SourceContext } from './reserve-slot.ts';

const TEXTURE = /^\/(?:textures|v2\/images)\/([0-9a-f]{64})$/;
/** The second one is the address of a skin's page on the hosted service. */
const SKIN = /^(?:\/v2\/skins\/([^/]+)\/texture|\/skins\/([0-9a-f]{8}|[0-9a-f-]{32,36}))$/i;

/** The path, if the URL points to this service; otherwise undefined. */
export function ownPath(
  { ownAddresses }: Pick<SourceContext, 'ownAddresses'>,
  { origin, pathname }: URL,
): string | undefined {
  for (const address of ownAddresses()) {
    const own = new URL(address);
    const prefix = own.pathname.replace(/\/$/, '');
    if (own.origin === origin && pathname.startsWith(`${prefix}/`)) return pathname.slice(prefix.length);
  }
  return undefined;
}

/** The hash in the path of a texture of this service; undefined for any other path. */
export function textureHashIn(path: string): string | undefined {
  return TEXTURE.exec(path)?.[1];
}

type OwnContext = Pick<SourceContext, 'db' | 'webPages'>;

/**
 * The picture at a path of this service, if the caller may see it. Reads it from the store, because the service sends
 * no requests to itself. @throws Refusal `invalid_image_url`
 */
export async function readOwn(context: OwnContext, path: string, caller: Caller): Promise<Uint8Array> {
  const hash = textureHashIn(path) ?? (await textureOfSkin(context, skinIn(path), caller));
  const texture = await findServedTexture(context.db, hash);
  if (texture) return texture.png;
  throw new Refusal('invalid_image_url', 'This service does not have this texture.');
}

/** The picture of our skin with the UUID in an address of the hosted service; undefined if we have none. */
export async function findHostedPageSkin(
  context: OwnContext,
  url: URL,
  caller: Caller,
): Promise<Uint8Array | undefined> {
  const id = uuidOrShortIdSchema.safeParse(skinOnPage(url)).data;
  if (id === undefined) return undefined;
  const hash = await findTextureOfSkin(context, id, caller);
  return hash === undefined ? undefined : (await findServedTexture(context.db, hash))?.png;
}

/** The UUID or short ID. @throws Refusal for any other path */
function skinIn(path: string): string {
  const [, id, pageId] = SKIN.exec(path) ?? [];
  const parsed = uuidOrShortIdSchema.safeParse(id ?? pageId);
  if (parsed.success) return parsed.data;
  const message =
    'This address belongs to this service but is not a texture. Textures are at /textures/<hash> and /v2/skins/<uuid>/texture.';
  throw new Refusal('invalid_image_url', message);
}

async function textureOfSkin(context: OwnContext, id: string, caller: Caller): Promise<string> {
  const hash = await findTextureOfSkin(context, id, caller);
  if (hash !== undefined) return hash;
  throw new Refusal('invalid_image_url', 'This service does not have this skin.');
}

async function findTextureOfSkin(
  context: OwnContext,
  id: string,
  caller: Caller,
): Promise<string | undefined> {
  try {
    const { texture_hash } = await readSkin(context, caller, await fullUuid(context, caller, id));
    return texture_hash;
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'skin_not_found')) throw error;
    return undefined;
  }
}
