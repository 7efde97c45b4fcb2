import { type ScriptWriter, valuedNames } from './script.ts';
import type { CompletedCommand, CompletedOption } from './tree.ts';

export const fish: ScriptWriter = (
  commands,
) => `# Completion of skinsmith for fish, made from its commands. To use it:
#   skinsmith completion fish > ~/.config/fish/completions/skinsmith.fish

set -g __skinsmith_commands ${commands.map(({ path }) => quoted(path)).join(' ')}
set -g __skinsmith_valued ${commands.flatMap(valuedPlaces).map(quoted).join(' ')}
${ENGINE}
complete -c skinsmith -f
${commands.flatMap(linesOf).join('\n')}
`;

/** Each option that takes a value, after its command. */
function valuedPlaces(command: CompletedCommand): string[] {
  return valuedNames(command).map(({ name }) => `${command.path} ${name}`);
}

function linesOf(command: CompletedCommand): string[] {
  const { path, commands, options, arguments: specs, isVariadic } = command;
  const here = `__skinsmith_at ${quoted(path)}`;
  const condition = path === '' ? '' : ` -n ${quoted(here)}`; // global options apply to every command
  return [
    ...commands.map(
      ({ name, summary }) =>
        `complete -c skinsmith -n ${quoted(here)} -a ${quoted(name)} -d ${quoted(summary)}`,
    ),
    ...options.map((option) => `complete -c skinsmith${condition}${optionFlags(option)}`),
    ...specs.map((spec, index) => {
      const more = isVariadic && index === specs.length - 1 ? ' more' : '';
      const place = quoted(`__skinsmith_at ${quoted(path)} ${index}${more}`);
      return `complete -c skinsmith -n ${place}${valueFlags(spec)}`;
    }),
  ];
}

function optionFlags({ names, description, values }: CompletedOption): string {
  const flags = names.map((name) =>
    name.startsWith('--') ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`,
  );
  const value = values === undefined ? '' : ` -r${valueFlags(values)}`;
  return `${flags.join('')}${value} -d ${quoted(description)}`;
}

function valueFlags(spec: string): string {
  const [kind, ...words] = spec.split(' ');
  if (kind === 'files') return ' -F';
  if (kind === 'folders') return " -f -a '(__fish_complete_directories)'";
  if (kind === 'ask') return ` -f -k -a ${quoted(`(__skinsmith_ask ${words.join(' ')})`)}`;
  if (kind === 'words') return ` -f -a ${quoted(words.join(' '))}`;
  if (kind === 'list') return ` -f -a ${quoted(`(__fish_append , ${words.join(' ')})`)}`;
  return ' -f';
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}

const ENGINE = `
# Whether the command $argv[1] is being typed; with $argv[2], whether its argument of that number, from 0, is next,
# or (with more) a later one.
function __skinsmith_at
    set -l at ''
    set -l count 0
    set -l skip 0
    set -l ended 0
    for token in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if test $ended = 0 -a "$token" = --
            set ended 1
        else if test $ended = 0; and string match -q -- '-?*' "$token"
            if contains -- "$at $token" $__skinsmith_valued; or contains -- " $token" $__skinsmith_valued
                set skip 1
            end
        else if contains -- (string trim -- "$at $token") $__skinsmith_commands
            set at (string trim -- "$at $token")
        else
            set count (math $count + 1)
        end
    end
    test "$at" = "$argv[1]"; or return 1
    set -q argv[2]; or return 0
    test $count = $argv[2]; or begin
        set -q argv[3]; and test $count -gt $argv[2]
    end
end

# What this machine has stored of a kind.
function __skinsmith_ask
    set -l typed (commandline -opc)
    command $typed[1] complete $argv[1] -- $typed[-1] 2>/dev/null
end
`;
