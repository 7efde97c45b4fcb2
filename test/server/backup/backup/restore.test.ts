import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { acquireLock } from '../../../../src/base/process-lock.ts';
import { readBackup } from '../../../../src/server/backup/backup.ts';
import { appendChecksum, removeChecksum } from '../../../../src/server/backup/data-files.ts';
import { discardStaged, finishRestore, nameOfWork } from '../../../../src/server/backup/swap.ts';
import { watchSteps } from '../../../support/base/file-steps.ts';
import { backUpOf, NOW, restoreInto } from '../../../support/server/backing-up.ts';
import { skinPng } from '../../../support/server/drawn-skins.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import {
  giveSigningKey,
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  WITH_KEY_FILE,
} from '../../../support/server/running-server.ts';
import { sampled, samples } from '../../../support/setup/extent.ts';

guardAgainstLeaks();

const ASIDE = 'before-restore-2026-01-02T03-04-05-678Z';
const EARLIER = 'before-restore-earlier';
let made: Promise<Buffer> | undefined;

/** A backup of a service with one skin: the same for all tests, made by the first. */
async function backupBytes(): Promise<Buffer> {
  made ??= (async () => {
    const server = await runServer(WITH_KEY_FILE);
    await server.owner.upload('/v2/generate', skinPng(1));
    return await readFile(await backUpOf(server));
  })();
  return await made;
}

async function backupFile(change: (bytes: Buffer) => Buffer = (bytes) => bytes): Promise<string> {
  const file = join(await ownFolder(), 'it.backup');
  await writeFile(file, change(Buffer.from(await backupBytes())));
  return file;
}

/** A data folder with an empty store, a key and something that is not the service's. */
async function usedFolder(): Promise<string> {
  const dataDir = await ownFolder();
  await giveSigningKey(dataDir);
  await writeFile(join(dataDir, 'submissions.ndjson'), 'not the service’s');
  const server = await runServer({ dataDir, workers: 0 });
  await server.close();
  return dataDir;
}

async function skinsIn(dataDir: string): Promise<number> {
  const { db } = await openOwnStore(dataDir);
  return (await db.selectFrom('skins').selectAll().execute()).length;
}

describe('A restore', () => {
  test('leaves no secret in the store, nor anything beside the data', async () => {
    const dataDir = join(await ownFolder(), 'new');
    await restoreInto(dataDir, await backupFile());
    expect((await readdir(dataDir)).toSorted()).toEqual(['signing-key.pem', 'skinsmith.db']);
    for (const name of ['signing-key.pem', 'skinsmith.db']) {
      expect([name, (await stat(join(dataDir, name))).mode & 0o777]).toEqual([name, 0o600]);
    }
    expect((await backupBytes()).includes('PRIVATE KEY')).toBe(true);
    expect((await readFile(join(dataDir, 'skinsmith.db'))).includes('PRIVATE KEY')).toBe(false);
  });

  test('refuses a folder with data, which stays as it is', async () => {
    const dataDir = await usedFolder();
    const names = await readdir(dataDir);
    await expect(restoreInto(dataDir, await backupFile())).rejects.toMatchObject({
      code: 'data_in_the_way',
      hint: expect.stringContaining('--move-aside'),
    });
    expect(await readdir(dataDir)).toEqual(names);
    expect(await skinsIn(dataDir)).toBe(0);
  });

  test('moves the data aside on request, and leaves files that are not the service’s', async () => {
    const dataDir = await usedFolder();
    const { aside } = await restoreInto(dataDir, await backupFile(), true);
    expect(aside).toBe(join(dataDir, ASIDE));
    expect((await readdir(aside!)).toSorted()).toEqual(['signing-key.pem', 'skinsmith.db']);
    expect([await skinsIn(dataDir), await skinsIn(aside!)]).toEqual([1, 0]);
    expect(existsSync(join(dataDir, 'submissions.ndjson'))).toBe(true);
  });

  test('does nothing while a server runs on the folder, not even with --force', async () => {
    const { dataDir, owner } = await runServer(WITH_KEY_FILE);
    await expect(restoreInto(dataDir, await backupFile(), true)).rejects.toMatchObject({
      code: 'data_in_use',
    });
    expect((await owner.upload('/v2/generate', skinPng(2))).status).toBe(200);
    expect((await readdir(dataDir)).filter((name) => name.includes('restore'))).toEqual([]);
  });

  test('moves a store aside that is too damaged to open', async () => {
    const dataDir = await usedFolder();
    await writeFile(join(dataDir, 'skinsmith.db'), 'nonsense'.repeat(1_000));
    await restoreInto(dataDir, await backupFile(), true);
    expect(await skinsIn(dataDir)).toBe(1);
  });

  test('removes what killed restores left behind, and leaves what running ones are writing', async () => {
    const dataDir = await ownFolder();
    const [abandoned, own] = await abandonedIn(dataDir);
    await restoreInto(dataDir, await backupFile());
    const left = (await readdir(dataDir)).filter((name) => name.startsWith('.'));
    expect(left).toEqual([own]);
    expect(left).not.toContain(abandoned);
  });
});

/** What restores have laid out: a killed one, one at work, an old one of another program. Answers the first two. */
async function abandonedIn(dataDir: string): Promise<[killed: string, own: string]> {
  const child = execa(process.execPath, ['-e', '']);
  const { pid } = child;
  await child; // so that nobody has its id
  const own = `.restore-${nameOfWork()}`;
  const killed = own.replace(`-${process.pid}-`, `-${pid}-`);
  for (const name of [own, killed, '.restore-old']) await mkdir(join(dataDir, name));
  await utimes(join(dataDir, '.restore-old'), 0, 0);
  return [killed, own];
}

/** A backup that someone has changed, and sealed again. */
function edited(sql: string): () => Promise<string> {
  return async () => {
    const file = await backupFile();
    await removeChecksum(file);
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
    await appendChecksum(file);
    return file;
  };
}

/** A backup that says something else of itself. */
function aboutChanged(from: string, to: string): () => Promise<string> {
  return edited(
    `update attached_files set content = cast(replace(cast(content as text), '${from}', '${to}') as blob) where name = 'about.json'`,
  );
}

describe('A file is refused', () => {
  test.each([
    ['that is not there', 'backup_unreadable', async () => join(await ownFolder(), 'nowhere')],
    ['that is no database', 'backup_damaged', () => backupFile(() => Buffer.from('nonsense'.repeat(999)))],
    ['that is cut off', 'backup_damaged', () => backupFile((bytes) => bytes.subarray(0, bytes.length / 2))],
    ['that is another database', 'backup_unreadable', edited('drop table attached_files')],
    ['of a newer program', 'backup_too_new', edited("update meta set value = 99 where key = 'schema'")],
    ['from before 0.1.0', 'backup_too_new', edited("update meta set value = 17 where key = 'schema'")],
    [
      'whose key is another',
      'backup_damaged',
      edited("update attached_files set content = x'00' where name = 'signing-key.pem'"),
    ],
    ['with a trigger', 'backup_damaged', edited(`create trigger t after insert on jobs begin select 1; end`)],
    [
      'with a view for a table',
      'backup_damaged',
      edited('drop table players; create view players as select * from users'),
    ],
    ['without a table', 'backup_damaged', edited('drop table players')],
    ['without an index', 'backup_damaged', edited('drop index jobs_by_owner')],
    ['with another column', 'backup_damaged', edited('alter table users add column x text')],
    ['of no known schema', 'backup_damaged', edited("update meta set value = 'abc' where key = 'schema'")],
    ['of an empty schema', 'backup_damaged', edited("update meta set value = '0' where key = 'schema'")],
    ['that does not name its schema', 'backup_damaged', edited("delete from meta where key = 'schema'")],
    ['whose checksum is gone', 'backup_damaged', () => backupFile((bytes) => bytes.subarray(0, -89))],
    [
      'that goes on after its checksum',
      'backup_damaged',
      () => backupFile((bytes) => Buffer.concat([bytes, bytes])),
    ],
    [
      'whose key is gone',
      'backup_damaged',
      edited("delete from attached_files where name = 'signing-key.pem'"),
    ],
    [
      'that does not say what it is',
      'backup_damaged',
      edited("update attached_files set content = '{}' where name = 'about.json'"),
    ],
    [
      'whose version would write on a terminal',
      'backup_damaged',
      aboutChanged('"version":"', '"version":"\\u001b]0;x\\u0007'),
    ],
    ['made at a time that no date has', 'backup_damaged', aboutChanged('"time":', '"time":9e15,"then":')],
  ] as const)('%s: %s', async (_, code, make) => {
    const dataDir = await ownFolder();
    await expect(restoreInto(dataDir, await make())).rejects.toMatchObject({ name: 'BackupError', code });
    expect(await readdir(dataDir)).toEqual([]);
  });
});

test('A backup with 16 changed bytes is refused, wherever they are', async () => {
  for (let seed = 0; seed < samples(100); seed++) {
    const file = await backupFile((bytes) => {
      for (let n = 0; n < 16; n++) {
        const at = createHash('sha256').update(`${seed} ${n}`).digest().readUInt32BE() % bytes.length;
        bytes[at]! ^= 1 + ((seed + n) % 255);
      }
      return bytes;
    });
    await expect(readBackup(file), `seed ${seed}`).rejects.toMatchObject({ code: 'backup_damaged' });
  }
});

test('A complete backup is read with the digest of its content', async () => {
  const file = await backupFile();
  const content = (await readFile(file)).subarray(0, -89);
  const digest = createHash('sha256').update(content).digest('hex');
  expect(await readBackup(file)).toMatchObject({ digest, about: { time: NOW } });
});

/** The moves of a restore with data in the way, in their order, as names inside the data folder. */
const MOVES = [
  ['skinsmith.db', `${ASIDE}/skinsmith.db`],
  ['signing-key.pem', `${ASIDE}/signing-key.pem`],
  ['.restore-abc/skinsmith.db', 'skinsmith.db'],
  ['.restore-abc/signing-key.pem', 'signing-key.pem'],
] as const;

/** A restore that was killed after so many of its moves. */
async function killedAfter(moves: number): Promise<string> {
  const dataDir = await ownFolder();
  for (const folder of ['.restore-abc', ASIDE]) await mkdir(join(dataDir, folder));
  for (const name of ['skinsmith.db', 'signing-key.pem']) {
    await writeFile(join(dataDir, name), 'old');
    await writeFile(join(dataDir, '.restore-abc', name), 'new');
  }
  const note = { staged: '.restore-abc', aside: ASIDE, old: ['skinsmith.db', 'signing-key.pem'] };
  await writeFile(join(dataDir, 'restore.json'), JSON.stringify(note));
  for (const [from, to] of MOVES.slice(0, moves)) await rename(join(dataDir, from), join(dataDir, to));
  return dataDir;
}

/** Completes a restore after so many turns of the event loop: several of these are at different steps of it. */
async function finishLater(dataDir: string, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await setImmediate();
  await finishRestore(dataDir, NOW);
}

test.each([0, 1, 2, 3, 4])(
  'A restore killed after %i of its moves is completed by the next processes, twenty at once',
  async (moves) => {
    for (let round = 0; round < samples(12); round++) {
      const dataDir = await killedAfter(moves);
      await Promise.all(Array.from({ length: 20 }, async (_, turns) => await finishLater(dataDir, turns)));
      expect(await contentsOf(dataDir)).toEqual(['new', 'new']);
      expect(await contentsOf(join(dataDir, ASIDE))).toEqual(['old', 'old']);
      expect((await readdir(dataDir)).toSorted()).toEqual([ASIDE, 'signing-key.pem', 'skinsmith.db']);
    }
  },
);

test('If a process that completes a restore hangs, the others name it and stop waiting', async () => {
  const dataDir = await killedAfter(2);
  const lock = await acquireLock(join(dataDir, '.restore-abc', 'lock'), 'restore');
  await expect(finishRestore(dataDir, NOW, 0)).rejects.toMatchObject({
    code: 'data_in_use',
    message: `Process ${process.pid} is completing a restore into ${dataDir} and does not finish.`,
    hint: expect.stringMatching(/End it/),
  });
  if ('release' in lock) lock.release();
  await finishRestore(dataDir, NOW, 0);
  expect(await contentsOf(dataDir)).toEqual(['new', 'new']);
});

test('A restore that fails after noting that its files replace the old ones keeps its files', async () => {
  const dataDir = await killedAfter(2);
  await discardStaged(dataDir, '.restore-abc');
  await finishRestore(dataDir, NOW);
  expect(await contentsOf(dataDir)).toEqual(['new', 'new']);
  await mkdir(join(dataDir, '.restore-def'));
  await discardStaged(dataDir, '.restore-def');
  expect(await readdir(dataDir)).not.toContain('.restore-def');
});

async function contentsOf(folder: string): Promise<string[]> {
  return await Promise.all(
    ['skinsmith.db', 'signing-key.pem'].map(async (name) => await readFile(join(folder, name), 'utf8')),
  );
}

test('A server that starts removes what killed restores left behind', async () => {
  const dataDir = await usedFolder();
  const [, own] = await abandonedIn(dataDir);
  const server = await runServer({ dataDir, workers: 0 });
  await server.close();
  expect((await readdir(dataDir)).filter((name) => name.startsWith('.restore'))).toEqual([own]);
});

/** A folder with an empty store, over which a backup with one skin was to be restored: only the note was written. */
async function halfRestored(): Promise<string> {
  const [dataDir, other] = [await usedFolder(), await ownFolder()];
  await restoreInto(other, await backupFile());
  await rename(other, join(dataDir, '.restore-abc'));
  await mkdir(other); // it is cleared away when the test ends
  const note = { staged: '.restore-abc', aside: EARLIER, old: ['skinsmith.db', 'signing-key.pem'] };
  await writeFile(join(dataDir, 'restore.json'), JSON.stringify(note));
  return dataDir;
}

test('A backup after a killed restore contains the restored data', async () => {
  const dataDir = await halfRestored();
  const again = join(await ownFolder(), 'again');
  await restoreInto(again, await backUpOf({ dataDir }));
  expect(await skinsIn(again)).toBe(1);
});

test('A restore over a half-finished one sets aside the data that the earlier one had restored', async () => {
  const dataDir = await halfRestored();
  const { aside } = await restoreInto(dataDir, await backupFile(), true);
  expect([await skinsIn(dataDir), await skinsIn(aside!)]).toEqual([1, 1]);
});

test('A server that starts finishes a killed restore first', async () => {
  const dataDir = await halfRestored();
  const server = await runServer({ dataDir, workers: 0 });
  await server.close();
  expect([await skinsIn(dataDir), await skinsIn(join(dataDir, EARLIER))]).toEqual([1, 0]);
});

/** Folders with a service that cannot be read, over which a backup is to be restored. */
async function damagedService() {
  const [dataDir, file] = [await ownFolder(), await backupFile()];
  for (const name of ['skinsmith.db', 'signing-key.pem']) await writeFile(join(dataDir, name), 'old');
  return { dataDir, run: async () => await restoreInto(dataDir, file, true) };
}

test('A restore reaches the disk step by step: its note before the first move, the moves before the note goes', async () => {
  const { dataDir, run } = await damagedService();
  const { steps, unwatch } = watchSteps(dataDir);
  await run();
  unwatch();
  const order = steps.flatMap(({ act, path, to }) => {
    if (act === 'flush' && path === dataDir) return ['flush'];
    if (path === join(dataDir, 'restore.json')) return ['note gone'];
    if (to === join(dataDir, 'restore.json')) return ['note'];
    return act === 'rename' && !to?.endsWith('.holder') ? ['move'] : [];
  });
  expect(order).toEqual(['note', 'flush', 'move', 'move', 'move', 'move', 'flush', 'note gone']);
});

test('Whatever step of a restore fails, the next start finds all old files or all new ones, and nothing else', async () => {
  const whole = await damagedService();
  const { steps, unwatch } = watchSteps(whole.dataDir);
  await whole.run();
  unwatch();
  const fresh = await contentsOf(whole.dataDir);
  const seen = new Set<boolean>();
  for (const failing of sampled([...steps.keys()], 2)) {
    const { dataDir, run } = await damagedService();
    const { unwatch } = watchSteps(dataDir, (number) => {
      if (number === failing + 1) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    });
    await run().catch(() => {});
    unwatch();
    await finishRestore(dataDir, NOW);
    const isNew = existsSync(join(dataDir, ASIDE));
    seen.add(isNew);
    const where = `${steps[failing]?.act} ${steps[failing]?.path.slice(whole.dataDir.length)}`;
    expect(await contentsOf(dataDir), where).toEqual(isNew ? fresh : ['old', 'old']);
    if (isNew) expect(await contentsOf(join(dataDir, ASIDE)), where).toEqual(['old', 'old']);
    const names = [...(isNew ? [ASIDE] : []), 'signing-key.pem', 'skinsmith.db'];
    // What could not be removed is of this process, and so removed after its end.
    const isLeft = (name: string) => steps[failing]?.act !== 'remove' || !name.startsWith('.restore-');
    expect((await readdir(dataDir)).filter(isLeft).toSorted(), where).toEqual(names);
  }
  expect(seen).toEqual(new Set([false, true]));
});
