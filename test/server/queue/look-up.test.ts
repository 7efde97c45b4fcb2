import { expect, test } from 'vitest';
import { nameThisProcess } from '../../../src/server/queue/lease-owner.ts';
import { lookUp } from '../../../src/server/queue/look-up.ts';
import { StoreQueue } from '../../../src/server/queue/store-queue.ts';
import { keepTexture } from '../../../src/server/store/textures.ts';
import { generated, LIMITS, newJob, TEXTURE_HASH } from '../../contract/jobs.ts';
import { mustClaim } from '../../contract/queue-steps.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { openOwnStore } from '../../support/server/running-server.ts';

/** A store with data of these identities, all of them records of Ann's. */
async function storeWith(...identities: readonly string[]) {
  const { db } = await openOwnStore(await ownFolder());
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  const queue = new StoreQueue(db, { self: nameThisProcess() });
  for (const identity of identities) {
    await queue.submit(newJob({ identity, idempotencyKey: `key of ${identity}` }), LIMITS);
    await queue.complete(await mustClaim(queue, 'w'), generated());
  }
  const find = async (over: Partial<Parameters<typeof lookUp>[1]> = {}) =>
    await lookUp(
      db,
      {
        owner: 'ann',
        textureHash: TEXTURE_HASH,
        visibility: 'public',
        name: null,
        identities: ['a', 'b'],
        ...over,
      },
      Date.now(),
    );
  return find;
}

test.each([
  ['a', 'b'],
  ['b', 'a'],
] as const)('Of the identities %s and %s the first takes precedence', async (first, second) => {
  const find = await storeWith('a', 'b');
  const { known } = await find({ identities: [first, second] });
  expect(known.map(({ identity, own }) => [identity, own?.identity])).toEqual([
    [first, first],
    [second, second],
  ]);
});

test("Data without a record of the caller's that suits is found without one", async () => {
  const find = await storeWith('b');
  for (const over of [{ owner: 'bob' }, { visibility: 'private' }, { name: 'another' }] as const)
    expect((await find(over)).known).toEqual([{ identity: 'b', own: undefined }]);
  expect((await find({ identities: ['c', 'd'] })).known).toEqual([]);
});

test('A key is used when an earlier request of the same owner had it', async () => {
  const find = await storeWith('a');
  const isUsed = async (over: Parameters<typeof find>[0]) => (await find(over)).isKeyUsed;
  expect(await isUsed({ idempotencyKey: 'key of a' })).toBe(true);
  expect(await isUsed({ idempotencyKey: 'key of a', owner: 'bob' })).toBe(false);
  expect(await isUsed({ idempotencyKey: 'another' })).toBe(false);
  expect(await isUsed({})).toBe(false);
});

test('A store that has lost the clock of the queue says so', async () => {
  const { db } = await openOwnStore(await ownFolder());
  await db.deleteFrom('queue_clock').execute();
  const wanted = { owner: 'ann', textureHash: TEXTURE_HASH, visibility: 'public', name: null } as const;
  await expect(lookUp(db, { ...wanted, identities: ['a', 'b'] }, 0)).rejects.toThrow('no clock of the queue');
});
