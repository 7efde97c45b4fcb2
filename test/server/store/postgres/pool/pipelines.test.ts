import { Socket } from 'node:net';
import { type CompiledQuery, sql } from 'kysely';
import { Client, Connection } from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Db, inTransaction } from '../../../../../src/server/store/db.ts';
import { COMMIT, runPipeline } from '../../../../../src/server/store/pipeline.ts';
import { openPostgresDb } from '../../../../../src/server/store/postgres/postgres-store.ts';
import { ownDatabase } from '../../../../support/postgres/own-database.ts';

async function open(): Promise<{ db: Db; rows: () => Promise<unknown[]> }> {
  const db = await openPostgresDb(await ownDatabase());
  await sql`create table line (id int primary key)`.execute(db);
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await sql`drop table line`.execute(db);
    await db.destroy();
  });
  const rows = async () => (await sql<{ id: number }>`select id from line order by id`.execute(db)).rows;
  return { db, rows };
}

const add = (db: Db, id: number): CompiledQuery<{ id: number }> =>
  sql<{ id: number }>`insert into line values (${id}) returning id`.compile(db);

describe('A pipeline', () => {
  test('runs its statements in their order, gives the rows of each, and may end the transaction', async () => {
    const { db, rows } = await open();
    const found = await inTransaction(db, async (tx) => {
      const count = sql<{ count: number }>`select count(*) from line where id < ${9}`.compile(tx);
      return await runPipeline(tx, [add(tx, 1), count, add(tx, 2), COMMIT]);
    });
    expect(found).toEqual([[{ id: 1 }], [{ count: 1 }], [{ id: 2 }], []]);
    expect(await rows()).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test('is sent whole before its first statement is answered', async () => {
    const { db } = await open();
    const { calls } = vi.spyOn(Connection.prototype, 'bind').mock;
    await inTransaction(db, async (tx) => {
      const running = runPipeline(tx, [add(tx, 1), add(tx, 2)]);
      while (calls.length === 0) await Promise.resolve(); // no turn of the event loop, so no answer
      expect(calls.length).toBe(2);
      await running;
    });
  });

  test('that does not end the transaction is undone with it', async () => {
    const { db, rows } = await open();
    const undone = inTransaction(db, async (tx) => {
      await runPipeline(tx, [add(tx, 1), add(tx, 2)]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await rows()).toEqual([]);
  });

  test('of which a statement fails has no effect, says why, and leaves the connection usable', async () => {
    const { db, rows } = await open();
    for (const end of [[COMMIT], []]) {
      const failing = inTransaction(
        db,
        async (tx) => await runPipeline(tx, [add(tx, 1), add(tx, 1), add(tx, 2), ...end]),
      );
      await expect(failing).rejects.toMatchObject({ code: '23505' });
      expect(await rows()).toEqual([]);
    }
  });

  test('whose statements a newer node has made outdated begins again', async () => {
    const { db, rows } = await open();
    const readAndAdd = async (id: number) => {
      let attempts = 0;
      const [read] = await inTransaction(db, async (tx) => {
        attempts++;
        const all = sql`select * from line where id = ${1}`.compile(tx);
        return await runPipeline(tx, [all, add(tx, id), COMMIT]);
      });
      return { read, attempts };
    };
    await readAndAdd(1);
    await sql`alter table line add column other int default 7`.execute(db);
    expect(await readAndAdd(2)).toEqual({ read: [{ id: 1, other: 7 }], attempts: 2 });
    expect(await rows()).toEqual([{ id: 1 }, { id: 2 }]);
  });
});

/** The texts of all that this process sends to PostgreSQL, until the test ends. */
function sentTexts(): () => unknown[] {
  const { calls } = vi.spyOn(Client.prototype, 'query').mock;
  onTestFinished(() => void vi.restoreAllMocks());
  return () => calls.map(([asked]) => (asked as unknown as { text: string }).text);
}

describe('A transaction', () => {
  test('begins with its first statement, in one write', async () => {
    const { db } = await open();
    await sql`select 1`.execute(db); // so that there is a connection
    const texts = sentTexts();
    const together = vi.spyOn(Socket.prototype as Required<Socket>, '_writev');
    const alone = vi.spyOn(Socket.prototype, '_write');
    await inTransaction(db, async (tx) => void (await runPipeline(tx, [add(tx, 1), COMMIT])));
    expect(texts()).toEqual(['begin', add(db, 1).sql, 'commit']);
    expect([together, alone].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
  });

  test('in which nothing is asked sends nothing', async () => {
    const { db } = await open();
    const texts = sentTexts();
    expect(await inTransaction(db, async () => 'done')).toBe('done');
    await expect(
      inTransaction(db, async () => {
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    expect(texts().filter((text) => text !== undefined)).toEqual([]);
  });
});
