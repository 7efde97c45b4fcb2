import { downloadTexture, textureHashOf } from '../../game/textures.ts';
import { MAX_URL_LENGTH } from '../../protocol/generate.ts';
import type { ServiceContext } from '../service/context.ts';
import { Refusal } from '../service/refusal.ts';
import { findServedTexture, findTextureByUrl } from '../store/textures.ts';
import { askingOutside } from './asking-outside.ts';
import { readDataUrl } from './data-url.ts';
import { fetchPicture } from './fetch-picture.ts';
import { asksGame } from './game-refusals.ts';
import { pictureLink } from './page-links.ts';
import type { Asking } from './source.ts';

const OWN_TEXTURE = /^\/textures\/([0-9a-f]{64})$/;

/** The bytes that a URL leads to; `asking` is who has them fetched. @throws Refusal */
export async function readUrl(context: ServiceContext, text: string, asking: Asking): Promise<Uint8Array> {
  if (/^data:/i.test(text)) return readDataUrl(text);
  const url = parseUrl(text);
  const own = ownPath(context, url);
  if (own !== undefined) return await readOwn(context, own);
  const hash = textureHashOf(context.game.http.addresses.textures, url.href);
  if (hash !== undefined) return await readGameTexture(context, { url: url.href, hash }, asking);
  return await askingOutside(context, asking, () => fetchPicture(context.pictures, pictureLink(url)));
}

function parseUrl(text: string): URL {
  if (text.length > MAX_URL_LENGTH) {
    throw new Refusal('invalid_image_url', `The URL is longer than ${MAX_URL_LENGTH} characters.`);
  }
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new Refusal('invalid_image_url', 'The URL must start with http:, https: or data:image/png;base64,.');
}

/** Where in this very service a URL leads; undefined: it leads elsewhere. */
function ownPath({ ownAddresses }: ServiceContext, { origin, pathname }: URL): string | undefined {
  for (const address of ownAddresses()) {
    const own = new URL(address);
    const prefix = own.pathname.replace(/\/$/, '');
    if (own.origin === origin && pathname.startsWith(`${prefix}/`)) return pathname.slice(prefix.length);
  }
  return undefined;
}

/** The service asks itself nothing over the network. */
async function readOwn({ db }: ServiceContext, path: string): Promise<Uint8Array> {
  const hash = OWN_TEXTURE.exec(path)?.[1];
  if (hash === undefined) {
    throw new Refusal('invalid_image_url', 'This is an address of this service, but not of a texture.');
  }
  const texture = await findServedTexture(db, hash);
  if (texture) return texture.png;
  throw new Refusal('invalid_image_url', 'This service has no such texture.');
}

/** A texture of the game: one that some skin here has is not asked for again. */
async function readGameTexture(
  context: ServiceContext,
  { url, hash }: { url: string; hash: string },
  asking: Asking,
): Promise<Uint8Array> {
  const known = await findTextureByUrl(context.db, namesOf(context, url, hash));
  if (known) return known.png;
  const download = async () => await downloadTexture(context.game.http, url);
  const { bytes } = await askingOutside(context, asking, async () => {
    return await asksGame(context, asking, download, {
      not_found: () => new Refusal('invalid_image_url', 'The game has no such texture.'),
      unexpected: () => new Refusal('invalid_image_url', 'There is no picture at this address of the game.'),
    });
  });
  return bytes;
}

/** A texture's address as it may stand in signed data: profiles write `http:`. */
function namesOf({ game }: ServiceContext, url: string, hash: string): string[] {
  const { host, pathname } = new URL(`${game.http.addresses.textures}/texture/${hash}`);
  return [...new Set([url, `http://${host}${pathname}`, `https://${host}${pathname}`])];
}
