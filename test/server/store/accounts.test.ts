import { describe, expect, onTestFinished, test } from 'vitest';
import { changeAccount, holdAccount, insertAccount } from '../../../src/server/store/accounts.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { openPostgresDb } from '../../../src/server/store/postgres/postgres-store.ts';
import { ownDatabase } from '../../support/postgres/own-database.ts';
import { accountRow } from '../../support/server/stored-accounts.ts';

describe('With PostgreSQL', () => {
  const account = accountRow();

  async function nodes(count: number): Promise<Db[]> {
    const url = await ownDatabase();
    const all = await Promise.all(Array.from({ length: count }, async () => await openPostgresDb(url)));
    for (const db of all) onTestFinished(async () => await db.destroy());
    await insertAccount(all[0]!, account);
    return all;
  }

  test('If three nodes take an account at once, one gets it', async () => {
    const all = await nodes(3);
    const taken = await Promise.all(
      Array.from({ length: 9 }, (_, n) => holdAccount(all[n % 3]!, account, { owner: `w#${n}`, until: 1 })),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  test('An account that another node used and gave back meanwhile is not taken as it was seen', async () => {
    const [db] = (await nodes(1)) as [Db];
    await changeAccount(db, account.uuid, { last_used_at: 7 });
    expect(await holdAccount(db, account, { owner: 'w#1', until: 1 })).toBe(false);
    expect(await holdAccount(db, { ...account, last_used_at: 7 }, { owner: 'w#1', until: 1 })).toBe(true);
  });
});
