import { expect, test } from 'vitest';
import type { Db } from '../../../../src/server/store/db.ts';
import { keepMeta, readMeta } from '../../../../src/server/store/meta.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';
import { Statements, transactionsIn } from '../../../support/server/statements.ts';

async function open(): Promise<{ db: Db; statements: Statements }> {
  const { db } = await openOwnStore(await ownFolder());
  return { db, statements: new Statements() };
}

/** Works that come in one turn. */
async function together(db: Db, count: number): Promise<number[]> {
  const numbers = Array.from({ length: count }, (_, number) => number);
  return await Promise.all(
    numbers.map(async (number) =>
      db.store.commit(db, async (tx) => {
        await keepMeta(tx, 'last-look', String(number));
        return number;
      }),
    ),
  );
}

test('Work of the same turn shares a transaction, in order', async () => {
  const { db, statements } = await open();
  expect(await together(db, 3)).toEqual([0, 1, 2]);
  expect(transactionsIn(statements.take())).toBe(1);
  expect(await readMeta(db, 'last-look')).toBe('0');
});

test('A statement by itself has no transaction around it', async () => {
  const { db, statements } = await open();
  await db.store.commitOne(db, async (tx) => await keepMeta(tx, 'last-look', 'now'));
  expect(transactionsIn(statements.take())).toBe(0);
  expect(await readMeta(db, 'last-look')).toBe('now');
});

test('Much work takes several transactions, so that other processes get their turn', async () => {
  const { db, statements } = await open();
  expect(await together(db, 40)).toHaveLength(40);
  expect(transactionsIn(statements.take())).toBe(2);
});

test('Failed work leaves nothing behind and does not affect other work', async () => {
  const { db } = await open();
  const failing = db.store.commit(db, async (tx) => {
    await keepMeta(tx, 'public-url', 'left behind');
    throw new Error('no');
  });
  const other = db.store.commit(db, async (tx) => await keepMeta(tx, 'last-look', 'now'));
  await expect(failing).rejects.toThrow('no');
  await other;
  expect([await readMeta(db, 'public-url'), await readMeta(db, 'last-look')]).toEqual([undefined, 'now']);
});

test('Work inside a transaction is part of it', async () => {
  const { db } = await open();
  const failing = db.transaction().execute(async (tx) => {
    const handle = Object.assign(tx, { store: db.store });
    await db.store.commit(handle, async (inner) => await keepMeta(inner, 'last-look', 'now'));
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await readMeta(db, 'last-look')).toBeUndefined();
});

test('If the store cannot be used, all work fails with its error', async () => {
  const { db } = await open();
  let attempts = 0;
  const work = async () => void attempts++;
  await db.destroy();
  const results = await Promise.allSettled([db.store.commit(db, work), db.store.commit(db, work)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(attempts).toBe(0);
});
