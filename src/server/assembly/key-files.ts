import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isOpenToOthers, makePrivate } from '../../base/secret-file.ts';
import { ACCOUNT_KEY, SIGNING_KEY } from '../backup/data-files.ts';
import type { ServerOptions } from './server-options.ts';

type KeyOptions = Pick<ServerOptions, 'dataDir' | 'signingKeyFile' | 'accountKeyFile' | 'store'>;

export function signingKeyPath({ signingKeyFile, dataDir }: KeyOptions): string {
  return signingKeyFile ?? join(dataDir, SIGNING_KEY);
}

export function accountKeyPath({ accountKeyFile, dataDir }: KeyOptions): string {
  return accountKeyFile ?? join(dataDir, ACCOUNT_KEY);
}

/**
 * The files with secrets that other users can read. Keys are made private where that is possible; mounted files cannot
 * be changed from here.
 */
export async function findOpenSecrets(options: KeyOptions): Promise<string[]> {
  const keys = [signingKeyPath(options), accountKeyPath(options)].filter((path) => existsSync(path));
  for (const path of keys) await makePrivate(path);
  const paths = [...keys, ...passwordFiles(options)];
  const open = await Promise.all(paths.map(isOpenToOthers));
  return paths.filter((_, index) => open[index]);
}

function passwordFiles({ store }: KeyOptions): string[] {
  const path = store && new URL(store.url).searchParams.get('passfile');
  return path && existsSync(path) ? [path] : [];
}
