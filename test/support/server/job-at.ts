import type { WireJob } from '../../../src/protocol/job.ts';
import { poll } from './poll.ts';
import type { Heard, TestCaller } from './test-caller.ts';

/**
 * A job once it has this status. It is waited for by the list, which may be asked for as often as one likes, and
 * asked for once itself.
 */
export async function jobAt(
  caller: TestCaller,
  id: string | undefined,
  status: WireJob['status'],
): Promise<Heard> {
  await poll(
    () => caller.get('/v2/queue'),
    ({ body }) => body.jobs?.find((job) => job.id === id)?.status === status,
  );
  return await caller.get(`/v2/queue/${id}`);
}
