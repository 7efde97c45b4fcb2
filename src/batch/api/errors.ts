/** The errors of batches, as the program reports them. */

export { JournalError } from '../journal/journal-error.ts';
export { LockfileError } from '../lockfile/lockfile-error.ts';
export { BatchSetupError } from '../model/setup-error.ts';
export { DeliveryError } from '../options/options.ts';
export { fetchHint } from '../sources/fetch-hint.ts';
export { PlayerNameError } from '../sources/player-names.ts';
