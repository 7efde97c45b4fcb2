import type { Argument, Command, Option } from 'commander';
import { specOf, valuesOfArgument, valuesOfOption } from './values.ts';

/** A command as the completion scripts need it. */
export interface CompletedCommand {
  /** Words after the program's name, such as `skins list`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  /** The command's own options; those of the program apply to every command. */
  readonly options: readonly CompletedOption[];
  /** The possible values of each argument (see `specOf`); the last argument may repeat. */
  readonly arguments: readonly string[];
  readonly isVariadic: boolean;
}

export interface CompletedOption {
  /** `-q` and `--quiet`. */
  readonly names: readonly string[];
  readonly description: string;
  /** The possible values (see `specOf`); undefined if the option takes none. */
  readonly values: string | undefined;
}

/** Every command that help lists, by its current name. */
export function completedCommands(command: Command, path = ''): CompletedCommand[] {
  const children = shownCommands(command);
  const own: CompletedCommand = {
    path,
    commands: children.map((child) => ({ name: child.name(), summary: child.summary() })),
    options: command
      .createHelp()
      .visibleOptions(command)
      .map((option) => completedOption(option, path)),
    arguments: command.registeredArguments.map((argument) => specOf(valuesOfArgument(argument, path))),
    isVariadic: command.registeredArguments.some(({ variadic }: Argument) => variadic),
  };
  const below = children.flatMap((child) => completedCommands(child, `${path} ${child.name()}`.trimStart()));
  return [own, ...below];
}

/** The visible subcommands of a command. */
export function shownCommands(command: Command): Command[] {
  const visible = command.createHelp().visibleCommands(command);
  return command.commands.filter((child) => visible.includes(child));
}

function completedOption(option: Option, path: string): CompletedOption {
  const values = valuesOfOption(option, path);
  return {
    names: [option.short, option.long].filter((name) => name !== undefined && name !== null),
    description: option.description,
    values: values && specOf(values),
  };
}
