import { type Clock, systemClock } from '../../base/clock.ts';
import { JobSignals } from '../events/job-signals.ts';
import { shareSignals } from '../events/share-signals.ts';
import { nameThisProcess, type ProcessName } from '../queue/lease-owner.ts';
import type { Db } from '../store/db.ts';
import type { Store } from '../store/store.ts';
import type { Live } from './live.ts';
import type { ServerOptions } from './server-options.ts';

/** What most parts of the service are made with. */
export interface Basis {
  readonly db: Db;
  readonly clock: Clock;
  readonly signals: JobSignals;
  /** This process, as the holder of leases. */
  readonly self: ProcessName;
  /** Warns the operator. */
  readonly warn: (message: string) => void;
  /** Called with bugs, and with a store that cannot be used. */
  readonly onError: (error: unknown) => void;
}

export function makeBasis(
  { clock = systemClock, siblings }: ServerOptions,
  { db }: Store,
  live: Live,
): Basis {
  const signals = new JobSignals();
  if (siblings) shareSignals(signals, siblings);
  return {
    db,
    clock,
    signals,
    self: nameThisProcess(),
    warn: (message) => live.warn(message),
    onError: (error) => live.report(error),
  };
}
