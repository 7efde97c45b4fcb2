import { expect, test } from 'vitest';
import type { BatchResult } from '../../../../src/batch/model.ts';
import type { GameKeys } from '../../../../src/batch/signers.ts';
import { verifyRequiredSigner } from '../../../../src/cli/batch/output.ts';

/** As a known result, which reads its skin from the lockfile when it is asked for it. */
const result = {
  source: 'a.png',
  get skin(): never {
    throw new Error('The skin was read.');
  },
} as unknown as BatchResult;
const keys = {} as GameKeys;

test('A run over known skins reads their data only if a signer is required', async () => {
  await expect(verifyRequiredSigner(result, undefined, keys)).resolves.toBeUndefined();
  await expect(verifyRequiredSigner(result, { kind: 'game' }, keys)).rejects.toThrow('The skin was read.');
});
