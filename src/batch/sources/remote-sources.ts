import { lacksScheme, sentLink } from '../../base/bounded-fetch.ts';
import { bareUuid, isUuid } from '../../base/text.ts';
import { parseBedrockPlayer } from '../../game/bedrock.ts';
import { DATA_URL_PREFIX, MAX_URL_LENGTH } from '../../protocol/generate.ts';
import { type BatchSource, type SourceContent, unusable } from '../model.ts';
import { readSkinText } from './skin-text.ts';
import { skinSource } from './supplied-skin.ts';

/** Sources that are in no file here: links, textures, players, skins of a service, data URLs and pasted skin data. */

/** Characters shown of pasted text, and of data URLs. */
const SHOWN_TEXT = 30;
const PLAYER_NAME = /^[A-Za-z0-9_]{1,16}$/;

const SKIN_HINT =
  'Give a value, "value signature", or a JSON object with both, such as a line of skins.lock.';

/** Skin data that was pasted. */
export function pastedSource(text: string): BatchSource {
  const read = readSkinText(text);
  if ('skin' in read) return skinSource(read.skin);
  const content = unusable('invalid_skin_data', read.fault, SKIN_HINT);
  return { label: `${text.slice(0, SHOWN_TEXT)}…`, content, stem: 'value' };
}

/** A picture inside its own address. */
export function dataSource(text: string): BatchSource {
  const label = `${text.slice(0, SHOWN_TEXT)}…`;
  return { label, content: dataContent(text), stem: 'data' };
}

function dataContent(text: string): SourceContent {
  if (text.slice(0, DATA_URL_PREFIX.length).toLowerCase() !== DATA_URL_PREFIX)
    return badUrl(`The data URL must start with ${DATA_URL_PREFIX}`);
  const base64 = text.slice(DATA_URL_PREFIX.length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 === 1)
    return badUrl('The data after the comma of the data URL is not base64.');
  return { kind: 'bytes', bytes: Buffer.from(base64, 'base64') };
}

/** URLs of the game's textures, with or without the scheme. */
export const GAME_TEXTURE =
  /^(?:https?:\/\/)?textures\.minecraft\.net\/texture\/([0-9a-f]{32,64})\/?(?:[?#].*)?$/i;

/** The hash of such a texture alone. */
export const TEXTURE_HASH = /^[0-9a-f]{64}$/i;

/** A texture of the game, identified by its hash however its URL is written. */
export function gameTextureSource(text: string): BatchSource {
  const texture = (GAME_TEXTURE.exec(text)?.[1] ?? text).toLowerCase();
  const url = `https://textures.minecraft.net/texture/${texture}`;
  return { label: shortened(text), content: { kind: 'url', url }, stem: texture };
}

/** A UUID without a stated kind: a skin at the service, else a player. */
export function uuidSource(text: string): BatchSource {
  const uuid = bareUuid(text);
  return { label: text, content: { kind: 'uuid', uuid }, stem: uuid };
}

/** A picture for the service to fetch. */
export function urlSource(typed: string): BatchSource {
  const text = lacksScheme(typed) ? `https://${typed}` : typed;
  const url = URL.parse(text);
  return {
    label: shortened(shownUrl(typed, url)),
    content: urlContent(text, url),
    stem: url === null ? 'url' : urlStem(url),
  };
}

function urlContent(text: string, url: URL | null): SourceContent {
  if (url === null) return badUrl('The URL is not valid.');
  if (!/^https?:$/.test(url.protocol)) return badUrl('Only http and https URLs can be used.');
  if (url.username !== '' || url.password !== '')
    return badUrl(
      'The URL contains a user name or password, which the service would see. Remove it, or download with --fetch-locally.',
    );
  if (text.length > MAX_URL_LENGTH) return badUrl(`The URL is longer than ${MAX_URL_LENGTH} characters.`);
  return { kind: 'url', url: sentLink(url) ?? text };
}

function badUrl(message: string): SourceContent {
  return unusable('invalid_image_url', message, 'Save the picture as a file and give that.');
}

/** The URL without user name and password. If the parser finds no host, it is unclear which part an @ ends. */
function shownUrl(text: string, url: URL | null): string {
  if (!text.includes('@')) return text;
  if (url === null || url.host === '') return 'URL (may contain a password)';
  if (url.username === '' && url.password === '') return text;
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href;
}

function shortened(label: string): string {
  return label.length > MAX_URL_LENGTH ? `${label.slice(0, MAX_URL_LENGTH)}…` : label;
}

function urlStem(url: URL): string {
  const segment = url.pathname.split('/').at(-1)!;
  const name = decoded(segment)
    .replace(/\.png$/i, '')
    .replaceAll('/', '_');
  return name === '' ? url.hostname : name;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // a stray % is part of the name
  }
}

/** A player's skin, by UUID or name, of either edition. `isGuess`: the text counts as a player because nothing else matched. */
export function userSource(text: string, { isGuess = false } = {}): BatchSource {
  const bedrock = parseBedrockPlayer(text);
  const typed = text.replace(/^(?:bedrock:)?\.?/i, '');
  if (bedrock !== undefined)
    return { label: text, content: { kind: 'bedrock', player: bedrock, typed }, stem: typed };
  if (isUuid(text)) {
    const user = bareUuid(text);
    return { label: text, content: { kind: 'user', user }, stem: user };
  }
  if (!PLAYER_NAME.test(text)) return { label: text, content: noPlayer(text), stem: text };
  return {
    label: text,
    content: { kind: 'user', user: text.toLowerCase(), typed: text, ...(isGuess && { isGuess }) },
    stem: text,
  };
}

function noPlayer(text: string): SourceContent {
  const hint =
    'Name a player by a UUID (32 hexadecimal digits, or 36 characters with dashes) or a name of at most 16 letters, digits and _; ' +
    'a player of Bedrock Edition by bedrock:Name, .Name or an XUID.';
  return unusable('invalid_user', `${text} is neither a player's UUID nor a name.`, hint);
}
