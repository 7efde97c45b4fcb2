import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { QueueFile } from '../../../src/dispatch/peers.ts';
import { countSubmission, recordWindows, type WindowState } from '../../../src/dispatch/shared-queue.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const NOW = 1_000_000;
const MINUTE = 60_000;
const shared: WindowState = { now: NOW, inFlight: 0, isAlone: false };
const told = (remaining: number, endsIn: number | undefined = 9_000) => [
  { span: MINUTE, limit: 20, remaining, endsIn },
];

async function openFile(): Promise<DatabaseSync> {
  const folder = await ownFolder();
  (await QueueFile.open(folder, () => {})).close();
  const db = new DatabaseSync(`${folder}/queue-2.db`);
  onTestFinished(() => db.close());
  return db;
}

/** How many submissions may be counted before a window is exhausted. */
function countAll(db: DatabaseSync, state: WindowState): number {
  let count = 0;
  while (count < 50 && countSubmission(db, state).length === 0) count++;
  return count;
}

test('All processes together submit no more than a window allows', async () => {
  const db = await openFile();
  expect(countAll(db, shared)).toBe(50);
  recordWindows(db, told(3), shared);
  expect(countAll(db, shared)).toBe(3);
  const exhausted = { span: MINUTE, limit: 20, remaining: 0, endsIn: 9_000 };
  expect(countSubmission(db, shared)).toEqual([exhausted]);
});

test('Submissions in flight when a window becomes known count in it', async () => {
  const db = await openFile();
  recordWindows(db, told(5), { ...shared, inFlight: 2 });
  expect(countAll(db, shared)).toBe(3);
});

test('An older answer does not give back what a newer one took', async () => {
  const db = await openFile();
  recordWindows(db, told(2), shared);
  recordWindows(db, told(7, 10_000), shared);
  expect(countAll(db, shared)).toBe(2);
});

test('Answers that differ by two seconds about the end of a window mean the same one', async () => {
  for (const [endsIn, left] of [
    [11_000, 2],
    [11_001, 7],
  ] as const) {
    const db = await openFile();
    recordWindows(db, told(2), shared);
    recordWindows(db, told(7, endsIn), shared);
    expect(countAll(db, shared)).toBe(left);
  }
});

test('The newest answer counts for a process that is alone', async () => {
  const db = await openFile();
  recordWindows(db, told(2), shared);
  recordWindows(db, told(7), { ...shared, isAlone: true });
  expect(countAll(db, shared)).toBe(7);
});

test('After its end, a window starts again, less what is in flight', async () => {
  const db = await openFile();
  recordWindows(db, told(0), shared);
  expect(countAll(db, { ...shared, now: NOW + 8_999 })).toBe(0);
  expect(countAll(db, { ...shared, now: NOW + 9_000, inFlight: 4 })).toBe(16);
});

test('A window that ended long ago is followed by the one that runs now', async () => {
  const db = await openFile();
  recordWindows(db, told(0), shared);
  const later = { ...shared, now: NOW + 9_000 + MINUTE + 1, inFlight: 20 };
  expect(countSubmission(db, later)).toMatchObject([{ endsIn: MINUTE - 1 }]);
});

test('A process that is alone keeps to its own count', async () => {
  const db = await openFile();
  recordWindows(db, told(0), { ...shared, isAlone: true });
  expect(countAll(db, { ...shared, isAlone: true })).toBe(50);
});

test('A window without a known end is not shared', async () => {
  const db = await openFile();
  recordWindows(db, [{ span: MINUTE, limit: 20, remaining: 0, endsIn: undefined }], shared);
  expect(countAll(db, shared)).toBe(50);
});
