import type { KeyObject } from 'node:crypto';
import { NetworkError, SkinsmithError } from '../client/errors.ts';
import { keyDocumentSchema } from '../protocol/account.ts';
import { differenceText } from '../skin/difference.ts';
import { InvalidImageError, type Picture } from '../skin/picture.ts';
import { decodePng } from '../skin/png/decode.ts';
import { pixelHash } from '../skin/read-skin.ts';
import {
  InvalidTexturesError,
  parseTexturesValue,
  type SkinData,
  textureName,
} from '../textures/property.ts';
import { isSignedBy, parsePublicKey } from '../textures/signing-key.ts';
import { type Asked, differs, expect, notTried } from './finding.ts';
import type { PublishedSkin } from './published.ts';
import type { Session } from './session.ts';

/** Whether skin data is what game servers take, and shows what was sent. */

type Place = Pick<PublishedSkin, 'texture' | 'variant'>;
type WithSession = { readonly session: Session };

/** Bytes of a signature with an RSA key of 1024 to 8192 bits. */
const SIGNATURE_BYTES = [128, 1024] as const;

/** Judges the skin data by itself, and its signature by the key that the server publishes. @throws Finding */
export async function expectData(
  { session }: WithSession,
  asked: Asked,
  { texture, variant }: Place,
): Promise<void> {
  const { data, hash, url } = texture;
  const { skin } = decoded(asked, data.value);
  expect(asked, skin !== undefined, 'a value that names a texture', 'none');
  expect(
    asked,
    placeOf(skin?.url ?? '') === placeOf(url.skin),
    `the address of the value (${skin?.url})`,
    url.skin,
  );
  const isNamed = textureName(url.skin) === hash.skin;
  expect(asked, isNamed, 'a hash that is the name of the texture', hash.skin);
  const isVariant = variant === 'unknown' || skin?.variant === variant;
  expect(asked, isVariant, `the variant of the value (${skin?.variant})`, variant);
  await expectSigned({ session }, asked, data);
}

/** @throws Finding */
export async function expectSigned(
  { session }: WithSession,
  asked: Asked,
  { value, signature }: SkinData,
): Promise<void> {
  const bytes = Buffer.from(signature, 'base64');
  const [least, most] = SIGNATURE_BYTES;
  const isText = bytes.toString('base64') === signature && bytes.length >= least && bytes.length <= most;
  expect(asked, isText, 'a signature in base64', `${bytes.length} bytes`);
  const key = await publishedKey(session);
  if (key && isSignedBy(key, value, signature)) return;
  const isGames = isOfGame(value);
  const isSigned = await session.isGames?.({ value, signature });
  // Without a key nothing can be said: then two skins must differ at least.
  if (isSigned === true || (isGames ? isSigned !== false : !key)) return;
  const whose = isGames ? 'Mojang’s key' : 'the key that GET / publishes';
  throw differs(asked, `a signature by ${whose}`, `${bytes.length} bytes that are not such a signature`);
}

/** The key at the server's root, where authlib-injector looks for it; undefined: it publishes none. */
async function publishedKey(session: Session): Promise<KeyObject | undefined> {
  const { data } = keyDocumentSchema.safeParse((await session.once('/')).json);
  if (data?.signaturePublickey === undefined) return undefined;
  try {
    return parsePublicKey(data.signaturePublickey);
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw differs({ request: 'GET /' }, 'a public key at signaturePublickey', cause.message);
  }
}

/** The host from which only the game serves textures. */
const GAME_TEXTURES = 'textures.minecraft.net';

function isOfGame(value: string): boolean {
  return URL.parse(parseTexturesValue(value).skin?.url ?? '')?.hostname === GAME_TEXTURES;
}

/** An address without its scheme: values of the game have http, answers https. */
function placeOf(url: string): string {
  const { host, pathname } = URL.parse(url) ?? { host: '', pathname: url };
  return host + pathname;
}

/** @throws Finding */
export function decoded(asked: Asked, value: string): ReturnType<typeof parseTexturesValue> {
  try {
    return parseTexturesValue(value);
  } catch (error) {
    if (!(error instanceof InvalidTexturesError)) throw error;
    throw differs(asked, 'a value that game servers can read', error.message);
  }
}

/** Fetches the texture that a value names, and compares its pixels with those that were sent. @throws Finding */
export async function expectPixels(
  { session }: WithSession,
  asked: Asked,
  { value, png }: { readonly value: string; readonly png: Buffer },
): Promise<void> {
  const made = await pictureAt(session, asked, decoded(asked, value).skin?.url ?? '');
  const sent = decodePng(png);
  if (pixelHash(made) === pixelHash(sent)) return;
  throw differs(asked, 'the picture that was sent', `another picture: ${differenceText(made, sent)}`);
}

/** @throws Finding */
export async function pictureAt(session: Session, asked: Asked, url: string): Promise<Picture> {
  try {
    return decodePng(await session.texture(url));
  } catch (error) {
    if (error instanceof InvalidImageError)
      throw differs(asked, `a picture at ${url}`, `a file that is not a picture: ${error.message}`);
    if (!(error instanceof SkinsmithError)) throw error;
    // Other hosts may be out of reach from here, which is no fault of the server.
    const isElsewhere = !url.startsWith(new URL(session.baseUrl).origin);
    if (isElsewhere && (error instanceof NetworkError || error.code === 'private_address'))
      throw notTried(`The texture at ${url} cannot be fetched from here: ${error.message}`);
    throw differs(asked, `a picture at ${url}`, error.message);
  }
}
