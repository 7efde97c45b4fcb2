import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { QueueFile, REMEMBERED, readPeers, writeGone, writeOwnRow } from '../../../src/dispatch/peers.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const NOW = 1_000_000;
const JOBS = [{ id: 'j', at: 5, eta: 7 }];

async function openFile(): Promise<DatabaseSync> {
  const folder = await ownFolder();
  (await QueueFile.open(folder, () => {})).close();
  const db = new DatabaseSync(`${folder}/queue-2.db`);
  onTestFinished(() => db.close());
  return db;
}

/** One more process, whose last heartbeat was then. */
function beat(db: DatabaseSync, name: string, at: number): void {
  writeOwnRow(db, { name, wants: true, unsure: 2, jobs: JOBS, typical: 400 }, at);
}

test('A process sees other running processes, and not itself', async () => {
  const db = await openFile();
  beat(db, 'me', NOW);
  beat(db, 'other', NOW);
  expect(readPeers(db, 'me', NOW)).toEqual({
    living: [{ name: 'other', wants: true, unsure: 2, jobs: JOBS, typical: 400 }],
    gone: [],
  });
});

test('A process that is silent for ten seconds, or says so, is gone; a minute later it is forgotten', async () => {
  const db = await openFile();
  beat(db, 'silent', NOW - 10_000);
  beat(db, 'ended', NOW);
  beat(db, 'alive', NOW - 9_999);
  writeGone(db, 'ended');
  const names = (now: number) => {
    const { living, gone } = readPeers(db, 'me', now);
    return [living, gone].map((peers) => peers.map(({ name }) => name).toSorted());
  };
  expect(names(NOW)).toEqual([['alive'], ['ended', 'silent']]);
  expect(names(NOW + REMEMBERED - 9_999)).toEqual([[], ['alive', 'ended']]);
});

test('A process id counts only on its own machine', async () => {
  const db = await openFile();
  beat(db, 'far', NOW);
  db.prepare("update peers set host = 'another-machine', pid = ?").run(2 ** 22 + 1);
  expect(readPeers(db, 'me', NOW).living).toHaveLength(1);
});

test('In a container each process may have the id 1, and may not know how long jobs take', async () => {
  const db = await openFile();
  const other = { name: 'contained', wants: false, unsure: 0, jobs: [], typical: undefined };
  writeOwnRow(db, other, NOW);
  db.prepare("update peers set host = 'a-container', pid = 1").run();
  expect(readPeers(db, 'me', NOW).living).toEqual([other]);
});
