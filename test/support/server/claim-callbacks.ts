/**
 * A program of its own: claims callbacks of the store in the folder given until none are due, and prints their
 * addresses. Several at once show that no two processes begin the same delivery.
 */
import { claimCallback } from '../../../src/server/store/callbacks.ts';
import { openStore } from '../../../src/server/store/sqlite.ts';

const store = await openStore(process.argv[2] ?? '');
const now = Date.now();
const whose = { owner: String(process.pid), now, until: now + 60_000, busy: { hosts: [], users: [] } };
const claim = async () => await claimCallback(store.db, whose);
for (let lease = await claim(); lease; lease = await claim()) process.stdout.write(`${lease.url}\n`);
await store.close();
