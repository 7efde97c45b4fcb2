import { existsSync } from 'node:fs';
import { type Check, ok, warning } from './check.ts';
import { lookAtFolder, readableByOthers } from './folders.ts';

/** Checks the config file: readable, private to its owner, and in a writable folder. */
export const configCheck: Check = {
  needs: [],
  look: async ({ context: { configFile, folders } }) => {
    await configFile.settings(); // throws if the file is invalid
    const folder = await lookAtFolder(folders.config);
    if (folder.result === 'problem') {
      // Not a problem for the other checks: commands work with the settings that there are.
      const detail = `${folder.detail} No settings and API keys can be stored.`;
      return warning(detail, 'Make it writable, or choose another: SKINSMITH_CONFIG_DIR');
    }
    const { path } = configFile;
    if (!existsSync(path)) return { ...folder, detail: `There is no ${path}: the defaults apply.` };
    if ((await readableByOthers([path])).length > 0) {
      return warning(`${path} holds API keys and can be read by others.`, `chmod 600 ${path}`);
    }
    return folder.result === 'ok' ? ok(`${path} is fine.`) : folder;
  },
};
