import { type Command, InvalidArgumentError, Option } from 'commander';
import { SKIN_NAME_RULE, skinNameProblem } from '../../index.ts';
import type { SettingName } from '../config/settings.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { FORMAT_NAMES } from '../output/formats/names.ts';

/** Options for the skins to generate. */
export interface TypedSkinOptions {
  readonly name?: string;
  readonly variant?: string;
  readonly visibility?: string;
  readonly cape?: string;
}

export interface TypedOutputOptions {
  /** Names of formats, comma-separated. */
  readonly format?: string;
  readonly ndjson?: boolean;
}

export function addSkinOptions(command: Command): Command {
  return command
    .optionsGroup('Skins:')
    .option('--name <name>', `name of the skin: ${SKIN_NAME_RULE} (default: the file name)`)
    .addOption(
      new Option('--variant <variant>', 'arm variant; auto detects it from the picture').choices([
        'auto',
        'classic',
        'slim',
      ]),
    )
    .addOption(
      new Option('--visibility <visibility>', 'who can find the skin').choices([
        'public',
        'unlisted',
        'private',
      ]),
    )
    .option('--cape <cape>', 'UUID or alias of a cape for the skin (see skinsmith capes list)');
}

export function addFormatOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--format <formats>',
      `what to print or write for each skin, comma-separated: ${FORMAT_NAMES.join(', ')}`,
    ).argParser(formatsIn),
  );
}

/** Validates here, so that the error names the option; the setting itself is parsed from the text. */
function formatsIn(text: string): string {
  const unknown = text.split(',').find((name) => !FORMAT_NAMES.some((known) => known === name.trim()));
  if (unknown === undefined) return text;
  throw new InvalidArgumentError(`Unknown format ${unknown}. Formats: ${FORMAT_NAMES.join(', ')}.`);
}

export function addNdjsonOption(command: Command): Command {
  return command.option('--ndjson', 'print one line of JSON per result as it arrives');
}

/** The options that correspond to settings, as settings. */
export function typedSettings(
  typed: TypedSkinOptions & TypedOutputOptions,
): Partial<Record<SettingName, unknown>> {
  return { variant: typed.variant, visibility: typed.visibility, format: typed.format };
}

/** @throws CliError when the name is invalid, or would apply to several skins */
export function verifyName({ name }: TypedSkinOptions, isSingle: boolean): void {
  if (name === undefined) return;
  if (!isSingle) {
    throw new CliError('name_for_several', '--name names one skin, but several sources were given.', {
      exit: 'usage',
      hint: 'Leave --name out: each skin is named after its file.',
    });
  }
  const problem = skinNameProblem(name);
  if (problem !== undefined)
    throw usageError('invalid_name', `The name "${name}" is invalid: names may contain ${problem}.`);
}
