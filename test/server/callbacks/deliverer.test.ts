import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Deliverer, type DelivererOptions, WAITS } from '../../../src/server/callbacks.ts';
import { JobSignals } from '../../../src/server/events.ts';
import { makeGuardedAgent } from '../../../src/server/outbound/guarded-agent.ts';
import { parseNetwork } from '../../../src/server/outbound/target.ts';
import { nameThisNode } from '../../../src/server/queue/leases.ts';
import { claimCallback, findCallbackJob } from '../../../src/server/store/callbacks.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { poll } from '../../support/server/poll.ts';
import { type Receiver, receiver } from '../../support/server/receiver.ts';
import { openOwnStore } from '../../support/server/running-server.ts';
import { callbackOf, endedJob, KEY_ID, keepKey } from '../../support/server/stored-callbacks.ts';
import { TestQueue } from '../../support/server/test-queue.ts';

interface Scene {
  readonly db: Db;
  readonly clock: MovableClock;
  readonly signals: JobSignals;
  /** One more deliverer on the store, and what it has given up. */
  start(over?: Partial<DelivererOptions>): Deliverer;
  readonly givenUp: unknown[];
}

async function setScene(): Promise<Scene> {
  const { db } = await openOwnStore(await ownFolder());
  await keepKey(db);
  const [clock, signals, givenUp] = [new MovableClock(), new JobSignals(), [] as unknown[]];
  const start = (over: Partial<DelivererOptions> = {}) => {
    const agent = makeGuardedAgent({ policy: { networks: [parseNetwork('127.0.0.0/8')], ports: [80, 443] } });
    const deliverer = new Deliverer({
      ...{ db, clock, signals, agent, self: nameThisNode() },
      describeJob: async (id) => {
        const job = await findCallbackJob(db, id);
        return job && { job: { id: job.uuid, status: job.status, timestamp: 1 } };
      },
      events: new EventEmitter(),
      onGivenUp: (report) => givenUp.push(report),
      onError: (error) => {
        throw error;
      },
      ...over,
    });
    onTestFinished(async () => {
      await deliverer.stop(0);
      await agent.close();
    });
    deliverer.start();
    return deliverer;
  };
  return { db, clock, signals, start, givenUp };
}

/** Waits until there have been `count` attempts and each of them has been concluded, but for `others` that go on. */
async function attempts({ seen }: Receiver, { db }: Scene, count: number, others = 0): Promise<void> {
  await poll(
    () => seen.length,
    (length) => length === count,
  );
  await poll(
    async () =>
      (await db.selectFrom('callbacks').selectAll().execute()).filter((row) => row.lease_owner !== null),
    (under) => under.length === others,
  );
}

test('A failing receiver is tried again after the waits, then abandoned, which is logged without the query', async () => {
  const scene = await setScene();
  const to = await receiver((_request, response) => void response.writeHead(500).end());
  await endedJob(scene.db, callbackOf(`${to.url}/hook?token=secret`), scene.clock.now());
  scene.start();
  await attempts(to, scene, 1);
  for (const [index, wait] of WAITS.entries()) {
    scene.clock.forward(wait - 1);
    scene.signals.storeChanged();
    await scene.clock.sleep(60);
    expect(to.seen).toHaveLength(index + 1);
    scene.clock.forward(1);
    scene.signals.storeChanged();
    await attempts(to, scene, index + 2);
  }
  scene.clock.forward(7 * 24 * 3_600_000);
  scene.signals.storeChanged();
  expect(scene.givenUp).toEqual([
    { webhook: expect.any(String), url: `${to.url}/hook`, attempts: 6, reason: 'HTTP 500' },
  ]);
  const times = to.seen.map(({ headers }) => Number(headers['webhook-timestamp']));
  expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 5, 35, 155, 755, 4_355]);
  expect(new Set(to.seen.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

test('A recovered receiver is notified once', async () => {
  const scene = await setScene();
  const to = await receiver(
    (_request, response) => void response.writeHead(to.seen.length > 1 ? 204 : 503).end(),
  );
  await endedJob(scene.db, callbackOf(to.url), scene.clock.now());
  scene.start();
  await attempts(to, scene, 1);
  scene.clock.forward(5_000);
  scene.signals.storeChanged();
  await attempts(to, scene, 2);
  scene.clock.forward(24 * 3_600_000);
  scene.signals.storeChanged();
  await scene.clock.sleep(60);
  expect([to.seen.length, scene.givenUp]).toEqual([2, []]);
});

test.each([410, 302])(
  'A redirect is not followed, and a receiver that is gone is not asked again: %i',
  async (status) => {
    const scene = await setScene();
    const to = await receiver(
      (_request, response) => void response.writeHead(status, { location: '/b' }).end(),
    );
    await endedJob(scene.db, callbackOf(to.url), scene.clock.now());
    scene.start();
    await attempts(to, scene, 1);
    scene.clock.forward(5_000);
    scene.signals.storeChanged();
    await attempts(to, scene, status === 410 ? 1 : 2);
    expect(scene.givenUp).toHaveLength(status === 410 ? 1 : 0);
    expect(to.seen.every(({ line }) => line === 'POST /')).toBe(true);
  },
);

test.each<[string, (db: Db) => Promise<unknown>]>([
  ['was revoked', (db) => db.updateTable('api_keys').set({ revoked_at: 1 }).execute()],
  ['has an owner who is shut out', (db) => db.updateTable('users').set({ disabled_at: 1 }).execute()],
])('Nothing is sent for a key that %s', async (_what, spoil) => {
  const scene = await setScene();
  const to = await receiver();
  await endedJob(scene.db, callbackOf(to.url), scene.clock.now());
  await spoil(scene.db);
  scene.start();
  await poll(
    () => scene.givenUp,
    (reports) => reports.length === 1,
  );
  expect(scene.givenUp[0]).toMatchObject({ reason: 'its API key is no longer valid' });
  expect(to.seen).toEqual([]);
});

test('A delivery of a killed process is repeated once its lease is over', async () => {
  const scene = await setScene();
  const to = await receiver();
  await endedJob(scene.db, callbackOf(to.url), scene.clock.now());
  const now = scene.clock.now();
  const busy = { hosts: [], users: [] };
  await claimCallback(scene.db, { owner: 'a process that is gone', now, until: now + 30_000, busy });
  scene.start();
  await scene.clock.sleep(60);
  scene.clock.forward(29_999);
  scene.signals.storeChanged();
  await scene.clock.sleep(60);
  expect(to.seen).toEqual([]);
  scene.clock.forward(1);
  scene.signals.storeChanged();
  await attempts(to, scene, 1);
});

test('Deliverers on one store share the work: each webhook is sent once, by one of them', async () => {
  const scene = await setScene();
  const { db, clock } = scene;
  const to = await receiver();
  const jobs = Array.from({ length: 60 }, (_, n) => n);
  for (const n of jobs) await endedJob(db, callbackOf(`${to.url}/${n}`), clock.now());
  for (let n = 0; n < 3; n++) scene.start();
  await poll(
    async () =>
      (await db.selectFrom('callbacks').select('done_at').execute()).filter((row) => row.done_at === null),
    (open) => open.length === 0,
  );
  expect(to.seen.map(({ line }) => line).toSorted()).toEqual(jobs.map((n) => `POST /${n}`).toSorted());
});

test('One host gets two webhooks at a time, one key six, whatever names its receivers have', async () => {
  const scene = await setScene();
  await keepKey(scene.db, 'other');
  const slow = await Promise.all([2, 3, 4, 5].map((n) => receiver(() => {}, `127.0.0.${n}`)));
  const quick = await receiver();
  for (const { url } of slow) {
    for (let n = 0; n < 4; n++) await endedJob(scene.db, callbackOf(`${url}/${n}`), scene.clock.now());
  }
  await endedJob(scene.db, { ...callbackOf(quick.url), keyId: 'other' }, scene.clock.now());
  scene.start();
  await poll(
    () => quick.seen.length,
    (length) => length === 1,
  );
  await poll(
    () => slow.reduce((total, { seen }) => total + seen.length, 0),
    (total) => total === 6,
  );
  expect(slow.map(({ seen }) => seen.length).toSorted()).toEqual([0, 2, 2, 2]);
});

test('All keys of one user get six at a time together', async () => {
  const scene = await setScene();
  await keepKey(scene.db, 'second');
  await keepKey(scene.db, 'of bob', 'bob');
  const slow = await Promise.all([2, 3, 4, 5, 6].map((n) => receiver(() => {}, `127.0.0.${n}`)));
  const quick = await receiver();
  for (const { url } of slow) {
    await endedJob(scene.db, callbackOf(`${url}/1`), scene.clock.now());
    await endedJob(scene.db, { ...callbackOf(`${url}/2`), keyId: 'second' }, scene.clock.now());
  }
  await endedJob(scene.db, { ...callbackOf(quick.url), keyId: 'of bob' }, scene.clock.now());
  scene.start();
  await attempts(quick, scene, 1, 6);
});

test('A store that is unreadable for a moment is reported, and the work continues', async () => {
  const scene = await setScene();
  const to = await receiver();
  await endedJob(scene.db, callbackOf(to.url), scene.clock.now());
  const onError = vi.fn();
  let isBroken = true;
  const db = new Proxy(scene.db, {
    get: (target, name) => {
      if (isBroken && name === 'selectFrom') {
        isBroken = false;
        throw new Error('the disk is on fire');
      }
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  scene.start({ db, onError });
  await attempts(to, scene, 1);
  expect(onError.mock.calls).toEqual([[new Error('the disk is on fire')]]);
});

test('The callbacks of a job do not change if its end could not be stored', async () => {
  const scene = await setScene();
  const queue = new TestQueue(scene.db, { self: nameThisNode(), clock: scene.clock });
  const job = await endedJob(scene.db, callbackOf('http://127.0.0.1/'), undefined);
  const lease = await queue.claim('w');
  expect(await queue.fail({ ...lease!, owner: 'another' }, { code: 'x', message: '', passing: false })).toBe(
    false,
  );
  const runAt = async () =>
    (await scene.db.selectFrom('callbacks').select('run_at').executeTakeFirst())?.run_at;
  expect(await runAt()).toBeNull();
  expect(await queue.fail(lease!, { code: 'x', message: '', passing: false })).toBe(true);
  expect(await runAt()).toBe(scene.clock.now());
  scene.clock.forward(1);
  await scene.db.updateTable('callbacks').set({ run_at: 7 }).execute();
  expect(await queue.fail(lease!, { code: 'x', message: '', passing: false })).toBe(false);
  expect(await runAt()).toBe(7);
  expect(job.callback?.keyId).toBe(KEY_ID);
});
