import { Argument, type Command } from 'commander';
import { usageError } from '../errors/exit.ts';
import { nonEmpty } from './option-values.ts';

/** The file to write, as two ways to name it give it. */
export interface TypedOutFile {
  readonly out?: string;
}

/**
 * Adds `--out <file>`, and the same file as a last argument, which help does not show: earlier scripts have it there.
 *
 * @param usage what the help shows of the arguments, such as `<set>`
 */
export function addOutFile(command: Command, { about, usage }: { about: string; usage?: string }): Command {
  return command
    .addArgument(new Argument('[file]').argParser(nonEmpty))
    .usage(['[options]', ...(usage === undefined ? [] : [usage])].join(' '))
    .option('--out <file>', about, nonEmpty);
}

/** @param typed the argument @throws CliError if both ways name a file */
export function outFileOf(typed: string | undefined, { out }: TypedOutFile): string | undefined {
  if (typed === undefined || out === undefined) return out ?? typed;
  const hint = 'Name the file to write once, with --out.';
  throw usageError('two_outputs', `Two files to write: ${typed} and ${out}.`, hint);
}
