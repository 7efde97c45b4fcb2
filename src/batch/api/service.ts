/** What a batch asks the service before it runs: keys and skins. */

export { type OwnKey, readOwnKey } from '../model/own-key.ts';
export { signingKeyOf } from '../proof/signing-key-of.ts';
export { skinFinder } from '../sources/given/find-skin.ts';
