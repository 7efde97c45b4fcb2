import { expect, test } from 'vitest';
import type { Db } from '../../../src/server/store/db.ts';
import { GroupCommit } from '../../../src/server/store/group-commit.ts';
import { keepMeta, readMeta } from '../../../src/server/store/meta.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { openOwnStore } from '../../support/server/running-server.ts';
import { Statements, transactionsIn } from '../../support/server/statements.ts';

async function makeCommits(): Promise<{ db: Db; commits: GroupCommit; statements: Statements }> {
  const { db } = await openOwnStore(await ownFolder());
  return { db, commits: new GroupCommit(db), statements: new Statements() };
}

test('Works that come at the same moment share a transaction, in their order', async () => {
  const { db, commits, statements } = await makeCommits();
  const values = ['first', 'second'].map((value) =>
    commits.run(async (tx) => {
      await keepMeta(tx, 'last-look', value);
      return value;
    }),
  );
  expect(await Promise.all(values)).toEqual(['first', 'second']);
  expect(transactionsIn(statements.take())).toBe(1);
  expect(await readMeta(db, 'last-look')).toBe('first');
});

test('A work by itself has no transaction around it', async () => {
  const { commits, statements } = await makeCommits();
  await commits.run(async (db) => await keepMeta(db, 'last-look', 'now'));
  expect(transactionsIn(statements.take())).toBe(0);
});

test('A work that fails leaves nothing behind and takes no other with it', async () => {
  const { db, commits } = await makeCommits();
  const failing = commits.run(async (tx) => {
    if (tx.isTransaction) await keepMeta(tx, 'public-url', 'left behind');
    throw new Error('no');
  });
  const other = commits.run(async (tx) => await keepMeta(tx, 'last-look', 'now'));
  await expect(failing).rejects.toThrow('no');
  await other;
  expect([await readMeta(db, 'public-url'), await readMeta(db, 'last-look')]).toEqual([undefined, 'now']);
});

test('If the store cannot be used, all works fail with its error', async () => {
  const { db, commits } = await makeCommits();
  let attempts = 0;
  const work = async () => void attempts++;
  await db.destroy();
  const results = await Promise.allSettled([commits.run(work), commits.run(work)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(attempts).toBe(0);
});
