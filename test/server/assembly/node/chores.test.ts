import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { choresHere, choresInStore } from '../../../../src/server/assembly/node.ts';
import { type Db, inTransaction } from '../../../../src/server/store/db.ts';
import { openPostgresDb } from '../../../../src/server/store/postgres/postgres-store.ts';
import { ownDatabase } from '../../../support/postgres/own-database.ts';
import { poll } from '../../../support/server/poll.ts';

const MINUTE = 60_000;
const onError = (error: unknown) => {
  throw error;
};

test('On one machine a chore is done whenever its time has come', async () => {
  const done: number[] = [];
  for (const n of [1, 2]) await choresHere.run('prune', MINUTE, async () => void done.push(n));
  expect(done).toEqual([1, 2]);
});

describe('With PostgreSQL', () => {
  async function nodes() {
    const url = await ownDatabase();
    const open = async (owner: string) => {
      const db = await openPostgresDb(url);
      onTestFinished(async () => await db.destroy());
      return { db, chores: choresInStore(db, { owner, onError }) };
    };
    const [one, other] = await Promise.all([open('one'), open('other')]);
    const done: string[] = [];
    const run = async ({ chores }: typeof one, who: string, chore: 'prune' | 'recover' = 'prune') =>
      await chores.run(chore, MINUTE, async () => void done.push(who));
    return { one, other, done, run };
  }

  /** Lets time pass. */
  const pass = async (db: Db, ms: number) =>
    await sql`update chores set due_at = due_at - ${ms}::bigint, lease_until = lease_until - ${ms}::bigint`.execute(
      db,
    );

  const waitsForLock = async (db: Db): Promise<boolean> => {
    const { rows } = await sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      db,
    );
    return rows.length > 0;
  };

  test('The lease on a chore is no longer renewed once the chore has ended, even by a failure', async () => {
    const { one, run } = await nodes();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    await run(one, 'one');
    const fails = async () => await Promise.reject(new Error('no disk'));
    await expect(one.chores.run('recover', MINUTE, fails)).rejects.toThrow('no disk');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('Only one of all nodes does a chore, each time that it is due', async () => {
    const { one, other, done, run } = await nodes();
    await Promise.all([run(one, 'one'), run(other, 'other'), run(one, 'one'), run(other, 'other')]);
    expect(done).toHaveLength(1);
    await pass(one.db, MINUTE / 2);
    await run(other, 'other');
    expect(done).toHaveLength(1);
    await pass(one.db, MINUTE / 2);
    await Promise.all([run(other, 'other'), run(one, 'one')]);
    expect(done).toHaveLength(2);
  });

  test('A node that waited for the row while another took the chore does not repeat it', async () => {
    const { one, other, done, run } = await nodes();
    await run(one, 'earlier');
    await pass(one.db, MINUTE);
    const late: Promise<void>[] = [];
    await inTransaction(one.db, async (held) => {
      await sql`select 1 from chores for update`.execute(held);
      late.push(run(other, 'other'));
      await expect.poll(() => waitsForLock(one.db)).toBe(true);
      await choresInStore(held, { owner: 'one', onError }).run(
        'prune',
        MINUTE,
        async () => void done.push('first'),
      );
    });
    await Promise.all(late);
    expect(done).toEqual(['earlier', 'first']);
  });

  test('One chore does not keep another from being done', async () => {
    const { one, other, done, run } = await nodes();
    await run(one, 'prunes');
    await run(other, 'recovers', 'recover');
    expect(done).toEqual(['prunes', 'recovers']);
  });

  test('While one node does a chore, however long, no other begins it; if that node is gone, another does', async () => {
    const { one, other, done, run } = await nodes();
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const slow = one.chores.run('prune', MINUTE, async () => {
      begun.resolve();
      await stopped;
    });
    await begun.promise;
    await sql`update chores set due_at = due_at - 100000`.execute(one.db);
    await run(other, 'other');
    expect(done).toEqual([]);
    await pass(one.db, MINUTE);
    await run(other, 'other');
    expect(done).toEqual(['other']);
    stop();
    await slow;
  });

  test('A node renews its lease on a chore that takes long, and frees it at the end', async () => {
    const { one, other, done, run } = await nodes();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const readLease = async () =>
      (await one.db.selectFrom('chores').select('lease_until').executeTakeFirstOrThrow()).lease_until ?? 0;
    await one.chores.run('prune', MINUTE, async () => {
      await pass(one.db, 10_000);
      const before = await readLease();
      vi.advanceTimersToNextTimer();
      await poll(readLease, (until) => until > before, 60_000);
    });
    await sql`update chores set due_at = due_at - ${MINUTE}::bigint`.execute(one.db);
    await run(other, 'other');
    expect(done).toEqual(['other']);
  });

  test('A chore that fails is done again at its next time', async () => {
    const { one, other, done, run } = await nodes();
    const failing = one.chores.run('prune', MINUTE, async () => {
      throw new Error('full');
    });
    await expect(failing).rejects.toThrow('full');
    await run(other, 'other');
    await pass(one.db, MINUTE);
    await run(other, 'other');
    expect(done).toEqual(['other']);
  });

  test('After the clock of the database was set back, chores are due', async () => {
    const { one, other, done, run } = await nodes();
    await run(one, 'one');
    await pass(one.db, -86_400_000);
    await run(other, 'other');
    expect(done).toEqual(['one', 'other']);
  });
});
