/** Planning and running batches. */

export { type ConvertOptions, convert } from '../convert.ts';
export type { BatchResult } from '../model/result.ts';
export type {
  BatchEvent,
  BatchSummary,
  LockfileOutcome,
  Progress,
  RunningProgress,
} from '../options/events.ts';
export type { BatchService, KnownToGame, PlanOptions } from '../options/options.ts';
export { estimateSeconds, limitsOf } from '../plan/estimate.ts';
export { OutputNames } from '../plan/output-names.ts';
export { type OutdatedSkins, SignerCounts } from '../plan/signer-counts.ts';
export { type Outlook, type PlannedSource, planBatch } from '../run/plan-batch.ts';
export { isMade } from '../run/progress-count.ts';
export { runBatch } from '../run/run-batch.ts';
