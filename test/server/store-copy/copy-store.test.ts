import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStoreOf } from '../../../src/server/assembly/service-parts.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { NEWEST_SCHEMA, writeMeta } from '../../../src/server/store/meta.ts';
import { listNodes, NODE_TIMEOUT, sendHeartbeat, signOff } from '../../../src/server/store/nodes.ts';
import { openPostgresDb } from '../../../src/server/store/postgres/postgres-store.ts';
import { openStore } from '../../../src/server/store/sqlite.ts';
import {
  type CopyProgress,
  copyStore,
  type StorePlace,
  storeName,
} from '../../../src/server/store-copy/copy-store.ts';
import { COPIED, readRows, textOf, withColumns } from '../../../src/server/store-copy/rows.ts';
import { ownDatabase } from '../../support/postgres/own-database.ts';
import { fillStore } from '../../support/server/filled-store.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { sampled } from '../../support/setup/extent.ts';

const PLACES = {
  SQLite: async (): Promise<StorePlace> => ({ folder: await ownFolder() }),
  PostgreSQL: async (): Promise<StorePlace> => ({ postgres: { url: await ownDatabase() } }),
} as const;

async function open(place: StorePlace): Promise<Db> {
  const db =
    'folder' in place ? (await openStore(place.folder)).db : await openPostgresDb(place.postgres.url);
  onTestFinished(async () => await db.destroy());
  return db;
}

async function filled(place: StorePlace): Promise<Db> {
  const db = await open(place);
  await fillStore(db);
  return db;
}

interface Told {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: CopyProgress) => void;
}

async function copy(from: StorePlace, to: StorePlace, { signal, onProgress }: Told = {}) {
  return await copyStore({
    ...{ from, to, signal: signal ?? new AbortController().signal, onProgress: onProgress ?? (() => {}) },
  });
}

/** Every row of every table that is copied. */
async function contents(db: Db): Promise<string[]> {
  const lines: string[] = [];
  for (const table of await withColumns(db, COPIED)) {
    for (const row of await readRows(db, table, {})) lines.push(`${table.name} ${textOf(table, row)}`);
  }
  return lines;
}

/** A copy that is ended when it has come as far as this. */
async function endAt(from: StorePlace, to: StorePlace, isThere: (progress: CopyProgress) => boolean) {
  const ended = new AbortController();
  const onProgress = (progress: CopyProgress) => {
    if (isThere(progress)) ended.abort(new Error('ended here'));
  };
  await expect(copy(from, to, { signal: ended.signal, onProgress })).rejects.toThrow('ended here');
}

describe('With PostgreSQL', () => {
  test.each([
    ['SQLite', 'PostgreSQL'],
    ['PostgreSQL', 'SQLite'],
    ['SQLite', 'SQLite'],
  ] as const)('A store of every kind of row goes from %s to %s unchanged', async (one, other) => {
    const [from, to] = [await PLACES[one](), await PLACES[other]()];
    const source = await filled(from);
    const { tables, isResumed } = await copy(from, to);
    const before = await contents(source);
    expect(await contents(await open(to))).toEqual(before);
    expect(tables.every(({ rows, sha256 }) => rows > 0 && sha256.length === 64)).toBe(true);
    expect([isResumed, tables.reduce((sum, { rows }) => sum + rows, 0)]).toEqual([false, before.length]);
  });

  test('New rows get unused numbers, even after rows were removed', async () => {
    const [from, to] = [await PLACES.SQLite(), await PLACES.PostgreSQL()];
    const source = await filled(from);
    await source.deleteFrom('operator_log').where('id', '>', 2).execute();
    await copy(from, to);
    const row = { at: 1, operator: 'o', action: 'hide_skin', subject: 's', note: '' } as const;
    const target = await open(to);
    const next = await target.insertInto('operator_log').values(row).returning('id').executeTakeFirst();
    expect(next?.id).toBe(7);
  });

  test('PostgreSQL counts the copied jobs in progress of each owner', async () => {
    const [from, to] = [await PLACES.SQLite(), await PLACES.PostgreSQL()];
    await filled(from);
    await copy(from, to);
    const counted =
      await sql`select owner from callers where processing = 1 and burst >= 1 order by owner`.execute(
        await open(to),
      );
    expect(counted.rows).toEqual([{ owner: 'owner 1' }, { owner: 'owner 4' }]);
  });

  test.each(sampled(['SQLite', 'PostgreSQL'] as const, 2, 1))(
    'Changes to the source in %s during a copy are not copied and do not wait',
    async (one) => {
      const [from, to] = [await PLACES[one](), await PLACES.SQLite()];
      const source = await filled(from);
      const before = await contents(source);
      const writes: Promise<unknown>[] = [];
      const onProgress = ({ table, step }: CopyProgress) => {
        if (table !== 'users' || step !== 'copying') return;
        writes.push(sql`delete from callbacks`.execute(source));
        writes.push(sql`update textures set width = 7`.execute(source));
      };
      await copy(from, to, { onProgress });
      await Promise.all(writes);
      expect(await contents(await open(to))).toEqual(before);
    },
  );

  test.each(sampled(['SQLite', 'PostgreSQL'] as const, 2, 1))(
    'An interrupted copy to %s continues, with what has changed in the source since',
    async (other) => {
      const from = await PLACES.SQLite();
      const to = await PLACES[other]();
      const source = await filled(from);
      await endAt(from, to, ({ table, done }) => table === 'players' && done > 600);
      const part = await contents(await open(to));
      expect(part.some((line) => line.startsWith('textures '))).toBe(true);
      expect(part.some((line) => line.startsWith('jobs '))).toBe(false);
      await sql`delete from skins where id = 2`.execute(source);
      await sql`delete from texture_data where identity = 'identity 2'`.execute(source);
      await sql`update users set plan = 'other' where id = 'id 3'`.execute(source);
      expect((await copy(from, to)).isResumed).toBe(true);
      expect(await contents(await open(to))).toEqual(await contents(source));
    },
  );

  test('Rows that are already there are not written again', async () => {
    const [from, to] = [await PLACES.SQLite(), await PLACES.PostgreSQL()];
    await filled(from);
    await endAt(from, to, ({ step }) => step === 'comparing');
    const target = await open(to);
    const versions = async () =>
      (await sql`select hash, xmin::text from textures order by hash`.execute(target)).rows;
    const before = await versions();
    await copy(from, to);
    expect(await versions()).toEqual(before);
  });

  test('A service does not start on a part of a copy', async () => {
    const [from, to] = [await PLACES.SQLite(), await PLACES.SQLite()];
    await filled(from);
    await endAt(from, to, ({ table }) => table === 'textures');
    if (!('folder' in to)) throw new Error('a folder');
    await expect(openStoreOf({ dataDir: to.folder })).rejects.toMatchObject({ code: 'store_unfinished' });
    await copy(from, to);
    await (await openStoreOf({ dataDir: to.folder })).close();
  });

  test.each(sampled(['SQLite', 'PostgreSQL'] as const, 2))(
    'A partial copy in %s is not copied',
    async (part) => {
      const [from, to, third] = [await PLACES.SQLite(), await PLACES[part](), await PLACES.SQLite()];
      await filled(from);
      await endAt(from, to, ({ table }) => table === 'textures');
      await expect(copy(to, third)).rejects.toMatchObject({ code: 'store_unfinished' });
      await copy(from, to);
      await copy(to, third);
    },
  );

  test('A write of another program to the copy is noticed', async () => {
    const [from, to] = [await PLACES.SQLite(), { folder: await ownFolder() }];
    await filled(from);
    await (await open(to)).destroy();
    const target = new DatabaseSync(join(to.folder, 'skinsmith.db'));
    onTestFinished(() => target.close());
    let changes: number | bigint = 0;
    const onProgress = ({ table, step }: CopyProgress) => {
      const isCopied = table === 'players' && step === 'copying';
      // Synchronous, so that it cannot come after the comparison.
      if (isCopied) ({ changes } = target.prepare('update skins set views = 3 where id = 1').run());
    };
    await expect(copy(from, to, { onProgress })).rejects.toMatchObject({ code: 'copy_differs' });
    expect(changes).toBe(1);
    expect((await copy(from, to)).isResumed).toBe(true);
  });

  test('A store that holds anything, even part of another store, is not overwritten', async () => {
    const [from, to, third] = [await PLACES.SQLite(), await PLACES.SQLite(), await PLACES.SQLite()];
    const source = await filled(from);
    await filled(third);
    const before = await contents(await filled(to));
    await expect(copy(from, to)).rejects.toMatchObject({ code: 'store_not_empty' });
    expect(await contents(await open(to))).toEqual(before);
    const empty = await PLACES.SQLite();
    await endAt(from, empty, () => true);
    await expect(copy(third, empty)).rejects.toMatchObject({ code: 'store_not_empty' });
    await copy(from, empty);
    expect(await contents(await open(empty))).toEqual(await contents(source));
  });

  test('A database that a server uses is left alone', async () => {
    const [from, to] = [await PLACES.SQLite(), await PLACES.PostgreSQL()];
    await filled(from);
    const target = await open(to);
    await sendHeartbeat(target, { id: 'a/1/x', version: '1' });
    await expect(copy(from, to)).rejects.toMatchObject({ code: 'store_in_use' });
    await signOff(target, 'a/1/x');
    await copy(from, to);
    expect(await listNodes(target, NODE_TIMEOUT)).toEqual([]);
  });

  test('Data of another version, and no data at all, are reported', async () => {
    const [from, to] = [await PLACES.SQLite(), await PLACES.SQLite()];
    await expect(copy(from, to)).rejects.toMatchObject({ code: 'no_data' });
    const source = await open(from);
    await writeMeta(source, 'schema', String(NEWEST_SCHEMA + 1));
    await expect(copy(from, to)).rejects.toMatchObject({ code: 'store_other_version' });
  });

  test('Messages name a database without users, passwords and parameters', () => {
    const url = 'postgres://ann:secret@db.example:5433/skins?sslmode=require';
    expect(storeName({ postgres: { url } })).toBe('postgres://db.example:5433/skins');
  });
});
