import { chown, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { giveFolderToOwnerOf } from '../../src/base/folder-owner.ts';
import { makeSecretFile } from '../../src/base/secret-file.ts';
import { openSqliteFile } from '../../src/server/store/sqlite.ts';
import { ownFolder } from '../support/server/own-folder.ts';

/** The user of a service. */
const SERVICE = 1234;

/** Only root can give files away. */
describe.skipIf(process.getuid?.() !== 0)(
  'In a folder of the user of a service, root makes for that user',
  () => {
    test('the secrets', async () => {
      const folder = await folderOfService();
      await makeSecretFile(join(folder, 'signing-key.pem'), 'geheim');
      expect(await ownersIn(folder, ['signing-key.pem'])).toEqual([SERVICE]);
    });

    test('the store', async () => {
      const folder = await folderOfService();
      await openSqliteFile(join(folder, 'skinsmith.db'));
      expect(await ownersIn(folder, ['skinsmith.db', 'skinsmith.db-wal'])).toEqual([SERVICE, SERVICE]);
    });

    test('folders', async () => {
      const folder = await folderOfService();
      await mkdir(join(folder, 'aside'));
      giveFolderToOwnerOf(folder, join(folder, 'aside'));
      expect(await ownersIn(folder, ['aside'])).toEqual([SERVICE]);
    });
  },
);

async function folderOfService(): Promise<string> {
  const folder = await ownFolder();
  await chown(folder, SERVICE, SERVICE);
  return folder;
}

async function ownersIn(folder: string, names: readonly string[]): Promise<number[]> {
  return await Promise.all(names.map(async (name) => (await stat(join(folder, name))).uid));
}
