import { expect, test } from 'vitest';
import { nameThisNode } from '../../../../src/server/queue/leases.ts';
import { pruneJobs } from '../../../../src/server/queue/store-queue.ts';
import { keepTexture } from '../../../../src/server/store/textures.ts';
import { generated, TEXTURE_HASH } from '../../../contract/jobs.ts';
import { fill, mustClaim } from '../../../contract/queue-steps.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';
import { TestQueue } from '../../../support/server/test-queue.ts';

test.each([
  [1, 3],
  [2, 2],
  [9, 1],
])(
  'All jobs that ended before the limit are deleted, %i at once, with %i pauses for others',
  async (atOnce, count) => {
    const clock = new MovableClock();
    const { db } = await openOwnStore(await ownFolder());
    await keepTexture(db, {
      hash: TEXTURE_HASH,
      width: 64,
      height: 64,
      png: new Uint8Array(1),
      created_at: 0,
    });
    const queue = new TestQueue(db, { self: nameThisNode(), clock });
    for (const name of ['a', 'b', 'c', 'on time']) {
      if (name === 'on time') clock.forward(1_000);
      await fill(queue, 'ann', [name]);
      await queue.complete(await mustClaim(queue, 'w'), generated());
    }
    await fill(queue, 'ann', ['under way', 'waiting']);
    await mustClaim(queue, 'w');
    const pauses: number[] = [];
    const sleep = async (milliseconds: number) => void pauses.push(milliseconds);
    await pruneJobs(db, clock.now(), { clock: { sleep }, atOnce });
    expect(pauses).toEqual(Array(count).fill(0));
    const left = await db.selectFrom('jobs').select('request_key').orderBy('id').execute();
    expect(left.map(({ request_key }) => request_key)).toEqual(['on time', 'under way', 'waiting']);
  },
);
