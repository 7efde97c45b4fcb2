import { expect, onTestFinished, test } from 'vitest';
import { type Peer, Peers, QueueFile } from '../../../src/dispatch/peers.ts';
import { SharedLists } from '../../../src/dispatch/shared-queue.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

const LIST = { jobs: [{ id: 'j', status: 'waiting' as const }], links: {} };
const calm = { isUrgent: false };

/** Processes over one file, each of which knows the others; `usual`: milliseconds that a job takes at least. */
async function openProcesses(names: readonly string[], { usual }: { usual?: number } = {}) {
  const folder = await ownFolder();
  const clock = new MovableClock();
  const heard: number[] = [];
  const open = async (name: string) => {
    const file = await QueueFile.open(folder, () => {});
    onTestFinished(() => file.close());
    const peers = new Peers();
    const others = names.filter((other) => other !== name);
    peers.saw(others.map(peer), []);
    const onHeard = (askedAt: number) => void heard.push(askedAt);
    return new SharedLists({
      file,
      clock,
      name,
      peers,
      readPeers: () => {},
      usual: () => usual,
      onHeard,
    });
  };
  return { clock, heard, lists: await Promise.all(names.map(open)) };
}

function peer(name: string): Peer {
  return { name, wants: true, unsure: 0, jobs: [], typical: undefined };
}

test('A list that one process requests serves the others, once', async () => {
  const { clock, lists } = await openProcesses(['a', 'b']);
  const [a, b] = lists;
  expect(a?.tryLook(calm)).toBe(0);
  expect(b?.tryLook(calm)).toBe(25);
  clock.forward(40);
  a?.endLook(40, LIST);
  expect(b?.takeNews()).toEqual({ at: 0, list: LIST });
  expect(b?.takeNews()).toBeUndefined();
  expect(a?.takeNews()).toBeUndefined();
});

test('A list counts as new for a second', async () => {
  const { clock, lists } = await openProcesses(['a', 'b']);
  lists[0]?.tryLook(calm);
  lists[0]?.endLook(0, LIST);
  clock.forward(1_000);
  expect(lists[1]?.takeNews()).toBeUndefined();
});

test('A failed request shares no list, and another process may try at once', async () => {
  const { lists } = await openProcesses(['a', 'b'], { usual: 100 });
  lists[0]?.tryLook(calm);
  lists[0]?.endLook(0, undefined);
  expect(lists[1]?.takeNews()).toBeUndefined();
  expect(lists[1]?.tryLook(calm)).toBe(0);
});

test('Another process takes over a request that does not end', async () => {
  const { clock, lists } = await openProcesses(['a', 'b']);
  lists[0]?.tryLook(calm);
  clock.forward(5_000);
  expect(lists[1]?.tryLook(calm)).toBe(0);
});

test('A process that is alone looks whenever it wants', async () => {
  const { lists } = await openProcesses(['a']);
  for (let n = 0; n < 5; n++) {
    expect(lists[0]?.tryLook(calm)).toBe(0);
    lists[0]?.endLook(0, LIST);
  }
});

test('The time of a list request is passed on to everyone who waits for a list', async () => {
  const { clock, heard, lists } = await openProcesses(['a', 'b']);
  lists[0]?.tryLook(calm);
  clock.forward(40);
  lists[0]?.endLook(40, LIST);
  expect(heard).toEqual([clock.now() - 40]);
});

test('An urgent request waits for at most half a second, however much of the budget is spent', async () => {
  const { clock, lists } = await openProcesses(['a', 'b'], { usual: 30_000 });
  const [a, b] = lists;
  for (const process of [a, b]) {
    expect(process?.tryLook(calm)).toBe(0);
    process?.endLook(0, LIST);
    clock.forward(520);
  }
  expect(a?.tryLook(calm)).toBeGreaterThan(10_000);
  expect(a?.tryLook({ isUrgent: true })).toBe(0);
});
