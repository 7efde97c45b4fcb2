import type { Job } from '../protocol/job.ts';
import type { BatchResult } from './types.ts';

/** Where a batch stands. */
export interface Progress {
  /** Sources read so far, and whether those were all. */
  readonly sources: number;
  readonly allRead: boolean;
  /** Sources whose skin was known without asking. */
  readonly known: number;
  /** Sources that took another's result. */
  readonly duplicates: number;
  /** Skins to be made, those made, and those that failed, refused sources included. */
  readonly wanted: number;
  readonly made: number;
  readonly failed: number;
  /** Jobs of this batch on the service now. */
  readonly queued: number;
  /** Submissions that the service took, the repeated ones too. */
  readonly submitted: number;
  /** Sources with a result. */
  readonly finished: number;
}

/** What a batch has to tell while it runs. */
export type BatchEvent =
  /** All sources have been read; `seconds`: how long what is new takes by the caller's limits, where known. */
  | { readonly type: 'planned'; readonly progress: Progress; readonly seconds: number | undefined }
  /** The service has a job for a source. One that an earlier run had submitted is told of again. */
  | { readonly type: 'accepted'; readonly index: number; readonly source: string; readonly job: Job }
  /** A source is finished, for better or worse. */
  | { readonly type: 'result'; readonly result: BatchResult }
  /** Nothing can be done for `ms` milliseconds, because of the service's limits or trouble with it. */
  | {
      readonly type: 'waiting';
      readonly reason: 'limit' | 'trouble';
      readonly ms: number;
      readonly message: string;
    }
  /** Something is done again: a job failed in passing, was forgotten, or an answer was lost. */
  | { readonly type: 'again'; readonly source: string; readonly message: string };

/** How a batch ended. */
export interface BatchSummary extends Progress {
  /** `stopped`: `maxNew` was reached; `interrupted`: the signal was aborted. */
  readonly end: 'complete' | 'stopped' | 'interrupted';
  /** Sources without a result. */
  readonly left: number;
  /** Milliseconds from the first submission to the last result. */
  readonly milliseconds: number;
  readonly lockfile: { readonly written: boolean; readonly dropped: number } | undefined;
}
