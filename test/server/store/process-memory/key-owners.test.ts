import { expect, test } from 'vitest';
import { type KeyOwner, KeyOwnerCache } from '../../../../src/server/store/process-memory.ts';

const OWNER = {} as KeyOwner;

/** A cache whose reads are counted, in a store to which another process has written `others.writes` times. */
function makeCache() {
  const others = { writes: 0 };
  const cache = new KeyOwnerCache(() => others.writes);
  const read = { times: 0 };
  const find = async (during = () => {}) =>
    await cache.find('hash', async () => {
      read.times++;
      during();
      return OWNER;
    });
  return { others, cache, read, find };
}

test('A key is read once', async () => {
  const { read, find } = makeCache();
  expect([await find(), await find()]).toEqual([OWNER, OWNER]);
  expect(read.times).toBe(1);
});

test('The owner of a key is read again after a change by this process, and after any write of another', async () => {
  const { others, cache, read, find } = makeCache();
  await find();
  cache.forget();
  await find();
  others.writes++;
  await find();
  await find();
  expect(read.times).toBe(3);
});

test('A value read during a change is not kept', async () => {
  const { others, cache, read, find } = makeCache();
  await find(() => cache.forget());
  await find(() => void others.writes++);
  await find();
  expect(read.times).toBe(3);
});

test('A key that is unknown is looked for each time', async () => {
  const { cache } = makeCache();
  let times = 0;
  const read = async () => void times++;
  await cache.find('other', read as () => Promise<undefined>);
  await cache.find('other', read as () => Promise<undefined>);
  expect(times).toBe(2);
});
