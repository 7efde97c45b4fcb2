import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { QueueFile } from '../../../src/dispatch/peers.ts';
import { childProgram } from '../../support/program/child-program.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const PROCESSES = 6;

/** In an object, because a process of execa is itself a promise of its end. */
async function startOpener(folder: string) {
  const opener = execa(process.execPath, [childProgram('open-queue-file'), folder]);
  await new Promise((resolve) => opener.stdout.once('data', resolve));
  return { opener };
}

test('Processes that create the queue file at the same moment all share it', async () => {
  for (const round of [1, 2]) {
    const folder = join(await ownFolder(), `shares-${round}`);
    const openers = await Promise.all(Array.from({ length: PROCESSES }, () => startOpener(folder)));
    const time = Date.now() + 100;
    for (const { opener } of openers) opener.stdin.write(String(time));
    const said = await Promise.all(openers.map(async ({ opener }) => (await opener).stdout.split('\n')[1]));
    expect(said).toEqual(Array(PROCESSES).fill('shared'));
  }
});

test.each(['peers', 'windows', 'looks'])(
  'A file with another form of the table %s is replaced',
  async (table) => {
    const folder = join(await ownFolder(), 'shares');
    mkdirSync(folder);
    const strange = new DatabaseSync(join(folder, 'queue-2.db'));
    strange.exec(`create table ${table} (id integer primary key, other text)`);
    strange.close();
    const broken: string[] = [];
    const file = await QueueFile.open(folder, (why) => broken.push(why));
    const columns = file.transact((db) => db.prepare('select name from pragma_table_info(?)').all(table), []);
    file.close();
    expect(broken).toEqual([]);
    expect(columns).not.toContainEqual({ name: 'other' });
    expect(columns.length).toBeGreaterThan(3);
  },
);

test('A closed file is no longer used, without an error', async () => {
  const folder = join(await ownFolder(), 'shares');
  const broken: string[] = [];
  const file = await QueueFile.open(folder, (why) => broken.push(why));
  expect(file.version).toBeGreaterThan(0);
  file.close();
  expect([file.transact(() => 'shared', 'alone'), file.version, broken]).toEqual(['alone', 0, []]);
  expect(existsSync(join(folder, 'queue-2.db-wal'))).toBe(false);
});

test('An unusable file is reported once', async () => {
  const broken: string[] = [];
  const file = await QueueFile.open(join(await ownFolder(), 'shares'), (why) => broken.push(why));
  const act = () => {
    throw new Error('The disk is full.');
  };
  expect([file.transact(act, 'alone'), file.transact(act, 'alone')]).toEqual(['alone', 'alone']);
  expect(broken).toEqual(['The disk is full.']);
});

test('A file with nonsense in the form of a database is replaced', async () => {
  const folder = join(await ownFolder(), 'shares');
  const path = join(folder, 'queue-2.db');
  (await QueueFile.open(folder, () => {})).close();
  const sound = readFileSync(path);
  writeFileSync(path, Buffer.concat([sound.subarray(0, 100), Buffer.alloc(sound.length - 100, 0xff)]));
  const broken: string[] = [];
  const file = await QueueFile.open(folder, (why) => broken.push(why));
  expect([file.transact(() => 'shared', 'alone'), broken]).toEqual(['shared', []]);
  file.close();
});

test('Readers of the file do not wait for writers', async () => {
  const file = await QueueFile.open(join(await ownFolder(), 'shares'), () => {});
  const mode = file.transact((db) => db.prepare('pragma journal_mode').get(), undefined);
  file.close();
  expect(mode).toEqual({ journal_mode: 'wal' });
});
