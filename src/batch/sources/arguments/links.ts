import { bareUuid, isUuid } from '../../../base/uuid.ts';
import { DATA_URL_PREFIX, MAX_URL_LENGTH } from '../../../protocol/generate.ts';
import type { BatchSource, SourceContent } from '../../model/source.ts';

const DATA_LABEL_LENGTH = 30;
const PLAYER_NAME = /^[A-Za-z0-9_]{1,16}$/;
/** Hardly any players have names of one or two characters; such a short path is more likely mistyped. */
const LIKELY_NAME = /^[A-Za-z0-9_]{3,16}$/;

/** A picture inside its own address. */
export function dataSource(text: string): BatchSource {
  const label = `${text.slice(0, DATA_LABEL_LENGTH)}…`;
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
const GAME_TEXTURE = /^(?:https?:\/\/)?textures\.minecraft\.net\/texture\/([0-9a-f]{32,64})\/?(?:[?#].*)?$/i;

/** Whether a text is the URL of a texture served by the game. */
export function isGameTextureAddress(text: string): boolean {
  return GAME_TEXTURE.test(text);
}

/** A texture of the game, identified by its hash however its URL is written. */
export function gameTextureSource(text: string): BatchSource {
  const texture = GAME_TEXTURE.exec(text)?.[1]?.toLowerCase() ?? '';
  const url = `https://textures.minecraft.net/texture/${texture}`;
  return { label: shortened(text), content: { kind: 'url', url }, stem: texture };
}

/** A UUID without a stated kind: a skin at the service, else a player. */
export function uuidSource(text: string): BatchSource {
  const uuid = bareUuid(text);
  return { label: text, content: { kind: 'uuid', uuid }, stem: uuid };
}

/** A picture for the service to fetch. */
export function urlSource(text: string): BatchSource {
  const url = URL.parse(text);
  return {
    label: shortened(shownUrl(text, url)),
    content: urlContent(text, url),
    stem: url === null ? 'url' : urlStem(url),
  };
}

function urlContent(text: string, url: URL | null): SourceContent {
  if (url === null) return badUrl('The URL is not valid.');
  if (!/^https?:$/.test(url.protocol)) return badUrl('Only http and https URLs can be used.');
  if (url.username !== '' || url.password !== '')
    return badUrl('A URL with a user name or password is not sent: the service would learn them.');
  if (text.length > MAX_URL_LENGTH) return badUrl(`The URL is longer than ${MAX_URL_LENGTH} characters.`);
  return { kind: 'url', url: text };
}

function badUrl(message: string): SourceContent {
  const hint = 'Save the picture as a file and give that.';
  return { kind: 'problem', problem: { code: 'invalid_image_url', message, hint } };
}

/** The URL without user name and password. Where the parser finds no host, nobody knows which part an @ ends. */
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

/** Whether a text that is not a path may be a player's name. */
export function looksLikePlayer(text: string): boolean {
  return isUuid(text) || LIKELY_NAME.test(text);
}

/** A player's skin, by UUID or name. `isGuess`: the text was taken for a player because nothing else matched. */
export function userSource(text: string, { isGuess = false } = {}): BatchSource {
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
    'A player is named by a UUID (32 hexadecimal digits, or 36 characters with dashes) or a name of at most 16 letters, digits and _.';
  const problem = { code: 'invalid_user', message: `${text} is neither a player's UUID nor a name.`, hint };
  return { kind: 'problem', problem };
}
