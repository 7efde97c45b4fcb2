import type { CompletedCommand, CompletedOption } from './tree.ts';

/** Writes the completion script for one shell. The first command is the program itself. */
export type ScriptWriter = (commands: readonly CompletedCommand[]) => string;

/** Text in single quotes, as bash, zsh and other POSIX shells read it. */
export function posixQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Lists the names of each option that takes a value, and the possible values. */
export function valuedNames({ options }: CompletedCommand): { name: string; values: string }[] {
  return options.flatMap(({ names, values }: CompletedOption) =>
    values === undefined ? [] : names.map((name) => ({ name, values })),
  );
}

/** The function that looks up the values of an option, which bash and zsh write alike. */
export function valuesFunction(commands: readonly CompletedCommand[]): string {
  const [program, ...others] = commands;
  return `# What the value of option $2 of the command $1 can be; empty when it takes none.
_skinsmith_values() {
  values=''
  case "$1 $2" in
${others.flatMap(valueCases).join('\n')}
  *)
    case $2 in
${program ? valueCases(program).join('\n') : ''}
    esac
    ;;
  esac
}`;
}

function valueCases(command: CompletedCommand): string[] {
  const isProgram = command.path === '';
  return valuedNames(command).map(({ name, values }) => {
    const pattern = isProgram ? name : `${command.path} ${name}`;
    return `${isProgram ? '    ' : '  '}${posixQuoted(pattern)}) values=${posixQuoted(values)} ;;`;
  });
}

/** The names of all options of a command. */
export function optionNames({ options }: CompletedCommand): string[] {
  return options.flatMap(({ names }) => names);
}
