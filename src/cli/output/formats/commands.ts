import { CliError } from '../../errors/exit.ts';
import { profileId } from './profile-id.ts';
import type { SkinData } from './skin-data.ts';

/**
 * Commands have no leading slash: function files forbid it, consoles and command blocks do not need it, and in chat the
 * commands exceed the limit of 256 characters anyway.
 */

/** A player head with the skin, for Minecraft 1.21.5 and later, where text components are SNBT. */
export function giveCommand(skin: SkinData): string {
  return giveProfile(skin, (name) => `{text:${quote(name)}}`);
}

/** For Minecraft 1.20.5 to 1.21.4, where text components are JSON in an SNBT string. */
export function giveCommand1205(skin: SkinData): string {
  return giveProfile(skin, quoteJsonText);
}

/** For Minecraft 1.16 to 1.20.4: item tags. */
export function giveCommand116(skin: SkinData): string {
  const { value, signature } = base64Only(skin);
  const textures = `[{Value:"${value}",Signature:"${signature}"}]`;
  const owner = `SkullOwner:{Id:${intArray(value)},Properties:{textures:${textures}}}`;
  const display = skin.name ? `,display:{Name:${quoteJsonText(skin.name)}}` : '';
  return `give @p minecraft:player_head{${owner}${display}}`;
}

/** Applies the skin to the selected NPC of the Citizens plugin. */
export function citizensCommand(skin: SkinData): string {
  const { value, signature } = base64Only(skin);
  // The first argument is a key of the plugin's cache. Citizens would look up a key of up to 16 characters as a
  // player's name.
  return `npc skin -t ${profileId(value).uuid} ${value} ${signature}`;
}

function giveProfile(skin: SkinData, quoteText: (text: string) => string): string {
  const { value, signature } = base64Only(skin);
  const properties = `[{name:"textures",value:"${value}",signature:"${signature}"}]`;
  const name = skin.name ? `,custom_name=${quoteText(skin.name)}` : '';
  return `give @p minecraft:player_head[profile={id:${intArray(value)},properties:${properties}}${name}]`;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Commands run with a server's full permissions, so data from a service must not be able to end one command and start
 * another.
 */
function base64Only({ value, signature }: SkinData): { value: string; signature: string } {
  if (BASE64.test(value) && BASE64.test(signature)) return { value, signature };
  throw new CliError('invalid_skin_data', 'The skin data is not base64, so no command is made of it.', {
    hint: 'See what the service sent, with the format json.',
  });
}

function intArray(value: string): string {
  return `[I;${profileId(value).parts.join(',')}]`;
}

/** Characters that could end a line, or that consoles and command blocks drop on paste. */
const UNTYPEABLE = /(?! )[\p{C}\p{Z}§]/gu;

/** A double-quoted string, which JSON and SNBT since 1.21.5 parse alike. */
function quote(text: string): string {
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
