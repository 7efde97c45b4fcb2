import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintIn } from '../../batch/proof/verify-skin.ts';
import { type Check, ok, problem } from './check.ts';

/** Checks that the key for verifying the service's signatures is known. */
export const signatureCheck: Check = {
  needs: ['answer'],
  look: async (setup) => {
    const { isEmbedded } = await setup.connection();
    // Requesting the key would generate it, which takes a while.
    if (isEmbedded && !existsSync(join(setup.context.folders.data, 'signing-key.pem'))) {
      return ok('This machine has no signing key yet; the first skin creates it.');
    }
    const pem = (await setup.keyDocument())?.signaturePublickey;
    if (pem === undefined) {
      return ok('The service publishes no key of its own, so its skins should be signed by the game.');
    }
    const fingerprint = fingerprintIn(pem);
    if (fingerprint !== undefined)
      return ok(`The service publishes its public key (${fingerprint}); results are verified with it.`);
    return problem(
      'The public key that the service publishes is not a valid key.',
      'See the log of the service.',
    );
  },
};
