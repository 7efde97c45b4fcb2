/**
 * The hosted-like service as a program (test/support/hosted/main.ts), warmed up, because a new process takes a quarter
 * of a second for its first requests, which says nothing about the client.
 */

import { HostedService } from '../test/support/hosted/hosted-service.ts';
import { ended, submit } from '../test/support/hosted/run-hosted.ts';
import { TestCaller } from '../test/support/server/test-caller.ts';

const WARM_UP = 20;

const throwaway = await HostedService.start({ serviceTime: 1 });
const caller = new TestCaller(throwaway.url, { key: throwaway.key, isOurs: false });
for (let number = 1; number <= WARM_UP; number++) {
  await ended(caller, await submit(caller, number));
  await caller.get('/v2/queue');
}
await throwaway.close();

await import('../test/support/hosted/main.ts');
