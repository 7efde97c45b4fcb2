import { describe, expect, test } from 'vitest';
import type { StoreQueue } from '../../../src/server/queue/store-queue.ts';
import { addSkin } from '../../../src/server/store/skins.ts';
import { generated, LIMITS, newJob } from '../../contract/jobs.ts';
import { mustClaim } from '../../contract/queue-steps.ts';
import { otherSession } from '../../support/postgres/other-session.ts';
import { ownDatabase } from '../../support/postgres/own-database.ts';
import { postgresQueue, QUEUES } from '../../support/server/queue-nodes.ts';
import { callbackOf, keepKey } from '../../support/server/stored-callbacks.ts';

/** The skin of a job of this kind, once that is completed. */
async function madeSkin(queue: StoreQueue, asked: Parameters<typeof newJob>[0], data = generated()) {
  await queue.submit(newJob(asked), LIMITS);
  const lease = await mustClaim(queue, 'w');
  expect(await queue.complete(lease, data)).toBe(true);
  const found = await queue.findWithSkin(lease.job.uuid);
  expect(found?.skin?.uuid).toBe(found?.job.skin_uuid);
  return found?.skin;
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
    const capeUrl = 'http://127.0.0.1/textures/cape';
    expect(await madeSkin(queue, { request: 'a' }, generated({ capeUrl }))).toMatchObject({
      cape_url: capeUrl,
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
});

describe('With PostgreSQL', () => {
  test('A completion waits for what another node decides about the owner, and takes the skin that it recorded', async () => {
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
});
