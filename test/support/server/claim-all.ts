/**
 * A program of its own: claims jobs of the store in the folder given until there are none, and prints
 * their request keys. Several at once show that no two processes get the same job.
 */

import { nameThisNode, workerName } from '../../../src/server/queue/leases.ts';
import { openStore } from '../../../src/server/store/sqlite.ts';
import { TestQueue } from './test-queue.ts';

const store = await openStore(process.argv[2] ?? '');
const self = nameThisNode();
const queue = new TestQueue(store.db, { self });
for (
  let lease = await queue.claim(workerName(self, 0));
  lease;
  lease = await queue.claim(workerName(self, 0))
) {
  process.stdout.write(`${lease.job.request_key}\n`);
}
await store.close();
