import { isUuid } from '../base/text.ts';
import {
  type BatchSource,
  type FinishedSkin,
  finishedSkin,
  type SourceContent,
  type SuppliedSkin,
} from '../batch/model.ts';
import { readContent } from '../batch/pictures.ts';
import { fetchPicture } from '../batch/sources/fetch-locally.ts';
import { fetchSuppliedTexture } from '../batch/sources/supplied-skin.ts';
import { ServiceError, SkinsmithError } from '../client/errors.ts';
import { isGameTexture, readTextures } from '../dispatch/proof.ts';
import { GameError } from '../game/errors.ts';
import { MAX_CHECKED_BYTES } from '../skin/check.ts';
import { copyInto, InvalidImageError, makePicture, type Picture } from '../skin/picture.ts';
import { decodePng } from '../skin/png/decode.ts';
import { encodePng } from '../skin/png/encode.ts';
import { fitSkin } from '../skin/read-skin.ts';
import type { Variant } from '../skin/regions.ts';
import { drawFlat } from '../skin/render/flat.ts';
import { drawView } from '../skin/render/render.ts';
import { chooseVariant } from '../skin/variant.ts';
import { gameAddresses, readProxies } from './config/network-settings.ts';
import type { Connection } from './connection/connect.ts';
import { type CommandContext, connectWithProgress } from './context/context.ts';
import { CliError } from './errors/exit.ts';
import type { ResultPictures, ResultView } from './output/results.ts';
import { type TypedPictureOption, terminalPictures } from './output/terminal-picture.ts';

export type ShownSkin = Pick<FinishedSkin, 'uuid' | 'texture'>;

/** Maximum size of a texture in bytes. */
const MAX_BYTES = 256 * 1024;

/**
 * Images for results. They are optional: one that is unavailable is left out, and --verbose reports why. `bytesOf`
 * returns the PNG file of a result's skin.
 */
export function resultPictures(
  typed: TypedPictureOption,
  bytesOf: (skin: ShownSkin) => Promise<Uint8Array>,
  { io, env, flags, messages }: Pick<CommandContext, 'io' | 'env' | 'flags' | 'messages'>,
): ResultPictures {
  const pictureOf = async ({ uuid, texture, variant }: ResultView): Promise<Picture | undefined> => {
    if (uuid === undefined || texture === undefined) return undefined;
    try {
      return frontOf(await bytesOf({ uuid, texture }), variant);
    } catch (error) {
      if (!(error instanceof SkinsmithError || error instanceof InvalidImageError)) throw error;
      if (flags.verbose) messages.say(`The picture is left out: ${error.message}`);
      return undefined;
    }
  };
  return { terminal: io.out.isTTY ? terminalPictures(typed.picture, io.out, env) : undefined, pictureOf };
}

/** Fetches a skin's texture from its service. The embedded service signs addresses that only `serve` answers. */
export async function textureOf(
  { uuid, texture }: ShownSkin,
  { client, isEmbedded }: Connection,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return isEmbedded
    ? await client.skinTexture(uuid, { signal })
    : await client.texture(texture.url, { signal });
}

/** The figure of a skin file at one image pixel per skin pixel. @throws InvalidImageError */
export function frontOf(bytes: Uint8Array, variant: string | undefined): Picture {
  const picture = decodePng(bytes, { maxBytes: MAX_BYTES });
  const arms = variant === 'classic' || variant === 'slim' ? variant : chooseVariant(picture).variant;
  return drawFlat(picture, arms, 'front');
}

/** Height of a figure in the file, and the margin around each, in pixels. */
const SIZE = 512;
const MARGIN = 32;

/** The figure from the front and the back, side by side on a transparent background, as a PNG of 640×576 pixels. */
export function frontAndBack(picture: Picture, variant: Variant): Uint8Array {
  const views = (['front', 'back'] as const).map((view) => drawView(picture, { view, variant, size: SIZE }));
  const width = views.reduce((sum, view) => sum + view.width + MARGIN, MARGIN);
  const sheet = makePicture(width, SIZE + 2 * MARGIN);
  let x = MARGIN;
  for (const view of views) {
    copyInto(sheet, view, x, MARGIN);
    x += view.width + MARGIN;
  }
  return encodePng(sheet);
}

export interface FoundPicture {
  /** Its title: the source as typed, with the player's or the skin's own name if there is one. */
  readonly title: string;
  readonly picture: Picture;
  readonly variant: Variant;
}

/** The texture of a skin, unchanged. */
export interface FoundTexture {
  /** The source as typed, or the player's or the skin's own name. */
  readonly title: string;
  /** A file that may be no picture. */
  readonly bytes: Uint8Array;
  /** As the skin data tells; absent: the picture has to show it. */
  readonly variant?: Variant | undefined;
}

/**
 * Finds the image for a file, URL, player, skin or skin data. A UUID is looked up among the service's skins first, then
 * among the game's players.
 * @throws CliError, and errors of the service or the game
 */
export async function findPicture(
  source: BatchSource,
  wanted: Variant | 'auto',
  context: CommandContext,
): Promise<FoundPicture> {
  const { title, bytes, variant = 'auto' } = await findTexture(source, context);
  return asFound(title, bytes, wanted === 'auto' ? variant : wanted);
}

/** The same without reading the picture. @throws CliError, and errors of the service or the game */
export async function findTexture(source: BatchSource, context: CommandContext): Promise<FoundTexture> {
  const { content, label } = source;
  if (content.kind === 'user') return await skinOfPlayer(content, label, context);
  if (content.kind === 'uuid') {
    const skin = await skinOfService(content.uuid, context);
    return skin ?? (await skinOfPlayer({ kind: 'user', user: content.uuid }, label, context));
  }
  if (content.kind === 'bedrock') return await skinOfBedrock(content, label, context);
  if (content.kind === 'data') return await skinOfData(content.given, label, context);
  const fetched = content.kind === 'url' ? await fetchHere(content.url, context) : content;
  return { title: label, bytes: bytesOf(fetched, label) };
}

async function fetchHere(url: string, { signal, env, waits }: CommandContext): Promise<SourceContent> {
  const textures = isGameTexture(url) ? gameAddresses(env)?.textures : undefined;
  return await fetchPicture(textures === undefined ? url : textures + new URL(url).pathname, {
    signal,
    proxies: readProxies(env),
    onWait: (wait) => waits.paused(wait),
  });
}

/** What a file or bytes hold. @throws CliError */
export function bytesOf(content: SourceContent, label?: string): Uint8Array {
  const read = readContent(content, label);
  if ('bytes' in read) return read.bytes;
  const { code, message, hint } = read.problem;
  throw new CliError(code, message, { hint });
}

function asFound(title: string, bytes: Uint8Array, wanted: Variant | 'auto'): FoundPicture {
  const picture = readable(
    title,
    () => fitSkin(bytes)?.picture ?? decodePng(bytes, { maxBytes: MAX_CHECKED_BYTES }),
  );
  return { title, picture, variant: chooseVariant(picture, wanted).variant };
}

/** What `read` makes of a picture. `hint`: for errors that have none. @throws CliError for a bad one, with the label */
export function readable<T>(label: string, read: () => T, hint?: string): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidImageError)) throw error;
    throw new CliError(error.code, `${label}: ${error.message}`, { hint: error.hint ?? hint, cause: error });
  }
}

/** Fetches the game's textures from the game; the selected service may host others. */
async function skinOfData(
  given: SuppliedSkin,
  label: string,
  context: CommandContext,
): Promise<FoundTexture> {
  const { url, variant } = readTextures(given.value).skin;
  const title = given.name ?? label;
  if (isGameTexture(url)) return { title, variant, bytes: bytesOf(await fetchHere(url, context)) };
  const { client } = await connectWithProgress(await context.settings(), context);
  return { title, variant, bytes: await fetchSuppliedTexture(given, client, { signal: context.signal }) };
}

/** Undefined if the service has no such skin. */
async function skinOfService(uuid: string, context: CommandContext): Promise<FoundTexture | undefined> {
  const connection = await connectWithProgress(await context.settings(), context);
  try {
    const skin = await connection.client.skin(uuid, { signal: context.signal });
    const bytes = await textureOf(finishedSkin(skin), connection, context.signal);
    const variant = skin.variant === 'unknown' ? undefined : skin.variant;
    return { title: skin.name ?? uuid, bytes, variant };
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return undefined;
    throw error;
  }
}

async function skinOfPlayer(
  content: Extract<BatchSource['content'], { kind: 'user' }>,
  label: string,
  context: CommandContext,
): Promise<FoundTexture> {
  const game = await context.game();
  const id = isUuid(content.user) ? content.user : await game.players.uuidOf(content, context.signal);
  try {
    const { name, bytes, variant } = await game.skinOf(id, context.signal);
    return { title: name, bytes, variant };
  } catch (error) {
    if (error instanceof GameError) throw lookupFailed(label, error);
    throw error;
  }
}

/** Fetches the texture from the game only. */
async function skinOfBedrock(
  content: Extract<BatchSource['content'], { kind: 'bedrock' }>,
  label: string,
  context: CommandContext,
): Promise<FoundTexture> {
  const game = await context.game();
  const { value } = await game.bedrock.skinOf(content, context.signal);
  const { url, variant } = readTextures(value).skin;
  try {
    return { title: content.typed, variant, bytes: await game.textureAt(url, context.signal) };
  } catch (error) {
    if (error instanceof GameError) throw fetchFailed(label, error);
    throw error;
  }
}

function lookupFailed(label: string, cause: GameError): CliError {
  if (cause.kind === 'not_found') {
    const message = `No skin of the service and no player is called ${label}.`;
    return new CliError('no_such_skin', message, { cause });
  }
  return fetchFailed(label, cause);
}

function fetchFailed(label: string, cause: GameError): CliError {
  if (cause.cause instanceof InvalidImageError) {
    const message = `The skin of ${label} cannot be read: ${cause.cause.message}`;
    return new CliError(cause.cause.code, message, { cause });
  }
  const message = `The skin of ${label} could not be fetched: ${cause.message}`;
  return new CliError('game_unreachable', message, { exit: 'tryLater', cause });
}
