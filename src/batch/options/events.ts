import type { SkinOptions } from '../../client/types.ts';
import type { Job } from '../../protocol/job.ts';
import type { BatchResult } from '../model/result.ts';
import type { SourceContent } from '../model/source.ts';
import type { OutdatedSkins } from '../plan/signer-counts.ts';

/** The progress of a batch. */
export interface Progress {
  /** Sources read so far. */
  readonly sources: number;
  /** Whether all sources have been read. */
  readonly allRead: boolean;
  /** Sources whose skin was already known. */
  readonly known: number;
  /** Sources that share another source's result. */
  readonly duplicates: number;
  /** Sources whose skin has to be made. */
  readonly wanted: number;
  /** Sources whose skin was made. */
  readonly made: number;
  /** Sources whose skin an interrupted earlier run of this batch made. */
  readonly resumed: number;
  /** Sources that were submitted, but whose skin the service already had: nothing was generated. */
  readonly existing: number;
  /** Sources whose skin is in the lockfile: nothing was sent. */
  readonly unchanged: number;
  /** Sources that are valid skin data themselves. */
  readonly given: number;
  /** Sources without a skin because of an error; includes refused ones. */
  readonly failed: number;
  /** Of those made, how many have a signature that no known key verifies. */
  readonly unproved: number;
  /** Jobs of this batch on the service now. */
  readonly queued: number;
  /** Submissions that the service accepted, including repeated ones. */
  readonly submitted: number;
  /** Sources with a result. */
  readonly finished: number;
}

/** The progress of a batch that runs. */
export interface RunningProgress extends Progress {
  /** Seconds that the rest takes at least, by the limits that the service has told; 0: they allow all of it now. */
  readonly leastSeconds: number;
}

/** What a batch reports while it runs. */
export type BatchEvent =
  /**
   * All sources have been read. `seconds`: estimated duration of the new work by the caller's limits, if known;
   * `outdated`: skins to make again because of their signer, none submitted yet; `unknownSigner`: known skins whose
   * signer cannot be determined.
   */
  | {
      readonly type: 'planned';
      readonly progress: Progress;
      readonly seconds: number | undefined;
      readonly outdated: readonly OutdatedSkins[];
      readonly unknownSigner: number;
    }
  /** The service has a job for a source, possibly one that an earlier run submitted. */
  | {
      readonly type: 'accepted';
      readonly index: number;
      readonly source: string;
      /** Where the source's picture is. */
      readonly content: SourceContent;
      /** The options of the skin that were sent. */
      readonly options: SkinOptions;
      readonly job: Job;
    }
  /** A source is finished, successfully or not. */
  | { readonly type: 'result'; readonly result: BatchResult }
  /** `maxNew` was reached before the source was submitted. */
  | { readonly type: 'left'; readonly index: number; readonly source: string }
  /**
   * Nothing can be done for `ms` milliseconds, because of the service's limits or trouble with it. `queue`: other
   * jobs with the same key fill the queue, for an unknown time (`ms` is undefined); reported again while that lasts.
   */
  | {
      readonly type: 'waiting';
      readonly reason: 'limit' | 'trouble' | 'queue';
      readonly ms: number | undefined;
      readonly message: string;
    }
  /** Work is repeated: a job failed temporarily or was forgotten, or an answer was lost. `mayCost`: it may be paid for twice. */
  | { readonly type: 'again'; readonly source: string; readonly message: string; readonly mayCost: boolean }
  /** From here on, other processes of the same caller cannot be taken into account; gives the reason. */
  | { readonly type: 'alone'; readonly message: string };

/** A source in the lockfile that does not exist any more. */
export interface GoneSource {
  /** Its name in the lockfile, and in messages. */
  readonly id: string;
  readonly label: string;
  /** Its output files that are still as a batch wrote them; absolute paths. */
  readonly outputs: readonly string[];
  /** Nothing is left in its folder, which may be the wrong one. */
  readonly isDoubtful: boolean;
}

/** What became of the lockfile. */
export interface LockfileOutcome {
  readonly written: boolean;
  /** Entries that were dropped because their source is gone. */
  readonly dropped: number;
  /** The sources of these entries, in the order of the lockfile; with `isRefused`, those that were kept after all. */
  readonly gone: readonly GoneSource[];
  /** Nothing was dropped, because that would have emptied the lockfile or a folder. */
  readonly isRefused: boolean;
}

/** How a batch ended. */
export interface BatchSummary extends Progress {
  /** `stopped`: `maxNew` was reached; `interrupted`: the signal was aborted. */
  readonly end: 'complete' | 'stopped' | 'interrupted';
  /** Sources without a result. */
  readonly left: number;
  /** Milliseconds from the first submission to the last result. */
  readonly milliseconds: number;
  /** What became of the lockfile; undefined without one. */
  readonly lockfile: LockfileOutcome | undefined;
}
