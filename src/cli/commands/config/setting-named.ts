import { isSettingName, SETTING_NAMES, type SettingName } from '../../config/settings.ts';
import { usageError } from '../../errors/exit.ts';

/** @throws CliError naming the valid settings; for `api-key` it says how keys are stored */
export function settingNamed(name: string): SettingName {
  if (isSettingName(name)) return name;
  if (name === 'api-key') {
    const hint = 'Store one: skinsmith login. Forget it: skinsmith logout. In CI: SKINSMITH_API_KEY.';
    throw usageError(
      'api_key_elsewhere',
      'API keys are kept per service, and never typed on a command line.',
      hint,
    );
  }
  throw usageError('unknown_setting', `Unknown setting ${name}.`, `Settings: ${SETTING_NAMES.join(', ')}`);
}
