import { join } from 'node:path';
import { openStore } from '../../../src/server/store/sqlite.ts';
import { openSigningKey } from '../../../src/textures/signing-key.ts';
import { writeContracts } from '../contract/write-contracts.ts';
import { SHORT_KEY_BITS } from '../textures/shared-key.ts';
import { bundleChildPrograms } from './child-programs.ts';

/** What would take each test too long to make, as files in one folder. */
export interface Materials {
  /** A signing key that tests copy: making one takes a fifth of a second. */
  readonly signingKeyPath: string;
  /** A short one, for services that no other program uses. */
  readonly shortKeyPath: string;
  /** The module that checks answers of the service, see support/contract. */
  readonly contractsPath: string;
  /** A store with the newest schema and no rows, which tests copy. */
  readonly storePath: string;
  /** Folder of the programs that tests start as processes of their own. */
  readonly childProgramsPath: string;
  /** Folder of the compile cache of the programs that tests start. */
  readonly compiledCodePath: string;
}

export function materialsIn(folder: string): Materials {
  return {
    signingKeyPath: join(folder, 'signing-key.pem'),
    shortKeyPath: join(folder, 'short-key.pem'),
    contractsPath: join(folder, 'contracts.cjs'),
    storePath: join(folder, 'skinsmith.db'),
    childProgramsPath: join(folder, 'child-programs'),
    compiledCodePath: join(folder, 'compiled-code'),
  };
}

export async function makeMaterials(folder: string): Promise<void> {
  const { signingKeyPath, shortKeyPath, contractsPath, childProgramsPath } = materialsIn(folder);
  await Promise.all([
    writeContracts(contractsPath),
    makeStore(folder),
    bundleChildPrograms(childProgramsPath),
    openSigningKey(signingKeyPath),
    openSigningKey(shortKeyPath, SHORT_KEY_BITS),
  ]);
}

async function makeStore(folder: string): Promise<void> {
  await (await openStore(folder)).close();
}
