import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { backUp } from '../../../src/server/backup/backup.ts';
import { nameOfWork } from '../../../src/server/backup/swap.ts';
import { backUpOf, NOW, restoreInto } from '../../support/server/backing-up.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { poll } from '../../support/server/poll.ts';
import {
  giveSigningKey,
  guardAgainstLeaks,
  runServer,
  WITH_KEY_FILE,
} from '../../support/server/running-server.ts';
import { TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

describe('A backup', () => {
  test('restores the keys, skins, jobs and signatures as they were when it was made', async () => {
    const server = await runServer({ ...WITH_KEY_FILE, workers: 2 });
    const { body } = await server.owner.upload('/v2/generate', skinPng(1), { visibility: 'private' });
    const file = await backUpOf(server);
    await server.owner.upload('/v2/generate', skinPng(2));
    await server.close();

    const dataDir = await ownFolder();
    const restored = await restoreInto(dataDir, file);
    expect(restored).toMatchObject({ time: NOW, aside: undefined });
    const again = await runServer({ dataDir });
    expect(again.key).toBeUndefined(); // the old one holds
    const caller = new TestCaller(again.url, { key: server.key });
    const skin = await caller.get(`/v2/skins/${body.skin?.uuid}`);
    expect(skin.body.skin).toEqual(body.skin);
    expect((await caller.get('/v2/me/skins')).body.skins).toHaveLength(1);
    expect((await caller.get('/v2/queue')).body.jobs).toHaveLength(1);
    const keyOf = async (folder: string) => await readFile(join(folder, 'signing-key.pem'), 'utf8');
    expect(await keyOf(dataDir)).toBe(await keyOf(server.dataDir));
  });

  test('is one file that its owner alone may read, with nothing left beside it', async () => {
    const server = await runServer(WITH_KEY_FILE);
    const file = await backUpOf(server);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(file, '..'))).toEqual(['it.backup']);
  });

  test('is a consistent snapshot while jobs continue', async () => {
    const server = await runServer({ ...WITH_KEY_FILE, workers: 2 });
    const file = join(await ownFolder(), 'it.backup');
    const working = (async () => {
      for (let n = 0; n < 12; n++) await server.owner.upload('/v2/generate', skinPng(n));
    })();
    await poll(
      () => server.owner.get('/v2/me/skins'),
      ({ body }) => (body.skins?.length ?? 0) > 2,
    );
    for (let n = 0; n < 3; n++) {
      await backUp({ dataDir: server.dataDir, file, now: NOW, signal: new AbortController().signal });
      expect(ask(file, 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      expect(ask(file, 'pragma foreign_key_check')).toEqual([]);
      const torn = `select uuid from jobs where status = 'completed' and skin_uuid not in (select uuid from skins)`;
      expect(ask(file, torn)).toEqual([]);
    }
    await working;
  });

  test('replaces an earlier one only when it is complete', async () => {
    const server = await runServer(WITH_KEY_FILE);
    const file = await backUpOf(server);
    const before = await readFile(file);
    const stop = new AbortController();
    stop.abort();
    const aborted = backUp({ dataDir: server.dataDir, file, now: NOW, signal: stop.signal });
    await expect(aborted).rejects.toThrow('aborted');
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(join(file, '..'))).toEqual(['it.backup']);
    await server.owner.upload('/v2/generate', skinPng(1));
    await backUp({ dataDir: server.dataDir, file, now: NOW, signal: new AbortController().signal });
    expect(ask(file, 'select count(*) as n from skins')).toEqual([{ n: 1 }]);
  });

  test('includes plans.json of the data folder', async () => {
    const server = await runServer(WITH_KEY_FILE);
    await writeFile(join(server.dataDir, 'plans.json'), '{}');
    const file = await backUpOf(server);
    const dataDir = await ownFolder();
    await restoreInto(dataDir, file);
    expect(await readFile(join(dataDir, 'plans.json'), 'utf8')).toBe('{}');
  });
});

test('A backup says which keys of the service are not in it, because they are elsewhere', async () => {
  const folder = await ownFolder();
  await giveSigningKey(folder);
  const dataDir = await ownFolder();
  const server = await runServer({
    ...WITH_KEY_FILE,
    dataDir,
    signingKeyFile: join(folder, 'signing-key.pem'),
  });
  await server.owner.upload('/v2/generate', skinPng(1));
  const file = join(folder, 'it.backup');
  const make = async () => await backUp({ dataDir, file, now: NOW, signal: new AbortController().signal });
  expect(await make()).toMatchObject({ missing: ['signing-key.pem'] });
  await writeFile(join(dataDir, 'signing-key.pem'), 'another');
  expect(await make()).toMatchObject({ missing: ['signing-key.pem'] });
  await giveSigningKey(dataDir);
  expect(await make()).toMatchObject({ missing: [] });
});

test('A backup removes what a killed backup to the same file has left', async () => {
  const server = await runServer(WITH_KEY_FILE);
  const file = await backUpOf(server);
  const child = execa(process.execPath, ['-e', '']);
  await child;
  const killed = `.it.backup.${nameOfWork()}.tmp`.replace(`-${process.pid}-`, `-${child.pid}-`);
  await writeFile(join(file, '..', killed), 'a half');
  await backUp({ dataDir: server.dataDir, file, now: NOW, signal: new AbortController().signal });
  expect(await readdir(join(file, '..'))).toEqual(['it.backup']);
});

describe('No backup is made', () => {
  const signal = new AbortController().signal;

  test('of a folder without data, in which nothing is created', async () => {
    const dataDir = await ownFolder();
    const making = backUp({ dataDir, file: join(dataDir, 'x'), now: NOW, signal });
    await expect(making).rejects.toMatchObject({
      code: 'no_data',
      message: expect.stringContaining(dataDir),
    });
    expect(await readdir(dataDir)).toEqual([]);
  });

  test.each([
    ['a folder that is not there', 'nowhere/it.backup', 'the folder does not exist'],
    ['a file in place of a folder', 'file/it.backup', 'part of the path is not a folder'],
    ['a folder by that name', 'folder', 'it is a folder'],
  ])('where there is %s: %s', async (_, name, reason) => {
    const { dataDir } = await runServer(WITH_KEY_FILE);
    const target = await ownFolder();
    await writeFile(join(target, 'file'), '');
    await mkdir(join(target, 'folder'));
    const making = backUp({ dataDir, file: join(target, name), now: NOW, signal });
    await expect(making).rejects.toMatchObject({
      code: 'backup_unwritable',
      message: expect.stringContaining(reason),
    });
    expect((await readdir(target)).toSorted()).toEqual(['file', 'folder']);
  });
});

function ask(file: string, sql: string): Record<string, unknown>[] {
  expect(existsSync(file)).toBe(true);
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}
