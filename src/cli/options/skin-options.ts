import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RequiredSigner } from '../../batch/proof/verify-skin.ts';
import { parseBaseUrl, SKIN_NAME_RULE, skinNameProblem } from '../../index.ts';
import { type GameRange, GameRangeError, NEWEST_GAME, parseGames } from '../../pack/games.ts';
import { namespaceProblem } from '../../pack/names.ts';
import type { SettingName } from '../config/settings.ts';
import { CliError, usageError } from '../errors/exit.ts';
import {
  FORMAT_NAMES,
  formatsFault,
  isFormatChoice,
  PACK_FORMATS,
  splitFormats,
} from '../output/format-names.ts';
import { refuseCredentials } from './option-values.ts';

/** The option that allows outputs to replace other people's files. */
export const OVERWRITE = [
  '--overwrite',
  'replace files that skinsmith did not write, but never a source',
] as const;

/** Digits of a fingerprint shown to distinguish keys. */
const FINGERPRINT = /^[0-9a-f]{16,64}$/;

export function requireSignerOption(): Option {
  const who = 'game, the address of a service, or the fingerprint of a key';
  return new Option(
    '--require-signer <who>',
    `fail skins that were not signed by this signer: ${who}`,
  ).argParser(requiredSigner);
}

/** Parses `game`, an address, or (the first digits of) a key's fingerprint. @throws InvalidArgumentError */
function requiredSigner(text: string): RequiredSigner {
  if (text === 'game') return { kind: 'game' };
  const digits = text.replaceAll(':', '').toLowerCase();
  if (FINGERPRINT.test(digits)) return { kind: 'key', fingerprint: digits };
  refuseCredentials(text);
  try {
    return { kind: 'service', address: parseBaseUrl(text).baseUrl };
  } catch {
    throw new InvalidArgumentError('Give game, the address of a service, or the fingerprint of a key.');
  }
}

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
  /** Of the pack that has the textures. */
  readonly namespace?: string;
  /** Version of the game for commands. */
  readonly game?: string;
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
  return command
    .addOption(
      new Option(
        '--format <formats>',
        `what to print or write for each skin, comma-separated: ${FORMAT_NAMES.join(', ')}; or template:FILE`,
      ).argParser(formatsIn),
    )
    .option(
      '--namespace <name>',
      `for ${PACK_FORMATS.join(', ')}: use the textures of the pack with this namespace`,
      packNamespace,
    )
    .option(
      '--game <version>',
      `version of Minecraft for ${PACK_FORMATS.join(', ')} (default: ${NEWEST_GAME})`,
      gameVersion,
    );
}

/** @throws InvalidArgumentError */
export function packNamespace(text: string): string {
  const problem = namespaceProblem(text);
  if (problem === undefined) return text;
  throw new InvalidArgumentError(`A namespace ${problem}.`);
}

/** Every version since the oldest that packs are for has the same commands. @throws InvalidArgumentError */
function gameVersion(text: string): string {
  const { from, to } = gameRange(text);
  if (from === to) return from;
  throw new InvalidArgumentError('It must be one version.');
}

/** @throws InvalidArgumentError */
export function gameRange(text: string): GameRange {
  try {
    return parseGames(text);
  } catch (error) {
    if (error instanceof GameRangeError) throw new InvalidArgumentError(`It ${error.message}.`);
    throw error;
  }
}

/** Validates here, so that the error names the option; the setting itself is parsed from the text. */
function formatsIn(text: string): string {
  const unknown = splitFormats(text).find((name) => !isFormatChoice(name));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`Unknown format ${unknown}. Formats: ${FORMAT_NAMES.join(', ')}.`);
  const fault = formatsFault(text);
  if (fault === undefined) return text;
  throw new InvalidArgumentError(`It ${fault}.`);
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
