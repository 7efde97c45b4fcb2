import { createRequire } from 'node:module';
import { inject } from 'vitest';
import type { Contract } from './contract.ts';

/** The contracts written for this run, see write-contracts.ts. */
export function loadContracts(): { readonly own: Contract; readonly published: Contract } {
  return createRequire(import.meta.url)(inject('contractsPath')) as ReturnType<typeof loadContracts>;
}
