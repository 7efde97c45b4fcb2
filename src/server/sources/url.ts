import { pictureLink } from '../../base/page-links.ts';
import { downloadTexture, textureHashOf } from '../../game/textures.ts';
import { MAX_URL_LENGTH } from '../../protocol/generate.ts';
import { findKeyedJob } from '../queue/idempotency.ts';
import { Refusal } from '../service/refusal.ts';
import { readDataUrl } from './data-url.ts';
import { fetchPicture } from './fetch-picture.ts';
import type { Target } from './fetches.ts';
import { asksGame } from './game-refusals.ts';
import { findKnownTexture, type GameAddress } from './known-texture.ts';
import { findOnPage, ownPath, readOwn } from './own-pictures.ts';
import { reserveSpot } from './reserve-spot.ts';
import type { PictureMaterial, SourceRequest } from './source.ts';
import type { SourceContext } from './source-context.ts';
import { withinFetchLimits } from './within-fetch-limits.ts';

/** The picture at a URL; `request` identifies the caller. @throws Refusal */
export async function readUrl(
  context: SourceContext,
  text: string,
  request: SourceRequest,
): Promise<PictureMaterial> {
  if (/^data:/i.test(text)) return picture(readDataUrl(text));
  const url = parseUrl(text);
  const own = ownPath(context, url);
  if (own !== undefined) return picture(await readOwn(context, own, request.caller));
  const hash = textureHashOf(context.game.http.addresses.textures, url.href);
  if (hash !== undefined) return await readGameTexture(context, { url: url.href, hash }, request);
  const ours = await findOnPage(context, url, request.caller);
  if (ours) return picture(ours);
  return await withinLimits(context, { ...request, target: 'url' }, () =>
    fetchPicture(context.pictures, pictureLink(url)),
  );
}

function picture(bytes: Uint8Array): PictureMaterial {
  return { kind: 'picture', bytes };
}

/** Fetches a picture only if the resulting job would be accepted. @throws Refusal */
async function withinLimits(
  context: SourceContext,
  request: SourceRequest & { readonly target?: Target },
  fetch: () => Promise<Uint8Array>,
): Promise<PictureMaterial> {
  const leave = (await needsRoom(context, request)) ? await reserveSpot(context, request) : () => {};
  try {
    return { ...picture(await withinFetchLimits(context, request, fetch)), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

/** A request that generates nothing needs no room, nor does one that already has its job. */
async function needsRoom(
  { db }: Pick<SourceContext, 'db'>,
  { caller, checkOnly, idempotencyKey }: SourceRequest,
): Promise<boolean> {
  if (checkOnly) return false;
  return idempotencyKey === undefined || !(await findKeyedJob(db, caller.owner, idempotencyKey));
}

function parseUrl(text: string): URL {
  if (text.length > MAX_URL_LENGTH) {
    throw new Refusal('invalid_image_url', `The URL is longer than ${MAX_URL_LENGTH} characters.`);
  }
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new Refusal('invalid_image_url', 'The URL must start with http:, https: or data:image/png;base64,.');
}

/** A texture of the game: one that a skin in the store uses is not fetched again. */
async function readGameTexture(
  context: SourceContext,
  address: GameAddress,
  request: SourceRequest,
): Promise<PictureMaterial> {
  const known = await findKnownTexture(context, address);
  if (known) return picture(known.png);
  const download = async () => await downloadTexture(context.game.http, address.url);
  return await withinLimits(context, request, async () => {
    const { bytes } = await asksGame(context, request, download, {
      not_found: () => new Refusal('invalid_image_url', 'The game has no such texture.'),
      unexpected: () => new Refusal('invalid_image_url', 'There is no picture at this address of the game.'),
    });
    return bytes;
  });
}
