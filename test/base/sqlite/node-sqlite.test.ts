import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { SQLITE, sqliteCode, switchToWal } from '../../../src/base/sqlite.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

async function twoConnections(): Promise<[DatabaseSync, DatabaseSync]> {
  const path = join(await ownFolder(), 'some.db');
  const [one, other] = [new DatabaseSync(path), new DatabaseSync(path)];
  onTestFinished(() =>
    [one, other].forEach((db) => {
      db.close();
    }),
  );
  return [one, other];
}

test('A change to WAL waits while another process writes', async () => {
  const [one, other] = await twoConnections();
  one.exec('begin immediate; create table t (n)');
  const switched = switchToWal(other);
  setImmediate(() => one.exec('commit'));
  await switched;
  expect(other.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
});

test('Any other error ends the wait at once', async () => {
  const path = join(await ownFolder(), 'read-only.db');
  const writing = new DatabaseSync(path);
  onTestFinished(() => writing.close());
  writing.exec('create table t (n)');
  const readOnly = new DatabaseSync(path, { readOnly: true });
  onTestFinished(() => readOnly.close());
  const error = await switchToWal(readOnly).catch((reason: unknown) => reason);
  expect(sqliteCode(error)).toBe(SQLITE.readOnly);
  expect(sqliteCode(new Error('of no database'))).toBeNaN();
});
