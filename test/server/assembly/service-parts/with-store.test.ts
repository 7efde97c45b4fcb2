import { expect, test } from 'vitest';
import { openStoreOf, withStore } from '../../../../src/server/assembly/service-parts.ts';
import { writeMeta } from '../../../../src/server/store/meta.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';

// Each test fails at its end if a file in its own folder is still open.

test('The store is closed after the work, also when that fails', async () => {
  const dataDir = await ownFolder();
  expect(await withStore({ dataDir }, async () => 'done')).toBe('done');
  const fails = async () => await Promise.reject(new Error('no user'));
  await expect(withStore({ dataDir }, fails)).rejects.toThrow('no user');
});

test('A store with only part of a copy is closed when it is refused', async () => {
  const dataDir = await ownFolder();
  const { db } = await openOwnStore(dataDir);
  await writeMeta(db, 'copying-from', 'another');
  await db.destroy();
  await expect(openStoreOf({ dataDir })).rejects.toThrow('only part of a copy');
});
