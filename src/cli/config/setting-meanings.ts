import { VERSION } from '../../base/version.ts';
import { FORMAT_NAMES } from '../output/formats/names.ts';
import type { SettingName } from './settings.ts';

/** What each setting does, what it may be, and what applies without it; help and man pages are generated from this. */
export const SETTING_MEANINGS = {
  'base-url':
    'address of the service to use, such as https://api.mineskin.org (default: the embedded service)',
  visibility: 'who can find new skins: public, unlisted or private (default: public)',
  variant:
    'arm variant of new skins: auto, classic or slim; auto detects it from the picture (default: auto)',
  slots: 'maximum number of queue slots that a command uses, 1 to 100 (default: all that your plan has)',
  'poll-interval':
    'maximum seconds between requests for the state of pending jobs, 0.2 to 60 (default: 5; for jobs --watch: 3)',
  format: `what to print or write for each skin, comma-separated: ${FORMAT_NAMES.join(', ')} (default: text; in files, json)`,
  color: 'when to use colours: auto, always or never (default: auto)',
  'user-agent': `how requests name the program, at most 200 ASCII characters (default: skinsmith/${VERSION})`,
} as const satisfies Record<SettingName, string>;
