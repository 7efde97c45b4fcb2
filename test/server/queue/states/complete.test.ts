import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { NewJob } from '../../../../src/server/queue/port.ts';
import type { Db } from '../../../../src/server/store/db.ts';
import { addSkin } from '../../../../src/server/store/skins.ts';
import { generated, LIMITS, newJob, TEXTURE_HASH } from '../../../contract/jobs.ts';
import { mustClaim } from '../../../contract/queue-steps.ts';
import { otherSession } from '../../../support/postgres/other-session.ts';
import { ownDatabase } from '../../../support/postgres/own-database.ts';
import { sentStatements } from '../../../support/postgres/sent-statements.ts';
import { poll } from '../../../support/server/poll.ts';
import { postgresQueue, QUEUES } from '../../../support/server/queue-nodes.ts';
import { callbackOf, keepKey } from '../../../support/server/stored-callbacks.ts';
import type { TestQueue } from '../../../support/server/test-queue.ts';

/** The skin of a job of this kind, once that is completed. */
async function madeSkin(queue: TestQueue, asked: Parameters<typeof newJob>[0], data = generated()) {
  await queue.submit(newJob(asked), LIMITS);
  const lease = await mustClaim(queue, 'w');
  expect(await queue.complete(lease, data)).toBe(true);
  const found = await queue.findWithSkin(lease.job.uuid);
  expect(found?.skin?.uuid).toBe(found?.job.skin_uuid);
  return found?.skin;
}

/** The leases of these jobs, in their order. */
async function take(queue: TestQueue, ...jobs: Partial<NewJob>[]) {
  const leases = [];
  for (const job of jobs) {
    await queue.submit(newJob(job), { ...LIMITS, slots: 100, burst: 100 });
    leases.push(await mustClaim(queue, `w${leases.length}`));
  }
  return leases;
}

type Leases = Awaited<ReturnType<typeof take>>;

/** All at the same moment. */
async function completeAll(queue: TestQueue, leases: Leases): Promise<boolean[]> {
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
  test('An owner has one record of the same skin under the same name, and another for another name', async () => {
    const { db, queue } = await (await makeQueue())();
    const smith = await madeSkin(queue, { identity: 'face', name: 'Smith' });
    expect(smith).toMatchObject({ uuid: expect.stringMatching(/^[0-9a-f]{32}$/), name: 'Smith' });
    const jones = await madeSkin(queue, { identity: 'face', name: 'Jones' });
    expect(jones).toMatchObject({ name: 'Jones', owner: 'ann' });
    expect(await madeSkin(queue, { identity: 'face', name: 'Jones' })).toEqual(jones);
    expect(await madeSkin(queue, { identity: 'face' })).toEqual(smith);
    const hidden = await madeSkin(queue, { identity: 'face', visibility: 'private' });
    const bobs = await madeSkin(queue, { identity: 'face', owner: 'bob' });
    const all = await db.selectFrom('skins').select('uuid').orderBy('id').execute();
    expect(all.map(({ uuid }) => uuid)).toEqual([smith, jones, hidden, bobs].map((skin) => skin?.uuid));
  });

  test('The address of the cape is kept with the skin data, if there is one', async () => {
    const { queue } = await (await makeQueue())();
    const cape_url = 'http://127.0.0.1/textures/cape';
    expect(await madeSkin(queue, { request: 'a' }, generated({ cape_url }))).toMatchObject({
      cape_url,
    });
    expect(await madeSkin(queue, { request: 'b' })).toMatchObject({ cape_url: null });
  });

  test('All callbacks of a job become due when it is completed', async () => {
    const { db, clock, queue } = await (await makeQueue())();
    await keepKey(db);
    for (const url of ['https://a.example/one', 'https://a.example/two'])
      await queue.submit(newJob({ request: 'same', callback: callbackOf(url) }), LIMITS);
    const due = async () =>
      (await db.selectFrom('callbacks').select('run_at').execute()).map(({ run_at }) => run_at);
    const lease = await mustClaim(queue, 'w');
    expect(await due()).toEqual([null, null]);
    clock.forward(7);
    expect(await queue.complete(lease, generated())).toBe(true);
    expect(await due()).toEqual([clock.now(), clock.now()]);
  });

  test('Only the job with a lost lease is refused when several are completed at the same moment', async () => {
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
    const again = { ...named, requestKey: 'again' };
    const [last, ...leases] = await take(queue, same, named, { ...same, owner: 'bob' }, again);
    expect(await completeAll(queue, leases)).toEqual(Array(3).fill(true));
    expect(await queue.complete(last!, generated())).toBe(true);
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
  test('A completion waits while another node has locked the owner, and uses the skin that the node recorded', async () => {
    const url = await ownDatabase();
    const openNode = await postgresQueue(url);
    const [{ queue }, { db: there }] = [await openNode(), await openNode()];
    await madeSkin(queue, { identity: 'face', owner: 'bob' });
    await queue.submit(newJob({ identity: 'face' }), LIMITS);
    const lease = await mustClaim(queue, 'w');
    const other = await otherSession(url);
    await other.run("select from callers where owner = 'ann' for update");
    const completion = queue.complete(lease, generated());
    expect(await other.holdsUp(completion)).toBe(true);
    const skin = { uuid: 'f'.repeat(32), identity: 'face', name: null, visibility: 'public' } as const;
    await addSkin(there, { ...skin, owner: 'ann', created_at: 0 });
    await other.run('commit');
    expect(await completion).toBe(true);
    expect((await queue.find(lease.job.uuid))?.skin_uuid).toBe(skin.uuid);
  });

  test('A locked owner holds up its own jobs only', async () => {
    const url = await ownDatabase();
    const { db, queue } = await (await postgresQueue(url))();
    const [late, ...others] = await take(queue, { owner: 'bob' }, { owner: 'ann' }, { owner: 'cid' });
    const other = await otherSession(url);
    await other.run("select from callers where owner = 'bob' for update");
    const completion = queue.complete(late!, generated());
    expect(await completeAll(queue, others)).toEqual([true, true]);
    expect(await statusesOf(db, [late!, ...others])).toEqual(['processing', 'completed', 'completed']);
    await other.run('commit');
    expect(await completion).toBe(true);
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
