import type { BatchSummary } from '../../batch/options.ts';
import type { ResultPictures } from '../output/result-printer.ts';
import type { BatchCall } from './call.ts';
import type { Output } from './output.ts';
import type { ProgressText } from './progress.ts';

/** The differences in output between one source and many. */
export interface Presentation {
  /** Where results are written in addition to stdout. */
  readonly openOutput: (call: BatchCall) => Output;
  readonly progress: ProgressText;
  /** Prints the summary and returns the exit status. `failures`: the codes of all failed sources' errors. */
  readonly printSummary: (
    summary: BatchSummary,
    call: BatchCall,
    failures: ReadonlySet<string>,
  ) => Promise<number>;
  /** Images shown beside results on a terminal. */
  readonly pictures?: ResultPictures;
  /** Called when the service has created a job for a source. */
  readonly accepted?: (job: string) => void;
}
