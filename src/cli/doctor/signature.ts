import { createHash, createPublicKey } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, ok, problem } from './check.ts';

/** Whether the key is known that signatures of the service verify with. */
export const signatureCheck: Check = {
  needs: ['answer'],
  look: async (patient) => {
    const { isEmbedded } = await patient.connection();
    // To ask for it would make it, which takes seconds.
    if (isEmbedded && !existsSync(join(patient.deps.folders.data, 'signing-key.pem'))) {
      return ok('This machine has no signing key yet: it is made with the first skin.');
    }
    const pem = (await patient.keyDocument())?.signaturePublickey;
    if (pem === undefined) {
      return ok('The service tells no key of its own: its skins count as signed by the game.');
    }
    const fingerprint = fingerprintOf(pem);
    if (fingerprint !== undefined)
      return ok(`The service tells its public key (${fingerprint}); results are verified with it.`);
    return problem('What the service tells as its public key is none.', 'See the log of the service.');
  },
};

/** As the server calls its key. Undefined when it is none. */
function fingerprintOf(pem: string): string | undefined {
  try {
    createPublicKey(pem);
  } catch {
    return undefined;
  }
  return createHash('sha256').update(pem).digest('hex').slice(0, 16);
}
