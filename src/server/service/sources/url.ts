import { pictureLink, skinOnPage } from '../../../base/bounded-fetch.ts';
import type { Game } from '../../../game/game.ts';
import { downloadTexture, textureHashOf } from '../../../game/profiles.ts';
import { DATA_URL_PREFIX, MAX_DATA_URL_LENGTH, MAX_URL_LENGTH } from '../../../protocol/generate.ts';
import { uuidOrShortIdSchema } from '../../../protocol/skin.ts';
import { sniffKind } from '../../../skin/png/header.ts';
import { fetchGuarded, type GuardedAgent, type GuardedAnswer } from '../../outbound/guarded-agent.ts';
import { OutboundError, type OutboundFault } from '../../outbound/target.ts';
import { findKeyedJob } from '../../queue/enqueue.ts';
import type { Db } from '../../store/db.ts';
import type { TextureRow } from '../../store/schema/tables.ts';
import { findServedTexture, findTextureByUrl } from '../../store/textures.ts';
import type { Caller } from '../callers.ts';
import { ownPath, textureHashIn } from '../own-addresses.ts';
import { Refusal } from '../refusal.ts';
import { findByReference } from '../skins/skins.ts';
import { type Target, withinFetchLimits } from './fetches.ts';
import { isPlaceholder, requestFromGame } from './player.ts';
import { type PictureMaterial, reserveSlot, type SourceContext, type SourceRequest } from './source.ts';

/** The second one is the address of a skin's page on the hosted service. */
const SKIN = /^(?:\/v2\/skins\/([^/]+)\/texture|\/skins\/([0-9a-f]{8}|[0-9a-f-]{32,36}))$/i;

type OwnContext = Pick<SourceContext, 'db' | 'game'>;

/**
 * The picture at a path of this service, if the caller may see it. Reads it from the store, because the service sends
 * no requests to itself. @throws Refusal `invalid_image_url`
 */
export async function readOwn(context: OwnContext, path: string, caller: Caller): Promise<Uint8Array> {
  const hash = textureHashIn(path) ?? (await textureOfSkin(context, skinIn(path), caller));
  const texture = (await findServedTexture(context.db, hash)) ?? (await findByGameName(context, hash));
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
  const skin = await findByReference(context, caller, id);
  return skin && (await findServedTexture(context.db, skin.texture_hash))?.png;
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
  const skin = await findByReference(context, caller, id);
  if (skin) return skin.texture_hash;
  throw new Refusal('invalid_image_url', 'This service does not have this skin.');
}

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
  const ours = await findHostedPageSkin(context, url, request.caller);
  if (ours) return picture(ours);
  return await withinLimits(context, { ...request, target: 'url' }, (signal) =>
    fetchPicture(context.pictures, pictureLink(url), signal),
  );
}

function picture(bytes: Uint8Array): PictureMaterial {
  return { kind: 'picture', bytes };
}

/** Fetches a picture only if the resulting job would be accepted. @throws Refusal */
async function withinLimits(
  context: SourceContext,
  request: SourceRequest & { readonly target?: Target },
  fetch: (signal: AbortSignal) => Promise<Uint8Array>,
): Promise<PictureMaterial> {
  const leave = (await needsRoom(context, request)) ? await reserveSlot(context, request) : () => {};
  try {
    return { ...picture(await withinFetchLimits(context, request, fetch)), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Requests that generate nothing or already have their job need no room. */
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

/** A texture of the game, which is not fetched again if a skin in the store uses it. */
async function readGameTexture(
  context: SourceContext,
  address: GameAddress,
  request: SourceRequest,
): Promise<PictureMaterial> {
  const known = await findKnownTexture(context, address);
  if (known) return picture(known.png);
  const download = async () => await downloadTexture(context.game.http, address.url);
  return await withinLimits(context, request, async () => {
    const { bytes } = await requestFromGame(context, request, download, {
      not_found: () => new Refusal('invalid_image_url', 'Mojang does not have this texture.'),
      unexpected: () => new Refusal('invalid_image_url', 'Mojang has no picture at this address.'),
    });
    return bytes;
  });
}

/** The bytes in a `data:` URL. @throws Refusal `invalid_image_url` */
export function readDataUrl(url: string): Uint8Array {
  if (url.length > MAX_DATA_URL_LENGTH) {
    throw new Refusal('invalid_image_url', `The data URL is longer than ${MAX_DATA_URL_LENGTH} characters.`);
  }
  if (url.slice(0, DATA_URL_PREFIX.length).toLowerCase() !== DATA_URL_PREFIX) {
    throw new Refusal('invalid_image_url', `A data URL must start with ${DATA_URL_PREFIX}.`);
  }
  const base64 = url.slice(DATA_URL_PREFIX.length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 === 1) {
    throw new Refusal('invalid_image_url', 'The data after the comma of the data URL is not base64.');
  }
  return Buffer.from(base64, 'base64');
}

/** Milliseconds for the whole fetch, including redirects. */
const TIMEOUT = 10_000;
/** Far more than a skin's 20,000 bytes, so that the picture's own check can report the error. */
const MAX_BYTES = 256 * 1024;
const MAX_REDIRECTS = 5;
const HEADERS = { accept: 'image/png,*/*;q=0.1' };
const PNG_SIGNATURE = '89504e470d0a1a0a';

/** Hints for faults whose messages have none. */
const ADVICE: Readonly<Partial<Record<OutboundFault, string>>> = {
  address_refused: 'That address is not public. Send the picture itself.',
  port_refused: 'Send the picture itself.',
  too_large: 'A skin has at most 20,000 bytes.',
};

const STATUSES: Readonly<Record<number, string>> = {
  401: 'it requires a sign-in',
  403: 'it denies access',
  404: 'there is nothing at this address',
  410: 'the picture is gone',
  429: 'it has received too many requests',
};

/**
 * The PNG at an address from a caller. Its bytes decide, not its content type. Does not check whether the picture is a
 * skin.
 * @throws Refusal `invalid_image_url`, with the reason
 */
export async function fetchPicture(
  agent: GuardedAgent,
  url: string,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const answer = await fetchIt(agent, url, signal);
  const { host } = new URL(answer.url);
  if (answer.status < 200 || answer.status > 299) throw refused(host, answer);
  if (answer.bytes.length === 0) throw new Refusal('invalid_image_url', `${host} sent an empty answer.`);
  if (answer.bytes.subarray(0, 8).toString('hex') === PNG_SIGNATURE) return answer.bytes;
  throw noPng(host, answer.bytes);
}

async function fetchIt(
  agent: GuardedAgent,
  url: string,
  signal: AbortSignal | undefined,
): Promise<GuardedAnswer> {
  try {
    return await fetchGuarded(agent, {
      url,
      method: 'GET',
      headers: HEADERS,
      timeout: TIMEOUT,
      answer: 'whole',
      maxBytes: MAX_BYTES,
      maxRedirects: MAX_REDIRECTS,
      ...(signal && { signal }),
    });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const { code, message } = error;
    const advice = ADVICE[code];
    const notes = advice === undefined ? [] : [{ code, message: advice }];
    throw new Refusal('invalid_image_url', { message, notes, cause: error });
  }
}

function refused(host: string, { status }: GuardedAnswer): Refusal {
  const why = STATUSES[status];
  return new Refusal(
    'invalid_image_url',
    `${host} answered ${status}${why === undefined ? '' : `: ${why}`}.`,
  );
}

function noPng(host: string, bytes: Uint8Array): Refusal {
  const kind = sniffKind(bytes) ?? 'something other than a PNG';
  const hint = kind.includes('HTML') ? ' Give the address of the picture itself, not of its page.' : '';
  return new Refusal('invalid_image_url', `${host} answered with ${kind}, not with a PNG.${hint}`);
}

/** A texture of the game, by its address and the hash in it. */
export interface GameAddress {
  readonly url: string;
  readonly hash: string;
}

/** The game's texture if a skin in the store uses it, so that it need not be fetched. */
export async function findKnownTexture(
  { db, game }: { readonly db: Db; readonly game: Pick<Game, 'http'> },
  address: GameAddress,
): Promise<TextureRow | undefined> {
  const texture = await findTextureByUrl(db, spellingsOf(address, game.http.addresses.textures));
  return texture && isPlaceholder(texture.hash) ? undefined : texture;
}

/** A texture that the service serves, by the game's name for it: skins that the game has signed show that name. */
export async function findByGameName(
  context: { readonly db: Db; readonly game: Pick<Game, 'http'> },
  name: string,
): Promise<TextureRow | undefined> {
  const url = `${context.game.http.addresses.textures}/texture/${name}`;
  const known = await findKnownTexture(context, { url, hash: name });
  return known && (await findServedTexture(context.db, known.hash));
}

/** The spellings of a texture's address in signed data: profiles use `http:`. */
function spellingsOf({ url, hash }: GameAddress, textures: string): string[] {
  const { host, pathname } = new URL(`${textures}/texture/${hash}`);
  return [...new Set([url, `http://${host}${pathname}`, `https://${host}${pathname}`])];
}
