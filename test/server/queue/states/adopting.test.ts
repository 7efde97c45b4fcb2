import { describe, expect, test } from 'vitest';
import { fill, mustClaim } from '../../../contract/queue-steps.ts';
import { otherSession } from '../../../support/postgres/other-session.ts';
import { ownDatabase } from '../../../support/postgres/own-database.ts';
import { postgresQueue, sqliteQueue } from '../../../support/server/queue-nodes.ts';

test('A job of the same signer keeps its identity and lease', async () => {
  const { queue } = await (await sqliteQueue())();
  await fill(queue, 'ann', ['a']);
  const lease = await mustClaim(queue, 'w');
  expect(await queue.adopt(lease, lease.job.identity)).toBe(lease);
});

describe('With PostgreSQL', () => {
  test.each([
    [{ onePerIdentity: true }, true],
    [{}, false],
  ])(
    'With the bounds %j, adopting waits while another node decides about the queue: %s',
    async (bounds, waits) => {
      const url = await ownDatabase();
      const openNode = await postgresQueue(url);
      const { queue } = await openNode();
      const { queue: bounded } = await openNode({ bounds: () => bounds });
      await fill(queue, 'ann', ['a']);
      const lease = await mustClaim(queue, 'w');
      const other = await otherSession(url);
      await other.run('select from queue_clock for update');
      const adoption = bounded.adopt(lease, 'of the new signer');
      expect(await other.holdsUp(adoption)).toBe(waits);
      await other.run('commit');
      expect((await adoption)?.job.identity).toBe('of the new signer');
    },
  );
});
