import { describe, expect, it } from 'vitest';
import { SpotKeeper } from '../../src/cli/follow.ts';
import type { Job, SeenJobStatus } from '../../src/index.ts';
import { fakeClock } from '../client/fake-clock.ts';
import type { Exchange } from '../client/scripted-server.ts';
import { failureOf, testClient } from '../client/test-client.ts';

function makeJob(id: string, status: SeenJobStatus = 'waiting'): Job {
  return { id, status };
}

/** One look at the job list. */
function look(jobs: Readonly<Record<string, string>>): Exchange {
  const list = Object.entries(jobs).map(([id, status]) => ({ id, status }));
  return { expect: 'GET /v2/queue', json: { success: true, jobs: list } };
}

interface KeeperOptions {
  readonly slots?: number;
  readonly taken?: readonly Job[];
  readonly signal?: AbortSignal;
}

async function makeKeeper(looks: readonly Exchange[], { slots, taken = [], signal }: KeeperOptions = {}) {
  const { client, server } = await testClient(looks);
  const clock = fakeClock();
  const keeper = new SpotKeeper(client, { slots, clock, signal: signal ?? new AbortController().signal });
  for (const job of taken) keeper.take(job);
  return { keeper, clock, server };
}

const five = ['a', 'b', 'c', 'd', 'e'].map((id) => makeJob(id));
const allPending = { a: 'waiting', b: 'waiting', c: 'waiting', d: 'waiting', e: 'processing' };

describe('SpotKeeper', () => {
  it('asks nothing while there are spots', async () => {
    const { keeper, clock } = await makeKeeper([], { taken: five.slice(0, 4) });
    await keeper.untilOneIsOpen();
    expect(clock.sleeps).toEqual([]);
  });

  it('looks at the list once five are taken, and goes on as soon as one is done', async () => {
    const looks = [look(allPending), look(allPending), look({ ...allPending, c: 'completed' })];
    const { keeper, clock } = await makeKeeper(looks, { taken: five });
    await keeper.untilOneIsOpen();
    expect(clock.sleeps).toEqual([500, 500]);
  });

  it('goes on without a pause when one was done already', async () => {
    const { keeper, clock } = await makeKeeper([look({ ...allPending, a: 'failed' })], { taken: five });
    await keeper.untilOneIsOpen();
    expect(clock.sleeps).toEqual([]);
  });

  it('remembers what one look told it, and fills every open spot before the next', async () => {
    const { keeper, server } = await makeKeeper([look({ c: 'waiting' }), look({})], { taken: five });
    for (const id of ['f', 'g', 'h', 'i']) {
      await keeper.untilOneIsOpen();
      keeper.take(makeJob(id));
    }
    expect(server.seen).toHaveLength(1);
    await keeper.untilOneIsOpen();
    expect(server.seen).toHaveLength(2);
  });

  it('counts no job that was done when it was accepted', async () => {
    const { keeper } = await makeKeeper([], { slots: 1, taken: [makeJob('a', 'completed')] });
    await keeper.untilOneIsOpen();
  });

  it('counts jobs of a status it has never heard of', async () => {
    const looks = [look({ a: 'delayed' }), look({ a: 'completed' })];
    const { keeper, clock } = await makeKeeper(looks, { slots: 1, taken: [makeJob('a', 'unknown')] });
    await keeper.untilOneIsOpen();
    expect(clock.sleeps).toEqual([500]);
  });

  it('does not wait for a job that the service has forgotten', async () => {
    const { keeper } = await makeKeeper([look({})], { slots: 1, taken: [makeJob('a')] });
    await keeper.untilOneIsOpen();
  });

  it('counts only the jobs that it was told of, not those of other processes', async () => {
    const others = { v: 'waiting', w: 'waiting', x: 'waiting', y: 'waiting', z: 'waiting' };
    const { keeper, clock } = await makeKeeper([look({ ...others, a: 'completed' })], { taken: five });
    await keeper.untilOneIsOpen();
    expect(clock.sleeps).toEqual([]);
  });

  it('keeps to fewer spots when it is told to', async () => {
    const looks = [look({ a: 'waiting', b: 'waiting' }), look({ b: 'waiting' })];
    const { keeper, clock } = await makeKeeper(looks, { slots: 2, taken: five.slice(0, 2) });
    await keeper.untilOneIsOpen();
    expect(clock.sleeps).toEqual([500]);
  });

  it('stops waiting when it is interrupted', async () => {
    const { keeper } = await makeKeeper([], { slots: 1, taken: [makeJob('a')], signal: AbortSignal.abort() });
    expect(await failureOf(keeper.untilOneIsOpen())).toMatchObject({ name: 'AbortError' });
  });
});
