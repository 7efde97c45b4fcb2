import { ENVIRONMENT } from '../config/environment.ts';
import {
  envNameOf,
  isSafeToShow,
  isSettingName,
  type Origin,
  originOf,
  parseSetting,
  SETTING_NAMES,
  type SettingName,
} from '../config/settings.ts';
import type { CommandContext } from '../context/context.ts';
import { CliError } from '../errors/exit.ts';
import { type Check, ok, problem, warning } from './check.ts';

/** Checks that each setting is valid, and reports its origin and what it overrides. */
export const settingsCheck: Check = {
  needs: ['config'],
  look: async (setup) => {
    const origins = await setup.origins();
    const wrong = [...origins].flatMap(([name, origin]) => faultOf(name, origin));
    const [first] = wrong;
    if (first) return problem(wrong.map(({ message }) => message).join(' '), first.hint);
    const file = await setup.context.configFile.settings();
    const [variables, keys] = [unknownVariables(setup.context), Object.keys(file).filter(isUnknownKey)];
    if (variables.length + keys.length > 0) {
      const hint = keys.length > 0 ? KEY_HINT : VARIABLE_HINT;
      return warning(`${[...variables, ...keys].join(', ')}: no such setting.`, hint);
    }
    const hidden = SETTING_NAMES.flatMap((name) => hiddenIn(name, { origins, file }));
    if (hidden.length > 0)
      return warning(hidden.join(' '), 'Unset the variable, or the setting in the file.');
    if (origins.size === 0) return ok('Nothing is set: the defaults apply.');
    return ok(`${[...origins].map(([name, { from }]) => `${name} from ${from}`).join(', ')}.`);
  },
};

const KEY_HINT = 'Remove it from the config file; skinsmith help config set lists the settings.';
const VARIABLE_HINT = 'Unset it; skinsmith help environment lists the variables.';

function faultOf(name: SettingName, origin: Origin): CliError[] {
  try {
    parseSetting(name, origin);
    return [];
  } catch (error) {
    if (error instanceof CliError) return [error];
    throw error;
  }
}

/** `config set` rejects unknown names, so these were added by hand. */
function isUnknownKey(name: string): boolean {
  return !isSettingName(name);
}

function unknownVariables({ env }: Pick<CommandContext, 'env'>): string[] {
  const named = ENVIRONMENT.flat().flatMap((text) => text.match(/SKINSMITH_[A-Z_]+/g) ?? []);
  const known = new Set([...named, ...SETTING_NAMES.map(envNameOf)]);
  return Object.keys(env).filter((name) => name.startsWith('SKINSMITH_') && !known.has(name));
}

function hiddenIn(
  name: SettingName,
  { origins, file }: { origins: ReadonlyMap<SettingName, Origin>; file: Readonly<Record<string, unknown>> },
): string[] {
  const seen = origins.get(name);
  const beneath = originOf(name, { flags: {}, env: {}, file });
  if (!seen?.from.startsWith('SKINSMITH_') || !beneath) return [];
  if (String(seen.value) === String(beneath.value)) return [];
  return [
    `${seen.from} (${shown(name, seen)}) overrides ${name} in the config file (${shown(name, beneath)}).`,
  ];
}

function shown(name: SettingName, { value }: Origin): string {
  return isSafeToShow(name, value) ? String(value) : 'an address that is not accepted';
}
