import type { Command } from 'commander';

/** With more matching names than this, none is suggested. */
const MAX_NAMES = 5;
/** Characters that must be typed of an option: its dashes and two letters. */
const LEAST_OPTION = 4;

/**
 * The message of an unknown command or option, with the names that begin as it was typed: commander suggests names by
 * the letters that differ, and would rather have `open` than `generate` for `gen`.
 */
export function withPrefixMatches(message: string, command: Command): string {
  const [, kind, typed = ''] = /^error: unknown (command|option) '([^']+)'/.exec(message) ?? [];
  if (kind === undefined || (kind === 'option' && typed.length < LEAST_OPTION)) return message;
  const names = kind === 'command' ? commandNames(command) : optionNames(command);
  const meant = [...new Set(names)].filter((name) => name.startsWith(typed));
  if (meant.length === 0 || meant.length > MAX_NAMES) return message;
  const list = meant.length === 1 ? meant[0] : `one of ${meant.join(', ')}`;
  return `error: unknown ${kind} '${typed}'\n(Did you mean ${list}?)`;
}

function commandNames(command: Command): string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((child) => child.name());
}

/** Includes those of the parent commands, which are also allowed here. */
function optionNames(command: Command): string[] {
  const own = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? []);
  return command.parent ? [...own, ...optionNames(command.parent)] : own;
}
