import { type Command, Option } from 'commander';
import { skinNameProblem } from '../../index.ts';
import type { SkinWish } from '../convert.ts';
import { CliError } from '../exit.ts';
import { usageError } from '../outcomes.ts';
import { FORMAT_NAMES } from '../output/formats/names.ts';
import type { SettingName, Settings } from '../settings.ts';

/** What a user types about the skins to make. */
export interface TypedSkinOptions {
  readonly name?: string;
  readonly variant?: string;
  readonly visibility?: string;
}

export interface TypedOutputOptions {
  readonly format?: string;
  readonly ndjson?: boolean;
}

export function addSkinOptions(command: Command): Command {
  return command
    .option('--name <name>', 'name of the skin (default: the file name)')
    .addOption(
      new Option('--variant <variant>', 'arms: auto looks at the picture').choices([
        'auto',
        'classic',
        'slim',
      ]),
    )
    .addOption(
      new Option('--visibility <visibility>', 'who can find it').choices(['public', 'unlisted', 'private']),
    );
}

export function addFormatOption(command: Command): Command {
  return command.addOption(
    new Option('--format <format>', 'what to print of each skin').choices(FORMAT_NAMES),
  );
}

export function addNdjsonOption(command: Command): Command {
  return command.option('--ndjson', 'print one JSON line per result as it comes');
}

/** The typed options as settings, where they are settings. */
export function typedSettings(
  typed: TypedSkinOptions & TypedOutputOptions,
): Partial<Record<SettingName, unknown>> {
  return { variant: typed.variant, visibility: typed.visibility, format: typed.format };
}

export function skinWish(typed: TypedSkinOptions, settings: Settings, sourceCount: number): SkinWish {
  if (typed.name !== undefined && sourceCount > 1) {
    throw new CliError('name_for_several', '--name names one skin, but several sources were given.', {
      exit: 'usage',
      hint: 'Leave --name out: each skin is named after its file.',
    });
  }
  const problem = typed.name === undefined ? undefined : skinNameProblem(typed.name);
  if (problem !== undefined)
    throw usageError('invalid_name', `The name "${typed.name}" cannot be used: ${problem}.`);
  return { name: typed.name, variant: settings.variant ?? 'auto', visibility: settings.visibility };
}
