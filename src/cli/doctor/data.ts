import { join } from 'node:path';
import { type Check, problem, warning } from './check.ts';
import { lookAtFolder, readableByOthers } from './folders.ts';

/** Files of the service that only their owner may read: private skins and signing secrets. */
const SECRETS = ['skinsmith.db', 'signing-key.pem', 'account-key'];

/** Checks the data folder: writable, with free space, its secrets private to its owner. */
export const dataCheck: Check = {
  needs: [],
  look: async ({ context: { folders } }) => {
    const folder = await lookAtFolder(folders.data);
    if (folder.result === 'problem') {
      return problem(folder.detail, 'Make it writable, or choose another: SKINSMITH_DATA_DIR');
    }
    const open = await readableByOthers(SECRETS.map((name) => join(folders.data, name)));
    if (open.length === 0) return folder;
    return warning(`Others can read ${open.join(', ')}.`, `chmod 600 ${open.join(' ')}`);
  },
};
