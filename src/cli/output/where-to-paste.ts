import type { CommandContext } from '../context/context.ts';
import { clean, count } from '../text/text.ts';
import { FORMAT_PLACES, LONG_COMMANDS, type PackFormatName } from './format-names.ts';
import { type FormatLike, formatOf, type SkinToFormat } from './formats.ts';

/** Characters that Minecraft takes in chat, the slash included. */
const CHAT_LENGTH = 256;

/** A finished skin, with what formats need to know about its source. */
interface Printed {
  readonly skin: SkinToFormat;
  readonly stem?: string | undefined;
  readonly index?: number | undefined;
}

/** After a single skin in a format for people: says where it goes. */
export function sayWhereToPaste(
  formats: readonly FormatLike[] | undefined,
  { skin, stem, index }: Printed,
  { flags, messages }: Pick<CommandContext, 'flags' | 'messages'>,
): void {
  const [wanted, ...more] = formats ?? [];
  if (flags.json || wanted === undefined || more.length > 0) return;
  const format = formatOf(wanted);
  const name = typeof wanted === 'string' ? wanted : wanted.name;
  const place = name && placeOf(name, clean(String(format.render(skin, stem, index))).length);
  if (place) messages.say(place);
}

/** The same after a command for a skin of a pack. */
export function sayWhereToTypeCommands(
  formats: readonly PackFormatName[],
  { flags, messages }: Pick<CommandContext, 'flags' | 'messages'>,
): void {
  const [format, ...more] = formats;
  const place = format && FORMAT_PLACES[format];
  if (place && more.length === 0 && !flags.json) messages.say(place);
}

/** `length`: characters of a text in the format. */
function placeOf(format: keyof typeof FORMAT_PLACES, length: number): string | undefined {
  const place = FORMAT_PLACES[format];
  const isTooLong = LONG_COMMANDS.has(format) && length >= CHAT_LENGTH;
  return place && isTooLong ? `${place} ${count(length)} characters are too long for chat.` : place;
}
