import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { asRefusal } from '../../../../src/server/service/refusal.ts';
import { inTransaction } from '../../../../src/server/store/db.ts';
import { keepTexture } from '../../../../src/server/store/textures.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';

const texture = (hash: string) => ({
  hash,
  width: 64,
  height: 64,
  png: new Uint8Array(100_000),
  created_at: 0,
});

test('A transaction that finds the disk full says so, and the store continues to work', async () => {
  const { db } = await openOwnStore(await ownFolder());
  // SQLite's own limit of its file's size fails in the same way as a disk without space.
  await sql`pragma max_page_count = 1`.execute(db);
  const full = await inTransaction(db, async (tx) => await keepTexture(tx, texture('a'))).catch(
    (error: unknown) => error,
  );
  expect(asRefusal(full)).toMatchObject({
    code: 'service_unavailable',
    message: "The service's disk is full.",
  });
  await sql`pragma max_page_count = 100000`.execute(db);
  await inTransaction(db, async (tx) => await keepTexture(tx, texture('a')));
  expect(await db.selectFrom('textures').select('hash').execute()).toEqual([{ hash: 'a' }]);
});
