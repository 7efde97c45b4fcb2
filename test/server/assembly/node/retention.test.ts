import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { prune } from '../../../../src/server/assembly/node.ts';
import { HOUR as WINDOW } from '../../../../src/server/fairness.ts';
import { nameThisNode } from '../../../../src/server/queue/leases.ts';
import { keepCallback } from '../../../../src/server/store/callbacks.ts';
import type { OpenStore } from '../../../../src/server/store/db.ts';
import type { Tables } from '../../../../src/server/store/schema/tables.ts';
import { openStore } from '../../../../src/server/store/sqlite.ts';
import { keepTexture } from '../../../../src/server/store/textures.ts';
import { flushUsage, hourOf, noteView } from '../../../../src/server/store/usage.ts';
import { generated, LIMITS, newJob } from '../../../contract/jobs.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { keepKey } from '../../../support/server/stored-callbacks.ts';
import { TestQueue } from '../../../support/server/test-queue.ts';

const HOUR = 3_600_000;
const RETENTION = 24 * HOUR;

let store: OpenStore;
let clock: MovableClock;
let queue: TestQueue;

beforeEach(async () => {
  store = await openStore(await ownFolder());
  onTestFinished(async () => await store.close());
  clock = new MovableClock();
  queue = new TestQueue(store.db, { self: nameThisNode(), clock });
});

const pruneNow = async () => await prune({ store, clock, retention: RETENTION });

async function keep(hash: string): Promise<void> {
  await keepTexture(store.db, {
    hash,
    width: 64,
    height: 64,
    png: new Uint8Array(1),
    created_at: clock.now(),
  });
}

/** A job that was completed, of a picture of its own. */
async function completed(name: string, owner = 'ann'): Promise<string> {
  await keep(name);
  await queue.submit(newJob({ request: name, textureHash: name, owner, idempotencyKey: name }), LIMITS);
  const lease = (await queue.claim('worker'))!;
  await queue.complete(lease, generated());
  return lease.job.uuid;
}

async function all<T extends keyof Tables>(table: T, column: keyof Tables[T] & string): Promise<unknown[]> {
  const rows = await store.db.selectFrom(table).selectAll().execute();
  return rows.map((row) => (row as Record<string, unknown>)[column]);
}

test('Finished jobs are deleted after the retention, with their keys and callbacks; skins and waiting jobs stay', async () => {
  const old = await completed('old');
  const job = (await queue.find(old))!;
  const callback = { uuid: 'c', keyId: 'k', url: 'https://a.example/', host: 'a.example' };
  await keepCallback(store.db, callback, job, clock.now());
  await keep('pending');
  await queue.submit(newJob({ uuid: 'waits', textureHash: 'pending' }), LIMITS);
  clock.forward(RETENTION - 1);
  await pruneNow();
  expect((await all('jobs', 'uuid')).length).toBe(2);
  clock.forward(2);
  await pruneNow();
  expect(await all('jobs', 'uuid')).toEqual(['waits']);
  expect([await all('idempotency_keys', 'key'), await all('callbacks', 'uuid')]).toEqual([[], []]);
  expect((await all('skins', 'uuid')).length).toBe(1);
});

test('Unused pictures are deleted once they are old enough', async () => {
  await completed('of a skin');
  await keep('of a cape');
  await store.db
    .insertInto('capes')
    .values({ uuid: 'c', alias: 'a cape', texture_hash: 'of a cape', support: 'public', created_at: 0 })
    .execute();
  await keep('of a job');
  await queue.submit(newJob({ textureHash: 'of a job' }), LIMITS);
  await keep('of nobody, old');
  clock.forward(RETENTION + 1);
  await keep('of nobody, new');
  await pruneNow();
  const kept = (await all('textures', 'hash')).toSorted();
  expect(kept).toEqual(['of a cape', 'of a job', 'of a skin', 'of nobody, new']);
});

test('A picture is stored only together with its job, so no unused picture is left', async () => {
  const submit = async (hash: string) => {
    const picture = { hash, width: 64, height: 64, png: new Uint8Array(1) };
    return await queue.submit(newJob({ uuid: 'one', textureHash: hash, picture }), LIMITS);
  };
  await submit('of a job');
  await expect(submit('of a job that cannot be stored')).rejects.toThrow();
  expect(await all('textures', 'hash')).toEqual(['of a job']);
});

test('The picture of a deleted skin or job is deleted when it is as old as the retention', async () => {
  await completed('of a deleted skin');
  await completed('of a forgotten job');
  clock.forward(HOUR);
  await store.db.deleteFrom('jobs').where('texture_hash', '=', 'of a deleted skin').execute();
  await store.db.deleteFrom('skins').execute();
  await store.db.deleteFrom('texture_data').execute();
  clock.forward(RETENTION - HOUR);
  await pruneNow();
  expect(await all('textures', 'hash')).toHaveLength(2);
  clock.forward(1);
  await pruneNow();
  expect([await all('jobs', 'uuid'), await all('textures', 'hash')]).toEqual([[], []]);
});

test('The viewers of a skin are deleted after an hour, and the number of views stays', async () => {
  await completed('seen');
  const [skin] = await store.db.selectFrom('skins').selectAll().execute();
  const view = { skin_id: skin!.id, viewer: 'bob' };
  noteView(store.db, { ...view, hour: hourOf(clock.now()) });
  await flushUsage(store.db);
  await pruneNow();
  expect(await all('skin_views', 'viewer')).toEqual(['bob']);
  clock.forward(HOUR);
  await pruneNow();
  expect([await all('skin_views', 'viewer'), await all('skins', 'views')]).toEqual([[], [1]]);
});

test('Callers are deleted once nothing that they spent counts any more', async () => {
  await completed('one', 'ann');
  clock.forward(HOUR / 2);
  await completed('two', 'bob');
  await pruneNow();
  expect((await all('callers', 'owner')).toSorted()).toEqual(['ann', 'bob']);
  clock.forward(HOUR / 2 + WINDOW.step + 1);
  await pruneNow();
  expect(await all('callers', 'owner')).toEqual(['bob']);
  clock.forward(HOUR / 2);
  await pruneNow();
  expect(await all('callers', 'owner')).toEqual([]);
});

test('Revoked keys are deleted after the retention, except the newest one of each user', async () => {
  const add = async (id: string, revoked_at: number | null) => {
    await keepKey(store.db, id);
    clock.forward(1);
    const change = store.db.updateTable('api_keys').set({ revoked_at, created_at: clock.now() });
    await change.where('id', '=', id).execute();
  };
  const then = clock.now();
  await add('old', then);
  await add('in use', null);
  clock.forward(RETENTION + HOUR);
  await add('fresh', clock.now());
  await add('newest', then);
  await pruneNow();
  expect((await all('api_keys', 'id')).toSorted()).toEqual(['fresh', 'in use', 'newest']);
});
