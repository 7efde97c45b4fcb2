import type { RunningJob } from './running-job.ts';
import type { LastLook, SeenList } from './shared-lists.ts';

/** What other processes of the same caller do on the service, as far as it matters to the lists and jobs of this one. */
export interface OtherProcesses {
  /** Whether there are any, with jobs or without. */
  readonly isShared: boolean;
  /** Jobs of the caller that no process here has, according to the last list. */
  readonly foreignJobs: number;
  /** Milliseconds between lists while only foreign jobs are pending; absent: half a job's duration. */
  readonly foreignJobsPause?: number;
  /** Jobs of the other processes. */
  readonly otherJobs: readonly RunningJob[];
  /** When a list will show what became of dead processes' last submissions, on the monotonic clock. */
  readonly settledAt: number | undefined;
  /** The typical duration of a job according to other processes, milliseconds. */
  readonly typical: number | undefined;
  /** Whether the job is, or was, another process's. */
  isElsewhere(id: string): boolean;
  /** Learns what they have done by now; a list that has arrived is judged after that. Absent: it is always known. */
  catchUp?(): Promise<void>;
  /** A newer list from another process, if there is one. */
  takeNews(): LastLook | undefined;
  /**
   * Milliseconds until this process may request the list; 0: it must do so now and report when it is done.
   * `isUrgent`: only the minimum pause between two requests applies, not the average.
   */
  tryLook(how: { isUrgent: boolean }): number;
  /** The result of the list request that began `age` milliseconds ago; undefined: it failed. */
  endLook(age: number, list: SeenList | undefined): void;
}
