import { describe, expect, test } from 'vitest';
import type { ClaimBounds } from '../../../src/server/queue/port.ts';
import { generated, LIMITS, newJob } from '../../contract/jobs.ts';
import { fill, mustClaim } from '../../contract/queue-steps.ts';
import { otherSession } from '../../support/postgres/other-session.ts';
import { ownDatabase } from '../../support/postgres/own-database.ts';
import { postgresQueue, QUEUES, sqliteQueue } from '../../support/server/queue-nodes.ts';
import { Statements } from '../../support/server/statements.ts';

const BOUNDS: readonly ClaimBounds[] = [{}, { onePerIdentity: true }, { owners: { except: [] } }];

describe.each(QUEUES)('With %s', (_, makeQueue) => {
  test.each(BOUNDS)('A claim says whether the data of the job exists, with the bounds %j', async (bounds) => {
    const { queue } = await (await makeQueue())({ bounds: () => bounds });
    const hasData: (boolean | undefined)[] = [];
    for (let n = 0; n < 2; n++) {
      await queue.submit(newJob({ identity: 'face' }), LIMITS);
      const lease = await mustClaim(queue, 'w');
      hasData.push(lease.hasData);
      expect(lease.job).toEqual(await queue.find(lease.job.uuid));
      await queue.complete(lease, generated());
    }
    expect(hasData).toEqual([false, true]);
  });
});

test.each([
  [{}, 1],
  [{ processing: 5 }, 2],
])('The time of the next job, with the bounds %j, is read with %i statements', async (bounds, count) => {
  const { queue } = await (await sqliteQueue())({ bounds: () => bounds });
  await fill(queue, 'ann', ['a']);
  const statements = new Statements();
  await queue.nextRunAt();
  expect(statements.take()).toHaveLength(count);
});

describe('With PostgreSQL', () => {
  test.each<[what: string, bounds: ClaimBounds, waits: boolean]>([
    ['over all jobs', { processing: 5 }, true],
    ['over all jobs for the same data', { onePerIdentity: true }, true],
    ['that others do not concern', { owners: { except: [] } }, false],
    ['of any kind absent', {}, false],
  ])(
    'A claim with limits %s, %j, waits while another node decides about the queue: %s',
    async (_, bounds, waits) => {
      const url = await ownDatabase();
      const { queue } = await (await postgresQueue(url))({ bounds: () => bounds });
      await fill(queue, 'ann', ['a']);
      const other = await otherSession(url);
      await other.run('select from queue_clock for update');
      const claim = queue.claim('w');
      expect(await other.holdsUp(claim)).toBe(waits);
      await other.run('commit');
      expect((await claim)?.job.request_key).toBe('a');
    },
  );

  test.each([{ owners: { except: [] } }, { processing: 5 }])(
    'With the bounds %j too, a claim skips an owner about whom another node is deciding',
    async (bounds) => {
      const url = await ownDatabase();
      const { queue } = await (await postgresQueue(url))({ bounds: () => bounds });
      await fill(queue, 'ann', ['a']);
      await fill(queue, 'bob', ['b']);
      const other = await otherSession(url);
      await other.run("select from callers where owner = 'ann' for update");
      const claim = queue.claim('w');
      expect(await other.holdsUp(claim)).toBe(false);
      expect((await claim)?.job.request_key).toBe('b');
    },
  );
});
