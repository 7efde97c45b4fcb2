/**
 * A program of its own: submits one job for each of this many idempotency keys to the store in the folder given,
 * and prints key and job. Several at once show that a key has one job, whichever is first.
 */

import { openStore } from '../../../src/server/store/sqlite.ts';
import { LIMITS, newJob } from '../../contract/jobs.ts';
import { TestQueue } from './test-queue.ts';

const [folder = '', keys = '0'] = process.argv.slice(2);
const store = await openStore(folder);
const queue = new TestQueue(store.db, { self: { host: 'here', pid: process.pid, nonce: 'x' } });
const limits = { ...LIMITS, slots: Number(keys) };
for (let n = 0; n < Number(keys); n++) {
  const submission = await queue.submit(newJob({ idempotencyKey: `key ${n}` }), limits);
  const outcome = 'job' in submission ? submission.job.uuid : submission.kind;
  process.stdout.write(`${n} ${outcome}\n`);
}
await store.close();
