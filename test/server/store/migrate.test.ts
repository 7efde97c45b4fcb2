import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreTooNewError } from '../../../src/server/store/migrate.ts';
import { openStore } from '../../../src/server/store/store.ts';
import { ownFolder } from '../own-folder.ts';
import { openOwnStore } from '../running-server.ts';

const OPEN_IT = join(import.meta.dirname, 'open-it.ts');

describe('Opening a store', () => {
  test('An empty folder becomes a store with every table', async () => {
    const { db } = await openOwnStore(await ownFolder());
    const tables = (await db.introspection.getTables()).map(({ name }) => name);
    expect(tables.toSorted()).toEqual([
      'api_keys',
      'jobs',
      'meta',
      'skins',
      'texture_data',
      'textures',
      'usage',
      'users',
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
      { key: 'schema', value: '1' },
    ]);
  });

  test('Six processes that open an empty folder at once all find the same schema', async () => {
    const folder = await ownFolder();
    const runs = await Promise.all(
      Array.from({ length: 6 }, () => execa(process.execPath, [OPEN_IT, folder], { reject: false })),
    );
    expect(runs.map(({ stdout, stderr }) => [stdout, stderr])).toEqual(runs.map(() => ['1', '']));
  });

  test('A process that finds the new file locked by another waits for it', async () => {
    const folder = await ownFolder();
    const other = new DatabaseSync(join(folder, 'skinsmith.db'));
    onTestFinished(() => other.close());
    other.exec('create table other (x); begin exclusive');
    const opening = execa(process.execPath, [OPEN_IT, folder], { reject: false });
    // Long enough for it to come to the lock; without the lock it would be done by then.
    expect(await Promise.race([opening.then(() => 'done'), sleep(800, 'waiting')])).toBe('waiting');
    other.exec('commit');
    const { stdout, stderr } = await opening;
    expect([stdout, stderr]).toEqual(['1', '']);
  });

  test('A store of a newer schema is refused and left as it is', async () => {
    const folder = await ownFolder();
    const now = await openStore(folder);
    await now.db.updateTable('meta').set({ value: '99' }).where('key', '=', 'schema').execute();
    await now.close();
    await expect(openStore(folder)).rejects.toThrow(StoreTooNewError);
    await expect(openStore(folder)).rejects.toThrow('schema 99, this one knows 1');
  });

  test('One connection hears that another has written, once', async () => {
    const folder = await ownFolder();
    const [here, there] = [await openOwnStore(folder), await openOwnStore(folder)];
    expect(here.changedElsewhere()).toBe(false);
    await there.db.insertInto('meta').values({ key: 'news', value: '1' }).execute();
    expect([here.changedElsewhere(), here.changedElsewhere()]).toEqual([true, false]);
    await here.db.insertInto('meta').values({ key: 'own', value: '1' }).execute();
    expect(here.changedElsewhere()).toBe(false);
  });
});
