import type { NodeName } from '../../src/server/queue/leases.ts';
import type { QueueTimes } from '../../src/server/queue/port.ts';
import type { MovableClock } from '../support/server/movable-clock.ts';
import type { TestQueue } from '../support/server/test-queue.ts';

/** What an implementation brings: several processes' views of one queue, and time to move. */
export interface QueueWorld {
  readonly clock: MovableClock;
  readonly times: QueueTimes;
  /** The queue as another process has it open. */
  open(self?: NodeName): Promise<TestQueue>;
  /** Whose skin a completed job left behind. */
  skinOwner(uuid: string): Promise<string | undefined>;
}

export type MakeWorld = () => Promise<QueueWorld>;
