import type { BatchResult } from '../model/result.ts';
import { SignerCounts, UNPROVED } from '../model/signer.ts';
import type { Progress } from '../options.ts';
import type { Planned, SourceDecision } from '../plan/planner.ts';

/** Counts what happens in a batch. */
export class ProgressCount {
  /** Known skins that another service has signed, or an unknown signer. */
  readonly signers = new SignerCounts();
  readonly #count = {
    sources: 0,
    known: 0,
    duplicates: 0,
    wanted: 0,
    made: 0,
    resumed: 0,
    existing: 0,
    unchanged: 0,
    given: 0,
    failed: 0,
    unproved: 0,
    submitted: 0,
    finished: 0,
  };
  #hasReadAll = false;
  #firstAt: number | undefined;
  #lastAt = 0;

  get failed(): number {
    return this.#count.failed;
  }

  get hasReadAll(): boolean {
    return this.#hasReadAll;
  }

  /** A source was read and decided about. */
  planned({ decision }: Planned): void {
    this.#count.sources++;
    if (decision.kind === 'new') this.signers.outdated(decision.outdated);
    if (decision.kind === 'locked' && decision.hasUnknownSigner) this.signers.unknownSigner++;
    if (decision.kind === 'new') this.#count.wanted++;
    else if (isDuplicate(decision)) this.#count.duplicates++;
    else if (decision.kind !== 'refused' && decision.kind !== 'failed') this.#count.known++;
  }

  /** There are no more sources. */
  readAll(): void {
    this.#hasReadAll = true;
  }

  /** The service has accepted a submission. */
  accepted(): void {
    this.#firstAt ??= performance.now();
    this.#count.submitted++;
  }

  /** A source is finished once its job is accepted: this batch does not follow jobs to their ends. */
  handedOver(): void {
    this.#count.finished++;
  }

  finished(result: BatchResult): void {
    this.#count.finished++;
    this.#lastAt = performance.now();
    if (result.origin === 'made' && result.skin?.signedBy?.signer === UNPROVED) this.#count.unproved++;
    const outcome = outcomeOf(result);
    if (outcome) this.#count[outcome]++;
  }

  /** `queued`: jobs of this batch on the service now. */
  progress(queued: number): Progress {
    return { ...this.#count, allRead: this.#hasReadAll, queued };
  }

  summary(queued: number) {
    const progress = this.progress(queued);
    const milliseconds = this.#firstAt === undefined ? 0 : this.#lastAt - this.#firstAt;
    return { ...progress, left: progress.sources - progress.finished, milliseconds };
  }
}

/** Undefined for a source that shares the result of another one. */
function outcomeOf(
  result: BatchResult,
): 'failed' | 'resumed' | 'made' | 'existing' | 'unchanged' | 'given' | undefined {
  if (result.error) return 'failed';
  switch (result.origin) {
    case 'journal':
      return 'resumed';
    case 'made':
      return isNew(result) ? 'made' : 'existing';
    case 'lockfile':
      return 'unchanged';
    case 'given':
      return 'given';
    default:
      return undefined;
  }
}

/** Whether the source shares the skin of another one, which may be finished already. */
function isDuplicate(decision: SourceDecision): boolean {
  return decision.kind === 'duplicate' || (decision.kind === 'done' && decision.origin === 'duplicate');
}

/** Whether an earlier run of this batch made the skin, or this one. */
export function isMade(result: Pick<BatchResult, 'origin' | 'skin'>): boolean {
  return result.origin === 'journal' || isNew(result);
}

/**
 * Whether the skin was made now. One that the service already had costs nothing. Does not look at the skin of a known
 * result: reading it from the lockfile takes longer than everything else that is done about an unchanged file.
 */
function isNew(result: Pick<BatchResult, 'origin' | 'skin'>): boolean {
  return result.origin === 'made' && result.skin?.duplicate !== true;
}
