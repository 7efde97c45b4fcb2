import { describe, expect, test } from 'vitest';
import { LIMITS, newJob } from '../../contract/jobs.ts';
import { otherSession } from '../../support/postgres/other-session.ts';
import { ownDatabase } from '../../support/postgres/own-database.ts';
import { postgresQueue, sqliteQueue } from '../../support/server/queue-nodes.ts';
import { callbackOf, keepKey } from '../../support/server/stored-callbacks.ts';
import type { TestQueue } from '../../support/server/test-queue.ts';

const TOGETHER = { ...LIMITS, together: { owner: 'all strangers', perHour: 2 } };

async function submit(queue: TestQueue, owner: string, limits = LIMITS) {
  return await queue.submit(newJob({ owner }), limits);
}

test('The common limit of callers counts them all, and opens again after an hour', async () => {
  const { clock, queue } = await (await sqliteQueue())();
  const room = async () => await queue.findRoom({ owner: 'cy', via: 'queue' }, TOGETHER);
  expect(await room()).toMatchObject({ kind: 'room' });
  expect((await submit(queue, 'ann', TOGETHER)).kind).toBe('queued');
  expect((await submit(queue, 'bob', TOGETHER)).kind).toBe('queued');
  const opensAt = clock.now() + 30_000 + 3_600_000; // the minute ends in half a minute
  expect(await submit(queue, 'cy', TOGETHER)).toMatchObject({ kind: 'crowded', opensAt });
  expect(await room()).toMatchObject({ kind: 'crowded', opensAt });
  expect((await submit(queue, 'dan')).kind).toBe('queued');
  clock.forward(opensAt - clock.now());
  expect(await room()).toMatchObject({ kind: 'room' });
  expect((await submit(queue, 'cy', TOGETHER)).kind).toBe('queued');
});

test('The picture of a job is stored with it, and that of a refused one is not', async () => {
  const { db, clock, queue } = await (await sqliteQueue())();
  const withPicture = (textureHash: string) => {
    const picture = { hash: textureHash, width: 64, height: 64, png: new Uint8Array([1]) };
    return newJob({ textureHash, picture });
  };
  const [taken, refused] = [withPicture('b'.repeat(64)), withPicture('c'.repeat(64))];
  expect((await queue.submit(taken, { ...LIMITS, slots: 1 })).kind).toBe('queued');
  expect((await queue.submit(refused, { ...LIMITS, slots: 1 })).kind).toBe('full');
  const stored = db.selectFrom('textures').select(['hash', 'created_at']).where('created_at', '>', 0);
  expect(await stored.execute()).toEqual([{ hash: taken.textureHash, created_at: clock.now() }]);
});

test('The submission that takes the last slot says so, and so does a later one that joins a job', async () => {
  const { queue } = await (await sqliteQueue())();
  const two = { ...LIMITS, slots: 2 };
  const jobs = ['one', 'two', 'one'].map((request) => newJob({ request, owner: 'ann' }));
  const seen = [];
  for (const job of jobs) seen.push(await queue.submit(job, two));
  expect(seen).toMatchObject([
    { kind: 'queued', isFull: false },
    { kind: 'queued', isFull: true },
    { kind: 'joined', isFull: true },
  ]);
  expect(await queue.submit(newJob({ request: 'one', owner: 'ann' }), LIMITS)).toMatchObject({
    kind: 'joined',
    isFull: false,
  });
});

test('A job is stored with the name of its source, if there is one', async () => {
  const { queue } = await (await sqliteQueue())();
  const [named, unnamed] = [newJob({ source: 'smith.png' }), newJob()];
  for (const job of [named, unnamed]) await queue.submit(job, LIMITS);
  expect((await queue.find(named.uuid))?.source).toBe('smith.png');
  expect((await queue.find(unnamed.uuid))?.source).toBeNull();
});

test('A request that joins a job adds its callback to it', async () => {
  const { db, queue } = await (await sqliteQueue())();
  await keepKey(db);
  for (const url of ['https://a.example/one', 'https://a.example/two'])
    await queue.submit(newJob({ request: 'same', callback: callbackOf(url) }), LIMITS);
  await queue.submit(newJob({ request: 'same' }), LIMITS);
  const callbacks = await db.selectFrom('callbacks').select('url').orderBy('id').execute();
  expect(callbacks.map(({ url }) => url)).toEqual(['https://a.example/one', 'https://a.example/two']);
});

describe('With PostgreSQL', () => {
  test.each([
    ['the caller', 'ann', { ...LIMITS, perHour: 2 }, 'too_fast'],
    ['the callers that share a limit', 'all strangers', TOGETHER, 'crowded'],
  ])('A submission waits while another node has locked %s', async (_, owner, limits, refusal) => {
    const url = await ownDatabase();
    const { clock, queue } = await (await postgresQueue(url))();
    await submit(queue, 'ann', limits);
    const other = await otherSession(url);
    const hour = JSON.stringify([[Math.floor(clock.now() / 60_000), 2]]);
    await other.run('update callers set hour = $1 where owner = $2', [hour, owner]);
    const submission = submit(queue, 'ann', limits);
    expect(await other.holdsUp(submission)).toBe(true);
    await other.run('commit');
    expect((await submission).kind).toBe(refusal);
  });
});
