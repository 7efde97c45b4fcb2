import { ServiceError } from '../../client/errors.ts';
import type { CallOptions } from '../../client/types.ts';
import { isPending, type Job } from '../../protocol/job.ts';
import type { Bell } from './bell.ts';
import type { Desk } from './desk.ts';
import type { Losses } from './losses.ts';
import type { OpenJob } from './spots.ts';
import { isRefusedForNow, isTrouble, refusedPause } from './trouble.ts';

export interface WatcherTools {
  readonly desk: Desk;
  /** Rung when jobs were added or a look is wanted. */
  readonly bell: Bell;
  readonly losses: Losses;
  readonly stop: AbortSignal;
  /** The list says that the job has ended; it was asked for `at`. */
  readonly onEnded: (job: OpenJob, seen: Job, at: number) => void;
  /** The list does not have the job any more, or not yet. */
  readonly onMissing: (job: OpenJob) => void;
  /** What is pending on the service was seen anew. */
  readonly onLooked: () => void;
}

/** Milliseconds: a stream of events is trusted for so long before the list is looked at all the same. */
const SAFETY_NET = 5_000;

/** Milliseconds between two questions for the same job, half of them. */
const SINGLE_GAP = 600;

/** Sees when jobs end: one list for all of them, looked at when a wave is due. */
export class Watcher {
  readonly #tools: WatcherTools;
  #isLookWanted = false;
  #isListening = false;
  #lastLook = 0;
  /** The hosted service lists nothing for callers without a key. */
  #hasList = true;

  constructor(tools: WatcherTools) {
    this.#tools = tools;
  }

  /** Look without waiting for anybody's turn. */
  lookSoon(): void {
    this.#isLookWanted = true;
    this.#tools.bell.ring();
  }

  /** There is something new to look for. */
  added(): void {
    this.#tools.bell.ring();
  }

  /** What is in the queue before anything is sent. */
  async firstLook(): Promise<void> {
    do await this.look();
    while (this.#isLookWanted);
  }

  listening(isListening: boolean): void {
    this.#isListening = isListening;
    this.lookSoon(); // what ended while nobody listened
  }

  /** Runs until aborted. */
  async run(): Promise<void> {
    const { bell, stop } = this.#tools;
    while (!stop.aborted) {
      const pause = this.#pause();
      if (pause === undefined || pause > 0) await bell.wait(pause, stop);
      else await this.look();
    }
  }

  /** Milliseconds until the next look; undefined: there is nothing to look for. */
  #pause(): number | undefined {
    const { desk, losses } = this.#tools;
    if (this.#isLookWanted) return 0;
    const jobs = [...desk.spots.jobs.values()];
    const now = desk.now();
    const due = losses.lookAt();
    if (jobs.length === 0) {
      const others = desk.spots.others > 0 ? this.#lastLook + this.#othersPause() : undefined;
      return earliest([due, others], now);
    }
    if (this.#isListening) return earliest([due, this.#lastLook + SAFETY_NET], now);
    const { times } = desk;
    const roundTrip = this.#hasList ? desk.roundTrip : SINGLE_GAP;
    return earliest([due, times.next(jobs, { now, lastLook: this.#lastLook, roundTrip })], now);
  }

  /** Only others' jobs take up the spots. */
  #othersPause(): number {
    const { desk } = this.#tools;
    if (this.#isListening) return SAFETY_NET;
    return Math.max(100, (desk.times.typical ?? 500) / 2) * (0.5 + desk.random());
  }

  /** Looks at the list once. */
  async look(): Promise<void> {
    const { desk, stop } = this.#tools;
    this.#isLookWanted = false;
    const startedAt = desk.now();
    try {
      const jobs = await this.#read();
      desk.trouble.passed();
      desk.tookRoundTrip(desk.now() - startedAt);
      this.#lastLook = startedAt;
      this.#saw(jobs, startedAt);
    } catch (error) {
      this.#isLookWanted = true;
      if (stop.aborted || !isTrouble(error)) throw error;
      if (isRefusedForNow(error)) await desk.clock.sleep(refusedPause(error), stop);
      else await desk.trouble.pause(error, stop);
    }
  }

  /** The caller's jobs; those of this batch alone where the service has no list for callers without a key. */
  async #read(): Promise<readonly Job[]> {
    const { desk, stop } = this.#tools;
    const call = desk.call(stop);
    if (this.#hasList) {
      try {
        const { jobs, links } = await desk.client.queueList(call);
        if (links['events'] !== undefined) desk.isSkinsmith = true;
        return jobs;
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'unauthorized') throw error;
        this.#hasList = false;
      }
    }
    const jobs = await Promise.all([...desk.spots.jobs.keys()].map((id) => this.#readOne(id, call)));
    return jobs.filter((job) => job !== undefined);
  }

  async #readOne(id: string, call: CallOptions): Promise<Job | undefined> {
    try {
      return (await this.#tools.desk.client.job(id, call)).job;
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) return undefined;
      throw error;
    }
  }

  #saw(jobs: readonly Job[], startedAt: number): void {
    const { desk, losses } = this.#tools;
    const byId = new Map(jobs.map((job) => [job.id, job]));
    for (const job of jobs) desk.sawJobTime(job);
    const due = [...desk.spots.jobs.values()].filter((job) => job.acceptedAt < startedAt);
    for (const job of due) {
      const seen = byId.get(job.id);
      if (!seen) this.#tools.onMissing(job);
      else if (!isPending(seen.status)) this.#tools.onEnded(job, seen, startedAt);
    }
    desk.spots.sawList(jobs);
    losses.sawList(jobs, startedAt);
    this.#tools.onLooked();
  }
}

function earliest(times: readonly (number | undefined)[], now: number): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(0, Math.min(...known) - now);
}
