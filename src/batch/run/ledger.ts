import type { Progress } from '../api/events.ts';
import type { BatchResult } from '../model/result.ts';
import { UNPROVED } from '../model/signer.ts';
import type { Member } from '../model/work.ts';
import type { Planned } from '../plan/decision.ts';
import { SignerCounts } from '../plan/signer-counts.ts';

/** A line of the lockfile to be written: the source's result, from where it is known. */
export interface LockfileChange {
  /** The source, as the lockfile calls it. */
  readonly id: string;
  readonly key: string;
  readonly pixels: string | undefined;
  /** Entry of the lockfile to take over; else the journal has it. */
  readonly entry: number | undefined;
}

/** Counts what happens in a batch, and notes what its end has to write. */
export class Ledger {
  readonly changes: LockfileChange[] = [];
  /** What the lockfile had already, to be kept beside changes of the same source. */
  readonly kept: LockfileChange[] = [];
  readonly ids = new Set<string>();
  /** What the plan found of entries that somebody else has signed. */
  readonly signers = new SignerCounts();
  readonly #count = {
    sources: 0,
    known: 0,
    duplicates: 0,
    wanted: 0,
    made: 0,
    failed: 0,
    unproved: 0,
    submitted: 0,
    finished: 0,
  };
  #allRead = false;
  #firstAt: number | undefined;
  #lastAt = 0;
  readonly #keepIds: boolean;

  /** `keepIds`: the end needs to know all sources there were. */
  constructor(keepIds: boolean) {
    this.#keepIds = keepIds;
  }

  get failed(): number {
    return this.#count.failed;
  }

  get hasReadAll(): boolean {
    return this.#allRead;
  }

  read({ member, decision }: Planned): void {
    this.#count.sources++;
    if (this.#keepIds) this.ids.add(member.id);
    if (decision.kind === 'new') this.signers.outdated(decision.outdated);
    if (decision.kind === 'locked' && decision.isUntold) this.signers.untold++;
    if (decision.kind === 'new') this.#count.wanted++;
    else if (decision.kind === 'duplicate') this.#count.duplicates++;
    else if (decision.kind !== 'refused' && decision.kind !== 'failed') this.#count.known++;
  }

  allRead(): void {
    this.#allRead = true;
  }

  /** `entry`: where the lockfile has it, under another source's name when it has `moved`; else the journal has. */
  result({ id, pixels }: Member, known: { key: string; entry?: number; moved?: boolean }): void {
    const { key, entry, moved = false } = known;
    const list = entry !== undefined && !moved ? this.kept : this.changes;
    list.push({ id, key, pixels, entry });
  }

  /** Lines for the lockfile, sorted: all entries of each source that has a new one. */
  lockfileChanges(): LockfileChange[] {
    const ids = new Set(this.changes.map(({ id }) => id));
    const beside = ids.size === 0 ? [] : this.kept.filter(({ id }) => ids.has(id));
    return [...this.changes, ...beside].sort((a, b) => compare(a.id, b.id) || compare(a.key, b.key));
  }

  accepted(): void {
    this.#firstAt ??= performance.now();
    this.#count.submitted++;
  }

  /** A source whose job is somebody else's to follow. */
  handedOver(): void {
    this.#count.finished++;
  }

  finished(result: BatchResult): void {
    this.#count.finished++;
    this.#lastAt = performance.now();
    if (result.origin === 'made' && result.skin?.signedBy?.signer === UNPROVED) this.#count.unproved++;
    if (result.error) this.#count.failed++;
    else if (isNew(result)) this.#count.made++;
  }

  progress(queued: number): Progress {
    return { ...this.#count, allRead: this.#allRead, queued };
  }

  summary(queued: number) {
    const progress = this.progress(queued);
    const milliseconds = this.#firstAt === undefined ? 0 : this.#lastAt - this.#firstAt;
    return { ...progress, left: progress.sources - progress.finished, milliseconds };
  }
}

/** Made now; what the service had already costs nothing. */
export function isNew({ origin, skin }: Pick<BatchResult, 'origin' | 'skin'>): boolean {
  return origin === 'made' && skin?.duplicate !== true;
}

/** By code units, as the lockfile is sorted. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
