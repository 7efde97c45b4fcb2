import { expect, test } from 'vitest';
import { knownRow } from '../../../../src/server/queue/enqueue.ts';
import type { Caller } from '../../../../src/server/service/callers.ts';
import { listJobs, listNewestJobs } from '../../../../src/server/service/jobs/jobs.ts';
import { keepTexture } from '../../../../src/server/store/textures.ts';
import { newJob, TEXTURE_HASH } from '../../../contract/jobs.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';

const CALLER = { owner: 'user:ann' } as Partial<Caller> as Caller;

/** Rows of one statement. */
const CHUNK = 100;

/** A store in which the caller has so many ended jobs. */
async function contextWith(count: number): Promise<Parameters<typeof listJobs>[0]> {
  const { db } = await openOwnStore(await ownFolder());
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  for (let left = count; left > 0; left -= CHUNK) {
    const rows = Array.from({ length: Math.min(left, CHUNK) }, () =>
      knownRow(newJob({ owner: CALLER.owner }), { skinUuid: 'f00d', now: 1 }),
    );
    await db.insertInto('jobs').values(rows).execute();
  }
  return { db };
}

test.each([
  [0, 0, undefined],
  [499, 499, undefined],
  [500, 500, undefined],
  [501, 500, '2'],
  [1_200, 500, '701'],
])(
  'A list of %d jobs shows the newest %d, and the next page begins after %s',
  async (count, listed, next) => {
    const context = await contextWith(count);
    for (const list of [listJobs(context, CALLER, {}), listNewestJobs(context, CALLER)]) {
      const page = await list;
      expect([page.jobs.length, page.size, page.next]).toEqual([listed, 500, next]);
    }
  },
);

test('Pages of any size follow each other without a gap', async () => {
  const context = await contextWith(7);
  const ids: number[] = [];
  for (let after: string | undefined = '8'; after !== undefined; ) {
    const page = await listJobs(context, CALLER, { after, size: 3 });
    ids.push(...page.jobs.map(({ id }) => id));
    after = page.next;
  }
  expect(ids).toEqual([7, 6, 5, 4, 3, 2, 1]);
});
