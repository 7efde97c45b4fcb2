import type { Clock } from '../base/clock.ts';
import { backOff } from '../base/sleeping.ts';
import { SkinsmithError } from '../client/errors.ts';
import type { SkinClient } from '../client/skin-client.ts';
import type { JobEvent } from '../client/types.ts';

export interface JobEventsOptions {
  readonly client: Pick<SkinClient, 'events'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Resolves when a connection is wanted; absent: always. */
  readonly untilWanted?: (() => Promise<void>) | undefined;
}

/**
 * An event of the service; `closed`: the connection has ended, so that the ends of jobs may be missed from now
 * on; `reopening`: the next connection is about to be made.
 */
export type StreamEvent = JobEvent | { readonly type: 'closed' | 'reopening' };

/** Milliseconds before reconnecting after a connection broke; doubled while nothing is heard. */
const RECONNECTING = { first: 500, longest: 15_000 };

/** The caller's jobs as the service streams them, over one connection after another, until aborted. */
export async function* jobEvents(options: JobEventsOptions): AsyncGenerator<StreamEvent, void, void> {
  const { client, clock, signal, untilWanted } = options;
  for (let failures = 1; ; failures++) {
    await untilWanted?.();
    try {
      for await (const event of client.events({ signal })) {
        failures = 1;
        yield event;
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof SkinsmithError)) throw error;
    }
    yield { type: 'closed' };
    await clock.sleep(backOff(failures, RECONNECTING), signal);
    yield { type: 'reopening' };
  }
}
