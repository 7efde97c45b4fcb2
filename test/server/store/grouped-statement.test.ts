import { expect, test } from 'vitest';
import { type Db, inTransaction } from '../../../src/server/store/db.ts';
import { GroupedStatement } from '../../../src/server/store/grouped-statement.ts';
import { prepare } from '../../../src/server/store/prepared.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { openOwnStore } from '../../support/server/running-server.ts';
import { Statements, transactionsIn } from '../../support/server/statements.ts';

interface Named {
  readonly key: string;
  readonly value: string;
}

const KEEP = prepare((db, row: Named) => db.insertInto('meta').values(row).returning('value'));

async function openGrouped(folder?: string): Promise<{ db: Db; keep: (key: string) => Promise<unknown> }> {
  const { db } = await openOwnStore(folder ?? (await ownFolder()));
  const grouped = new GroupedStatement(db, KEEP);
  return { db, keep: async (key) => await grouped.first({ key, value: `of ${key}` }) };
}

async function keysIn(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('meta')
    .select('key')
    .where('value', 'like', 'of %')
    .orderBy('key')
    .execute();
  return rows.map(({ key }) => key);
}

test('Each of the same moment gets its own result, from as few transactions as may be', async () => {
  const { db, keep } = await openGrouped();
  const keys = Array.from({ length: 40 }, (_, n) => `k${n}`);
  const statements = new Statements();
  expect(await Promise.all(keys.map(keep))).toEqual(keys.map((key) => ({ value: `of ${key}` })));
  expect(transactionsIn(statements.take())).toBe(2);
  expect(await keysIn(db)).toEqual(keys.toSorted());
});

test('One that fails takes no other with it, and leaves no transaction open', async () => {
  const { db, keep } = await openGrouped();
  await keep('taken');
  const results = await Promise.allSettled(['a', 'taken', 'b'].map(keep));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await keysIn(db)).toEqual(['a', 'b', 'taken']);
  await inTransaction(db, async (tx) => void (await KEEP.first(tx, { key: 'c', value: 'of c' })));
  expect(await keysIn(db)).toContain('c');
});

test('While a transaction of another is open, they wait, and are no part of it', async () => {
  const { db, keep } = await openGrouped();
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const other = inTransaction(db, async (tx) => {
    await KEEP.first(tx, { key: 'undone', value: 'of undone' });
    begun.resolve();
    await end.promise;
    throw new Error('undo');
  });
  await begun.promise;
  const kept = Promise.all([keep('a'), keep('b')]);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  end.resolve();
  await expect(other).rejects.toThrow('undo');
  await kept;
  expect(await keysIn(db)).toEqual(['a', 'b']);
});

test('If the store cannot be used, all fail', async () => {
  const { db, keep } = await openGrouped();
  await db.destroy();
  const results = await Promise.allSettled(['a', 'b'].map(keep));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('While another process writes, they are put off and nothing else waits for them', async () => {
  const folder = await ownFolder();
  const { db, keep } = await openGrouped(folder);
  const { db: other } = await openOwnStore(folder);
  const end = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const writing = inTransaction(other, async (tx) => {
    await KEEP.first(tx, { key: 'other', value: 'of other' });
    begun.resolve();
    await end.promise;
  });
  await begun.promise;
  const kept = Promise.all([keep('a'), keep('b')]);
  // The other transaction can only end if this process still runs.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  end.resolve();
  await writing;
  await kept;
  expect(await keysIn(db)).toEqual(['a', 'b', 'other']);
});
