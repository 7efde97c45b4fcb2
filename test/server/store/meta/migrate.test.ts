import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NEWEST_SCHEMA } from '../../../../src/server/store/meta.ts';
import { StoreTooNewError } from '../../../../src/server/store/process-memory.ts';
import { openStore } from '../../../../src/server/store/sqlite.ts';
import { childProgram } from '../../../support/program/child-program.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { poll } from '../../../support/server/poll.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';
import { isWhole } from '../../../support/setup/whole-run.ts';

/** Who may use a store. */
const OWN_FACTS = ['schema', 'oldest-reader'] as const;

const NEWEST = String(NEWEST_SCHEMA);
const OPEN_IT = childProgram('open-store');

const OLD_STORE = {
  message: `The data was written by a newer skinsmith, or by a development version before 0.1.0 (schema 17; this version knows ${NEWEST}).`,
  hint: 'Install the newer version, or choose another folder: SKINSMITH_DATA_DIR',
};

describe('Opening a store', () => {
  test('An empty folder becomes a store with every table', async () => {
    const { db, close } = await openStore(await ownFolder());
    onTestFinished(async () => await close());
    const tables = (await db.introspection.getTables()).map(({ name }) => name);
    expect(tables.toSorted()).toEqual([
      'api_keys',
      'blocked_images',
      'callbacks',
      'callers',
      'capes',
      'chores',
      'first_sign_ins',
      'game_accounts',
      'idempotency_keys',
      'identities',
      'jobs',
      'meta',
      'nodes',
      'operator_log',
      'players',
      'queue_clock',
      'reports',
      'sessions',
      'set_names',
      'set_skins',
      'sets',
      'sign_in_links',
      'skin_days',
      'skin_likes',
      'skin_tags',
      'skin_views',
      'skin_words',
      'skins',
      'texture_data',
      'textures',
      'upstream_jobs',
      'users',
      'wardrobe',
      'wardrobe_history',
    ]);
  });

  test('A second opening changes nothing and keeps what is there', async () => {
    const folder = await ownFolder();
    const first = await openStore(folder);
    await first.db.insertInto('meta').values({ key: 'kept', value: 'yes' }).execute();
    await first.close();
    const { db } = await openOwnStore(folder);
    expect(await db.selectFrom('meta').selectAll().orderBy('key').execute()).toEqual([
      { key: 'kept', value: 'yes' },
      { key: 'oldest-reader', value: NEWEST },
      { key: 'schema', value: NEWEST },
    ]);
  });

  test('A store of a development version before 0.1.0 is refused and left as it is', async () => {
    const folder = await ownFolder();
    const old = new DatabaseSync(join(folder, 'skinsmith.db'));
    old.exec(
      "create table meta (key text primary key, value text); insert into meta values ('schema', '17')",
    );
    old.close();
    await expect(openStore(folder)).rejects.toMatchObject({ code: 'store_too_new', ...OLD_STORE });
    const left = new DatabaseSync(join(folder, 'skinsmith.db'), { readOnly: true });
    onTestFinished(() => left.close());
    expect(left.prepare('select name from sqlite_schema').all()).toHaveLength(2); // and the index of its key
    expect(left.prepare('select * from meta').all()).toEqual([{ key: 'schema', value: '17' }]);
  });

  test('Several processes that open an empty folder at once all find the same schema', async () => {
    const folder = await ownFolder();
    const runs = await Promise.all(
      Array.from({ length: isWhole ? 6 : 3 }, () =>
        execa(process.execPath, [OPEN_IT, folder], { reject: false }),
      ),
    );
    expect(runs.map(({ stdout, stderr }) => [stdout, stderr])).toEqual(runs.map(() => [NEWEST, '']));
  });

  test('A process that finds the new file locked by another waits for it', async () => {
    const folder = await ownFolder();
    const other = new DatabaseSync(join(folder, 'skinsmith.db'));
    onTestFinished(() => other.close());
    other.exec('create table other (x); begin exclusive');
    const opening = execa(process.execPath, [OPEN_IT, folder], { reject: false });
    // Once it has the file open, it has come to the lock, or has failed at it.
    await poll(
      () => filesOf(opening.pid!),
      (files) => files === undefined || files.includes(join(folder, 'skinsmith.db')),
    );
    other.exec('commit');
    const { stdout, stderr } = await opening;
    expect([stdout, stderr]).toEqual([NEWEST, '']);
  });

  test('A store of a newer schema is refused and left as it is', async () => {
    const folder = await ownFolder();
    const now = await openStore(folder);
    await now.db.updateTable('meta').set({ value: '99' }).where('key', 'in', OWN_FACTS).execute();
    await now.close();
    await expect(openStore(folder)).rejects.toThrow(StoreTooNewError);
    await expect(openStore(folder)).rejects.toMatchObject({
      message: `The data was written by a newer skinsmith, or by a development version before 0.1.0 (schema 99; this version knows ${NEWEST}).`,
      hint: 'Install the newer version, or choose another folder: SKINSMITH_DATA_DIR',
    });
  });

  test('One connection notices once that another has written', async () => {
    const folder = await ownFolder();
    const [here, there] = [await openOwnStore(folder), await openOwnStore(folder)];
    expect(here.changedByOthers()).toBe(false);
    await there.db.insertInto('meta').values({ key: 'news', value: '1' }).execute();
    expect([here.changedByOthers(), here.changedByOthers()]).toEqual([true, false]);
    await here.db.insertInto('meta').values({ key: 'own', value: '1' }).execute();
    expect(here.changedByOthers()).toBe(false);
  });
});

/** The files that a process has open; undefined if it is gone, or on systems that do not tell. */
async function filesOf(pid: number): Promise<string[] | undefined> {
  const open = `/proc/${pid}/fd`;
  const numbers = await readdir(open).catch(() => undefined);
  return (
    numbers && (await Promise.all(numbers.map((number) => readlink(join(open, number)).catch(() => ''))))
  );
}
