import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { listAccounts } from '../../../../src/server/store/accounts.ts';
import { MIGRATIONS, migrate } from '../../../../src/server/store/migrate.ts';
import type { Tables } from '../../../../src/server/store/schema/tables.ts';
import { openSqliteFile } from '../../../../src/server/store/sqlite.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';

/** How many migrations there were before accounts had owners. */
const BEFORE = 14;

test('Game accounts that were linked before they had owners are the operator’s, and shared', async () => {
  const folder = await ownFolder();
  const { dialect } = await openSqliteFile(join(folder, 'skinsmith.db'));
  const old = new Kysely<Tables>({ dialect });
  await migrate(old, MIGRATIONS.slice(0, BEFORE));
  for (const [id, role] of [
    ['1', 'user'],
    ['2', 'operator'],
  ]) {
    await sql`insert into users (id, name, plan, role, created_at)
      values (${id}, ${role}, 'free', ${role}, 0)`.execute(old);
  }
  await sql`insert into game_accounts (uuid, name, state, secret, restores, shows_cape, altered, cape_checked_at,
    last_used_at, cool_until, error_streak, generated, failed, linked_at)
    values ('u', 'Ann', 'paused', 's', 1, 0, 0, 0, 0, 0, 0, 7, 0, 0)`.execute(old);
  await old.destroy();
  const { db } = await openOwnStore(folder);
  expect(await listAccounts(db)).toMatchObject([
    { uuid: 'u', owner: 'user:2', user: 'operator', shared: 1, state: 'paused', restores: 1, generated: 7 },
  ]);
});
