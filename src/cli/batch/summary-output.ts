import type { BatchSummary } from '../../batch/options.ts';
import type { Fields } from '../output/described.ts';

/** How a batch ended, in JSON. */
export interface SummaryView {
  readonly end: BatchSummary['end'];
  readonly sources: number;
  readonly made: number;
  readonly resumed: number;
  readonly existing: number;
  readonly unchanged: number;
  readonly given: number;
  readonly shared: number;
  readonly submitted: number;
  readonly failed: number;
  readonly left: number;
  readonly dropped: number;
  readonly gone: number;
  readonly seconds: number;
}

export const SUMMARY_FIELDS = {
  end: 'complete, stopped (by --max-new) or interrupted (by a signal or --timeout)',
  sources: 'number of sources',
  made: 'sources whose skin was made',
  resumed: 'sources whose skin an earlier, interrupted run made',
  existing: 'sources that were submitted, but whose skin the service already had',
  unchanged: 'sources whose skin is in the lockfile: nothing was sent',
  given: 'sources that are skin data themselves',
  shared: 'sources with the same picture and options as another',
  submitted: 'submissions that the service accepted',
  failed: 'sources without a skin because of an error',
  left: 'sources that were not done: see end; with --frozen, those that the lockfile does not have',
  dropped: 'entries that --prune dropped from the lockfile, because their source is gone',
  gone: 'with --prune or --frozen: entries in the lockfile whose source is gone',
  seconds: 'time from the first submission to the last result',
} satisfies Fields<SummaryView>;

export function summaryView(summary: BatchSummary): SummaryView {
  const { end, sources, made, resumed, existing, unchanged, given, submitted, failed, left } = summary;
  const outcomes = { made, resumed, existing, unchanged, given, shared: sharedIn(summary) };
  const dropped = summary.lockfile?.dropped ?? 0;
  return {
    end,
    sources,
    ...outcomes,
    submitted,
    failed,
    left,
    dropped,
    gone: summary.lockfile?.gone.length ?? 0,
    seconds: Math.round(summary.milliseconds) / 1_000,
  };
}

/** Sources that share the skin of another one. */
export function sharedIn(summary: BatchSummary): number {
  const { finished, made, resumed, existing, unchanged, given, failed } = summary;
  return finished - made - resumed - existing - unchanged - given - failed;
}
