import type { StopSignals } from '../../dispatch/stop-signals.ts';
import type { Job } from '../../protocol/job.ts';
import type { Journal } from '../journal/journal.ts';
import type { Work } from '../model/work.ts';
import type { BatchOptions } from '../options/options.ts';
import type { ResultHandlers } from './finisher.ts';

/** The options of the part of a batch that talks to the service, and its callbacks. */
export interface SkinMakerOptions extends ResultHandlers, StopSignals {
  readonly options: BatchOptions;
  readonly journal: Journal;
  readonly onWaiting: (
    reason: 'limit' | 'trouble' | 'queue',
    message: string,
    ms: number | undefined,
  ) => void;
  /** The service has a job for it. */
  readonly onAccepted: (work: Work, job: Job) => void;
  /** Other processes of the caller cannot be taken into account; gives the reason. */
  readonly onAlone: (why: string) => void;
  readonly onFatal: (error: unknown) => void;
  /** A change that may let the batch continue or end. */
  readonly onChange: () => void;
}
