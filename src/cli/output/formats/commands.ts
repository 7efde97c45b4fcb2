import { CliError } from '../../exit.ts';
import { profileId } from './profile-id.ts';
import type { SkinData } from './skin-data.ts';

/**
 * Commands begin without a slash: function files forbid it, consoles and command blocks do without, and for the
 * chat they are too long anyway (256 characters).
 */

/** A head with the skin, for Minecraft 1.21.5 and later: texts are SNBT. */
export function giveCommand(skin: SkinData): string {
  return giveProfile(skin, (name) => `{text:${quote(name)}}`);
}

/** For Minecraft 1.20.5 to 1.21.4: texts are JSON in a string of SNBT. */
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

/** Dresses the selected NPC of the plugin Citizens. */
export function citizensCommand(skin: SkinData): string {
  const { value, signature } = base64Only(skin);
  // The first is a key of the plugin's cache. Up to 16 characters it would be asked for as a player's name.
  return `npc skin -t ${profileId(value).uuid} ${value} ${signature}`;
}

function giveProfile(skin: SkinData, quoteText: (text: string) => string): string {
  const { value, signature } = base64Only(skin);
  const properties = `[{name:"textures",value:"${value}",signature:"${signature}"}]`;
  const name = skin.name ? `,custom_name=${quoteText(skin.name)}` : '';
  return `give @p minecraft:player_head[profile={id:${intArray(value)},properties:${properties}}${name}]`;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Commands act with every right of a server: what a service sent must not be able to end one and begin another. */
function base64Only({ value, signature }: SkinData): { value: string; signature: string } {
  if (BASE64.test(value) && BASE64.test(signature)) return { value, signature };
  throw new CliError('invalid_skin_data', 'The skin data is not base64, so no command is made of it.', {
    hint: 'See what the service sent, with the format json.',
  });
}

function intArray(value: string): string {
  return `[I;${profileId(value).parts.join(',')}]`;
}

/** What could end a line, or what consoles and command blocks drop when it is pasted. */
const UNTYPEABLE = /(?! )[\p{C}\p{Z}§]/gu;

/** A string in double quotes, as JSON and SNBT since 1.21.5 both read it. */
function quote(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(UNTYPEABLE, escapeUnits);
}

function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** A text component as JSON, in single quotes: before 1.21.5 SNBT knows no escapes but of the quote and itself. */
function quoteJsonText(text: string): string {
  return `'${`{"text":${quote(text)}}`.replace(/[\\']/g, '\\$&')}'`;
}
