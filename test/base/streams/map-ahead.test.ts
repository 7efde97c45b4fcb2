import { expect, test } from 'vitest';
import { mapAhead } from '../../../src/base/streams.ts';
import { collected } from '../../support/batch/read-sources.ts';

async function* numbers(count: number): AsyncGenerator<number> {
  for (let n = 0; n < count; n++) yield n;
}

test('Answers come in the order of the items, however long each takes', async () => {
  const open: (() => void)[] = [];
  const map = async (n: number) => {
    await new Promise<void>((resolve) => open.unshift(resolve));
    return n;
  };
  const all = collected(mapAhead(numbers(3), 3, map));
  while (open.length < 3) await Promise.resolve();
  for (const resolve of open) resolve(); // the last one first
  expect(await all).toEqual([0, 1, 2]);
});

test('No more calls run at once than the maximum', async () => {
  let [open, most] = [0, 0];
  const map = async () => {
    most = Math.max(most, ++open);
    await new Promise(setImmediate);
    open--;
  };
  await collected(mapAhead(numbers(20), 4, map));
  expect(most).toBe(4);
});

test('A finished result does not wait for an item that is still to come', async () => {
  async function* stalled(): AsyncGenerator<number> {
    yield 1;
    await new Promise(() => {});
  }
  const items = mapAhead(stalled(), 6, async (n) => n);
  expect(await items.next()).toEqual({ done: false, value: 1 });
  await items.return(); // nor does the end
});

test('Nothing is read ahead while nothing has to be waited for', async () => {
  let read = 0;
  async function* counted(): AsyncGenerator<number> {
    for (;;) yield ++read;
  }
  const items = mapAhead(counted(), 6, (n) => n);
  await items.next();
  expect(read).toBe(1);
  await items.return();
});

test('A failure is thrown in its turn', async () => {
  const map = async (n: number) => {
    if (n === 1) throw new Error('one');
    return n;
  };
  const items = mapAhead(numbers(3), 3, map);
  expect((await items.next()).value).toBe(0);
  await expect(items.next()).rejects.toThrow('one');
});

test('Stopping early closes the source of the items', async () => {
  let isClosed = false;
  async function* source(): AsyncGenerator<number> {
    try {
      yield* numbers(3);
    } finally {
      isClosed = true;
    }
  }
  for await (const n of mapAhead(source(), 1, (item) => item)) if (n === 1) break;
  expect(isClosed).toBe(true);
});
