import { profileId, type SkinData } from './property.ts';

/**
 * Commands have no leading slash: function files forbid it, consoles and command blocks do not need it. Those with
 * signed skin data exceed the 256 characters of a line of chat anyway.
 */

/** The skin that a command is about. */
export interface CommandSubject extends SkinData {
  /** Shown as the name of a head. */
  readonly name?: string | undefined;
}

/** The skin data is not base64: a command of it could end early, and another one begin. */
export class UnsafeSkinDataError extends Error {
  override readonly name = 'UnsafeSkinDataError';

  constructor() {
    super('The skin data is not base64, so it cannot be used in a command.');
  }
}

/** A player head with the skin, for Minecraft 1.21.5 and later, where text components are SNBT. */
export function giveCommand(skin: CommandSubject): string {
  return giveProfile(skin, (name) => `{text:${quote(name)}}`);
}

/** For Minecraft 1.20.5 to 1.21.4, where text components are JSON in an SNBT string. */
export function giveCommand1205(skin: CommandSubject): string {
  return giveProfile(skin, quoteJsonText);
}

/** For Minecraft 1.16 to 1.20.4: item tags. */
export function giveCommand116(skin: CommandSubject): string {
  const { value, signature } = base64Only(skin);
  const textures = `[{Value:"${value}",Signature:"${signature}"}]`;
  const owner = `SkullOwner:{Id:${intArray(value)},Properties:{textures:${textures}}}`;
  const display = skin.name ? `,display:{Name:${quoteJsonText(skin.name)}}` : '';
  return `give @p minecraft:player_head{${owner}${display}}`;
}

/** A skin for the profiles of Minecraft 1.21.9 and later, which need no signature. */
export interface ProfileSkin {
  /** Shown as the name of a head or a mannequin. */
  readonly name?: string | undefined;
  readonly variant: 'classic' | 'slim';
  readonly look: PackLook | { readonly url: string };
}

/** Textures of a resource pack, as `npc:entity/player/guard`. The alternative is the address of a texture. */
export interface PackLook {
  readonly texture: string;
  readonly cape?: string | undefined;
  readonly elytra?: string | undefined;
}

export interface ProfileCommandOptions {
  /** Maximum characters. Default: what fits into a line of chat behind the slash; the name is left out to keep to it. */
  readonly limit?: number;
  /** Where a mannequin stands. */
  readonly at?: string;
  /** More properties of a mannequin, as SNBT that begins with a comma. */
  readonly rest?: string;
}

const CHAT_LINE = 255;

/** A player head with the skin. */
export function headCommand(skin: ProfileSkin, { limit = CHAT_LINE }: ProfileCommandOptions = {}): string {
  const command = (more = '') => `give @p player_head[profile=${profileOf(skin)}${more}]`;
  return withName(command, skin.name && `,custom_name={text:${quote(skin.name)}}`, limit);
}

/** A mannequin with the skin: an entity that looks like a player. */
export function mannequinCommand(
  skin: ProfileSkin,
  { limit = CHAT_LINE, at = '~ ~ ~', rest = '' }: ProfileCommandOptions = {},
): string {
  const command = (more = '') => `summon mannequin ${at} {profile:${profileOf(skin)}${more}${rest}}`;
  return withName(command, skin.name && `,description:{text:${quote(skin.name)}}`, limit);
}

/** The skin's face in a message. */
export function textObjectCommand({ look }: Pick<ProfileSkin, 'look'>): string {
  const profile = 'url' in look ? propertiesOf(look.url) : `texture:${quote(look.texture)}`;
  return `tellraw @a {object:player,player:{${profile}}}`;
}

function withName(command: (more?: string) => string, name: string | undefined, limit: number): string {
  const whole = command(name || '');
  return whole.length <= limit ? whole : command();
}

/** Without a model the game would take that of the default skin for the profile. */
function profileOf({ variant, look }: ProfileSkin): string {
  const model = `model:${variant === 'slim' ? 'slim' : 'wide'}`;
  if ('url' in look) return `{${propertiesOf(look.url)},${model}}`;
  const { texture, cape, elytra } = look;
  const textures = Object.entries({ texture, cape, elytra }).filter(([, path]) => path !== undefined);
  return `{${textures.map(([field, path]) => `${field}:${quote(path!)}`).join()},${model}}`;
}

/** The shortest form of the data that shows a texture, as a map, so that the command fits into a line of chat. */
function propertiesOf(url: string): string {
  const value = Buffer.from(JSON.stringify({ textures: { SKIN: { url } } })).toString('base64');
  return `properties:{textures:["${value}"]}`;
}

function giveProfile(skin: CommandSubject, quoteText: (text: string) => string): string {
  const { value, signature } = base64Only(skin);
  const properties = `[{name:"textures",value:"${value}",signature:"${signature}"}]`;
  const name = skin.name ? `,custom_name=${quoteText(skin.name)}` : '';
  return `give @p minecraft:player_head[profile={id:${intArray(value)},properties:${properties}}${name}]`;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Commands run with a server's full permissions, so data from a service must not be able to end one command and start
 * another. @throws UnsafeSkinDataError
 */
export function base64Only({ value, signature }: SkinData): SkinData {
  verifyBase64(value);
  verifyBase64(signature);
  return { value, signature };
}

/** @throws UnsafeSkinDataError */
export function verifyBase64(text: string): void {
  if (!BASE64.test(text)) throw new UnsafeSkinDataError();
}

function intArray(value: string): string {
  return `[I;${profileId(value).parts.join(',')}]`;
}

/** Characters that could end a line, or that consoles and command blocks drop on paste. */
const UNTYPEABLE = /(?! )[\p{C}\p{Z}§]/gu;

/** A double-quoted string, which JSON and SNBT since 1.21.5 parse alike. */
export function quote(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(UNTYPEABLE, escapeUnits);
}

function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** A text component as JSON in single quotes: before 1.21.5, SNBT only has escapes for the quote and the backslash. */
function quoteJsonText(text: string): string {
  return `'${`{"text":${quote(text)}}`.replace(/[\\']/g, '\\$&')}'`;
}
