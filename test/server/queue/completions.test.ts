import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { NewJob } from '../../../src/server/queue/port.ts';
import type { StoreQueue } from '../../../src/server/queue/store-queue.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { generated, LIMITS, newJob, TEXTURE_HASH } from '../../contract/jobs.ts';
import { mustClaim } from '../../contract/queue-steps.ts';
import { otherSession } from '../../support/postgres/other-session.ts';
import { ownDatabase } from '../../support/postgres/own-database.ts';
import { sentStatements } from '../../support/postgres/sent-statements.ts';
import { poll } from '../../support/server/poll.ts';
import { postgresQueue, QUEUES } from '../../support/server/queue-nodes.ts';

/** The leases of these jobs, in their order. */
async function take(queue: StoreQueue, ...jobs: Partial<NewJob>[]) {
  const leases = [];
  for (const job of jobs) {
    await queue.submit(newJob(job), { ...LIMITS, spots: 100, burst: 100 });
    leases.push(await mustClaim(queue, `w${leases.length}`));
  }
  return leases;
}

type Leases = Awaited<ReturnType<typeof take>>;

/** All at the same moment. */
async function completeAll(queue: StoreQueue, leases: Leases): Promise<boolean[]> {
  return await Promise.all(leases.map(async (lease) => await queue.complete(lease, generated())));
}

async function statusesOf(db: Db, leases: Leases): Promise<string[]> {
  const rows = await db.selectFrom('jobs').select(['uuid', 'status']).execute();
  const statuses = new Map(rows.map(({ uuid, status }) => [uuid, status]));
  return leases.map(({ job }) => statuses.get(job.uuid) ?? '');
}

const dataOf = (owner: string, identity: string) => ({ owner, identity });

/** How many transactions wait for a lock. */
async function countWaiting(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows[0]!.count;
}

describe.each(QUEUES)('With %s', (_, makeQueue) => {
  test('Of jobs that are completed at the same moment, the one whose lease is lost is refused, and no other', async () => {
    const { db, queue, clock } = await (await makeQueue())();
    const [lost] = await take(queue, { owner: 'bob' });
    clock.forward(60_000);
    expect(await queue.recover()).toBe(1);
    const again = await mustClaim(queue, 'other');
    expect(again.job.uuid).toBe(lost!.job.uuid);
    const leases = await take(queue, { owner: 'ann' }, { owner: 'bob' }, { owner: 'ann' });
    expect(await completeAll(queue, [leases[0]!, lost!, ...leases.slice(1)])).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect(await statusesOf(db, [again, ...leases])).toEqual(['processing', ...Array(3).fill('completed')]);
    expect(await queue.complete(again, generated())).toBe(true);
  });

  test('An owner gets one record of the same skin from jobs that are completed at the same moment', async () => {
    const { db, queue } = await (await makeQueue())();
    const same = { identity: 'face' };
    const named = { ...same, name: 'Smith' };
    const leases = await take(
      queue,
      named,
      same,
      { ...same, owner: 'bob' },
      { ...named, requestKey: 'again' },
    );
    expect(await completeAll(queue, leases)).toEqual(Array(4).fill(true));
    const skins = await db.selectFrom('skins').select(['owner', 'name']).orderBy('owner').execute();
    expect(skins).toEqual([
      { owner: 'ann', name: 'Smith' },
      { owner: 'bob', name: null },
    ]);
    const words = await db.selectFrom('skin_words').select('word').orderBy('word').execute();
    expect(words.map(({ word }) => word)).toEqual(['h', 'ith', 'mith', 'smith', 'th']);
  });
});

describe('With PostgreSQL', () => {
  test('Jobs that are completed at the same moment are recorded by one transaction of four statements', async () => {
    const { db, queue } = await (await postgresQueue())();
    const leases = await take(queue, ...Array.from({ length: 5 }, (_, n) => ({ owner: `owner ${n % 2}` })));
    const sent = sentStatements();
    expect(await completeAll(queue, leases)).toEqual(Array(5).fill(true));
    expect(sent).toHaveLength(4);
    const { rows } = await sql`select distinct xmin::text from skins`.execute(db);
    expect(rows).toHaveLength(1);
  });

  test('More jobs than one transaction takes are all recorded', async () => {
    const { db, queue } = await (await postgresQueue())();
    const leases = await take(queue, ...Array(33).fill({}));
    expect(await completeAll(queue, leases)).toEqual(Array(33).fill(true));
    const { rows } = await sql`select count(*) from skins group by xmin::text order by count(*)`.execute(db);
    expect(rows).toEqual([{ count: 1 }, { count: 32 }]);
  });

  test('One that cannot be recorded fails by itself', async () => {
    const { db, queue } = await (await postgresQueue())();
    const leases = await take(queue, { owner: 'ann' }, { owner: 'bob' }, { owner: 'ann' });
    const data = [generated(), generated({ value: 'not a text of PostgreSQL: \0' }), generated()];
    const ends = leases.map(async (lease, n) => await queue.complete(lease, data[n]!));
    expect((await Promise.allSettled(ends)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(await statusesOf(db, leases)).toEqual(['completed', 'processing', 'completed']);
  });

  test('A locked owner holds up its own jobs only, and nobody else keeps waiting for those of a group', async () => {
    const url = await ownDatabase();
    const { db, queue } = await (await postgresQueue(url))();
    const [late, ...others] = await take(queue, { owner: 'bob' }, { owner: 'ann' }, { owner: 'cid' });
    const [last] = await take(queue, { owner: 'dan' });
    const other = await otherSession(url);
    await other.run("select from callers where owner = 'bob' for update");
    const completion = queue.complete(late!, generated());
    expect(await completeAll(queue, others)).toEqual([true, true]);
    await other.run("select from callers where owner in ('ann', 'cid') for update");
    expect(await queue.complete(last!, generated())).toBe(true);
    expect(await statusesOf(db, [late!, ...others, last!])).toEqual([
      'processing',
      ...Array(3).fill('completed'),
    ]);
    await other.run('commit');
    expect(await completion).toBe(true);
  });

  test('If PostgreSQL undoes their transaction, they are recorded one by one', async () => {
    const url = await ownDatabase();
    const { queue } = await (await postgresQueue(url))();
    const leases = await take(queue, { owner: 'ann' }, { owner: 'bob' });
    const [first, other] = [await otherSession(url), await otherSession(url)];
    for (const [n, session] of [first, other].entries())
      await session.run('select from jobs where uuid = $1 for update', [leases[n]!.job.uuid]);
    const completions = completeAll(queue, leases);
    expect(await first.holdsUp(completions)).toBe(true);
    // PostgreSQL undoes the transaction that has been the last to wait for a second: it has to be the completions'.
    await other.run("set local deadlock_timeout = '1h'");
    const locked = other.run("select from callers where owner = 'ann' for update");
    expect(await first.holdsUp(locked, { waiting: 2 })).toBe(true);
    await first.run('commit');
    await locked; // each waited for the other
    await other.run('commit');
    expect(await completions).toEqual([true, true]);
  });

  test.each<[of: string, hold: string, here: Partial<NewJob>[], there: Partial<NewJob>[]]>([
    [
      'of the same owners',
      "select from callers where owner in ('mia', 'noa') for update",
      [{ owner: 'ann' }, { owner: 'mia' }, { owner: 'bob' }],
      [{ owner: 'bob' }, { owner: 'noa' }, { owner: 'ann' }],
    ],
    [
      'for the same data',
      `insert into texture_data select name, '${TEXTURE_HASH}', '', '', '', '', '', '', '', '', 0, 0
        from unnest('{m,n}'::text[]) as name`,
      [dataOf('ann', 'a'), dataOf('bob', 'm'), dataOf('cid', 'b')],
      [dataOf('dan', 'b'), dataOf('eva', 'n'), dataOf('fay', 'a')],
    ],
  ])(
    'Nodes that complete jobs %s in the opposite order do not wait for each other in a circle',
    async (_, hold, ...jobs) => {
      const url = await ownDatabase();
      const openNode = await postgresQueue(url);
      const nodes = [await openNode(), await openNode()];
      const leases: Leases[] = [];
      for (const [n, { queue }] of nodes.entries()) leases.push(await take(queue, ...jobs[n]!));
      const other = await otherSession(url);
      await other.run(hold);
      const sent = sentStatements();
      const ends = nodes.map(async ({ queue }, n) => await completeAll(queue, leases[n]!));
      await poll(
        async () => await countWaiting(nodes[0]!.db),
        (count) => count === 2,
      );
      await other.run('rollback');
      expect((await Promise.all(ends)).flat()).toEqual(Array(6).fill(true));
      expect(sent.filter(({ text }) => text === 'rollback')).toEqual([]);
    },
  );
});
