import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { deleteWork, QueueFile, readWork, writeWork } from '../../../src/dispatch/peers.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

async function openFile(): Promise<DatabaseSync> {
  const folder = await ownFolder();
  (await QueueFile.open(folder, () => {})).close();
  const db = new DatabaseSync(`${folder}/queue-2.db`);
  onTestFinished(() => db.close());
  return db;
}

test('Work belongs to one process, with or without a job', async () => {
  const db = await openFile();
  expect(readWork(db, 'k')).toBeUndefined();
  const mine = { key: 'k', peer: 'me', at: 1 };
  writeWork(db, { ...mine, job: undefined });
  expect(readWork(db, 'k')).toEqual({ ...mine, job: undefined });
  writeWork(db, { ...mine, job: 'j' });
  expect(readWork(db, 'k')?.job).toBe('j');
});

test('Only the process that submits work can give it back', async () => {
  const db = await openFile();
  writeWork(db, { key: 'k', peer: 'me', job: undefined, at: 1 });
  deleteWork(db, 'k', 'another');
  expect(readWork(db, 'k')?.peer).toBe('me');
  deleteWork(db, 'k', 'me');
  expect(readWork(db, 'k')).toBeUndefined();
});
