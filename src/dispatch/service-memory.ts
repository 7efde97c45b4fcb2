import { isPending, type Job } from '../protocol/job.ts';
import { LONGEST_LAG } from './running-job.ts';

/** Milliseconds for which a service that knows none of the jobs that it knew is taken for one whose data will be back. */
const PATIENCE = 3 * 60_000;
/** Most jobs of ours that are remembered. */
const KEPT = 256;
/** Milliseconds between lists while its data is away: a part of the time for which it has been. */
const LOOK = { least: 1_000, growth: 0.25, longest: 5_000 };

/**
 * Whether a service has its data: one that was restarted with an empty database answers as if no job had ever existed, and
 * accepts all of them again. So a list that lacks everything that the service has shown is not believed for minutes.
 * Times: milliseconds of one monotonic clock.
 */
export class ServiceMemory {
  /** The jobs of the last list that is believed, and when that was requested. */
  #listed: ReadonlySet<string> = new Set();
  #listedAt: number;
  readonly #patience: number;
  /** One of them that had ended: a single read shows whether the service still knows it. */
  #ended: string | undefined;
  /** Jobs of ours, each with when the service is known to have known it. */
  readonly #ours = new Map<string, number>();
  /** When its stream of events was opened, and last told of a job. */
  #openedAt = Number.POSITIVE_INFINITY;
  #heardAt = Number.NEGATIVE_INFINITY;
  #awaySince: number | undefined;
  #backAt = Number.NEGATIVE_INFINITY;
  #lostAt: number | undefined;

  constructor(now: number, patience = PATIENCE) {
    this.#listedAt = now;
    this.#patience = patience;
  }

  /** When the last list was requested that is believed. */
  get listedAt(): number {
    return this.#listedAt;
  }

  /** Whether the service knows none of what it knew, which may pass. */
  get isAway(): boolean {
    return this.#awaySince !== undefined;
  }

  /** When the service had its data again. */
  get backAt(): number {
    return this.#backAt;
  }

  /** When to request the list, to see whether the data is back. */
  lookAt(lastLook: number): number | undefined {
    if (this.#awaySince === undefined) return undefined;
    const { least, growth, longest } = LOOK;
    return lastLook + Math.min(longest, Math.max(least, growth * (lastLook - this.#awaySince)));
  }

  /** A job that had ended, for a single read. */
  get endedJob(): string | undefined {
    return this.#ended;
  }

  /** Whether the service has lost for good what it knew at this time. */
  hasLost(at: number): boolean {
    return this.#lostAt !== undefined && at <= this.#lostAt;
  }

  /**
   * The last jobs of an earlier run, the newest last, which the first list should have shown. The newest of them may have
   * been accepted without the data of the others.
   */
  expects(ids: readonly string[], now: number): void {
    const newest = ids.findLastIndex((id) => !this.#listed.has(id));
    const expected = ids.slice(0, newest + 1);
    if (newest < 0 || expected.some((id) => this.#listed.has(id))) return;
    for (const id of expected) this.#keep(id, this.#listedAt);
    this.#listed = new Set();
    this.#ended = expected.at(-1);
    this.#awaySince = now;
  }

  /** The service has accepted the job; it may have given the id to another one before. */
  accepted(id: string, at: number): void {
    this.#listed = this.#listed.difference(new Set([id]));
    this.#keep(id, at);
  }

  /** Its stream of events has been opened: the next list shows whether it is as it was. */
  opened(at: number): void {
    this.#openedAt = at;
  }

  /** The stream that was open at the time of the last list tells of a job: the service is as it was then. */
  heard(at: number): void {
    if (!this.isAway && this.#listedAt >= this.#openedAt) this.#heardAt = at;
  }

  /** A single read shows the job. @returns whether that shows that the data is back */
  found(id: string, at: number): boolean {
    const isBack = this.isAway && this.#knew(id);
    if (isBack) this.#isBack(at);
    if (!this.#ours.has(id)) this.#keep(id, at);
    return isBack;
  }

  /** A list that was requested `at` shows these jobs. `open`: those of ours that have not ended as far as known. */
  sawList(jobs: readonly Job[], at: number, open: readonly Pick<Job, 'id'>[]): void {
    const isKnown = jobs.some(({ id }) => this.#knew(id)) || !this.#expectsAny(at, open);
    if (isKnown) {
      if (this.#awaySince !== undefined) this.#isBack(at);
      this.#believe(jobs, at);
      return;
    }
    this.#awaySince ??= at;
    if (at - this.#awaySince < this.#patience) return;
    this.#lostAt = this.#awaySince;
    this.#awaySince = undefined;
    for (const [id, knownAt] of this.#ours) if (this.hasLost(knownAt)) this.#ours.delete(id);
    this.#believe(jobs, at);
  }

  /** Whether there is a job that the list should show, or one that the last list showed. */
  #expectsAny(at: number, open: readonly Pick<Job, 'id'>[]): boolean {
    if (this.#awaySince !== undefined || open.some(({ id }) => this.#knew(id))) return true;
    return this.#ended !== undefined && at - this.#listedAt <= LONGEST_LAG; // lists drop jobs after some time
  }

  /** Newer jobs may have been accepted without the data. */
  #knew(id: string): boolean {
    const knownAt = this.#ours.get(id) ?? Number.POSITIVE_INFINITY;
    return this.#listed.has(id) || knownAt <= Math.max(this.#listedAt, this.#heardAt);
  }

  #believe(jobs: readonly Job[], at: number): void {
    this.#listed = new Set(jobs.map(({ id }) => id));
    this.#listedAt = at;
    this.#ended = jobs.find(({ status }) => !isPending(status))?.id;
  }

  #isBack(at: number): void {
    this.#awaySince = undefined;
    this.#backAt = at;
  }

  #keep(id: string, at: number): void {
    this.#ours.delete(id);
    this.#ours.set(id, at);
    const [oldest] = this.#ours.keys();
    if (this.#ours.size > KEPT && oldest !== undefined) this.#ours.delete(oldest);
  }
}
