import type { Clock } from '../../clock.ts';
import type { KeyDocument } from '../../protocol/account.ts';
import type { Generator } from '../generators/port.ts';
import type { JobSignals } from '../job-signals.ts';
import type { JobQueue } from '../queue/port.ts';
import type { Db } from '../store/store.ts';
import type { JobFeeds } from './job-feeds.ts';

/** What the service works with; made once in server.ts. */
export interface ServiceContext {
  readonly db: Db;
  readonly queue: JobQueue;
  readonly generator: Generator;
  readonly signals: JobSignals;
  readonly feeds: JobFeeds;
  readonly clock: Clock;
  /** Milliseconds until a job behind `ahead` others is done; undefined when nobody here works or knows. */
  readonly expectedWait: (uuid: string, ahead: number) => number | undefined;
  /** What keeps this process from generating; undefined while all is well. */
  readonly trouble: () => unknown;
  /** What others need to trust this service's signatures. */
  readonly keyDocument: () => Promise<KeyDocument>;
  /** Told of each pending job that this process answers a submission with. */
  readonly onAccepted: (uuid: string) => void;
  /** Whether the service is on its way down and takes nothing new. */
  readonly isStopping: () => boolean;
}
