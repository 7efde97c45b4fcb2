import type { Clock } from '../../clock.ts';
import type { KeyDocument } from '../../protocol/account.ts';
import type { Generator } from '../generators/port.ts';
import type { JobSignals } from '../job-signals.ts';
import type { JobQueue } from '../queue/port.ts';
import type { Db } from '../store/store.ts';

/** What the service works with; made once in server.ts. */
export interface ServiceContext {
  readonly db: Db;
  readonly queue: JobQueue;
  readonly generator: Generator;
  readonly signals: JobSignals;
  readonly clock: Clock;
  /** Milliseconds until a job accepted behind `ahead` others is done; undefined when nobody here works. */
  readonly expectedWait: (ahead: number) => number | undefined;
  /** What keeps this process from generating; undefined while all is well. */
  readonly trouble: () => unknown;
  /** What others need to trust this service's signatures. */
  readonly keyDocument: () => Promise<KeyDocument>;
  /** Told of each job that this process accepts. */
  readonly onAccepted: (uuid: string) => void;
  /** Whether the service is on its way down and takes nothing new. */
  readonly isStopping: () => boolean;
}
