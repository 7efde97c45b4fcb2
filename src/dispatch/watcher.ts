import { ServiceError } from '../client/errors.ts';
import type { CallOptions } from '../client/types.ts';
import { isPending, type Job } from '../protocol/job.ts';
import type { LookState, Underway } from './look-times.ts';
import type { Losses } from './losses.ts';
import type { Desk } from './session.ts';
import type { LastLook, SeenList } from './shared-lists.ts';
import type { SharedQueue } from './shared-queue.ts';
import type { OpenJob } from './spots.ts';
import { isRefusedForNow, isTrouble, mayReadAgain, refusedPause } from './trouble.ts';
import type { Bell } from './wake-up-signal.ts';

export interface WatcherTools {
  readonly desk: Desk;
  /** Rung when jobs were added or the list is wanted. */
  readonly bell: Bell;
  readonly losses: Losses;
  readonly queue: () => SharedQueue;
  readonly stop: AbortSignal;
  /** The list, requested `at`, shows that the job has ended. */
  readonly onEnded: (job: OpenJob, seen: Job, at: number) => void;
  /** The job should be polled singly: it is due, or the list does not contain it. */
  readonly onAsk: (job: OpenJob) => void;
  /** The pending jobs on the service are known anew. */
  readonly onLooked: () => void;
}

/** Milliseconds for which an event stream is trusted before the list is requested anyway. */
const SAFETY_NET = 5_000;

/** Milliseconds for which a list shows the ends of a whole wave. */
const JUST_NOW = 250;

/** Half the milliseconds between two polls of the same job. */
const SINGLE_GAP = 600;

/** Notices the ends of jobs: one list request for all of them when a wave is due. */
export class Watcher {
  readonly #tools: WatcherTools;
  #isLookWanted = false;
  #isListening = false;
  /** List requests that failed in a row. */
  #failures = 0;
  #lastLook = 0;
  /** Other processes have just requested the list: not before this time. */
  #openAt = 0;
  /** The hosted service lists nothing for anonymous callers. */
  #hasList = true;

  constructor(tools: WatcherTools) {
    this.#tools = tools;
  }

  /** Request the list without waiting for a turn. */
  lookSoon(): void {
    this.#isLookWanted = true;
    this.#tools.bell.ring();
  }

  /** A polled job has ended: without experience, others of its wave may have ended too. */
  sawEnd(): void {
    const { desk } = this.#tools;
    if (this.#isListening || desk.times.typical !== undefined) return;
    if (desk.now() - this.#lastLook >= JUST_NOW) this.lookSoon();
  }

  /** There is a new job to follow. */
  added(): void {
    this.#tools.bell.ring();
  }

  /** The jobs in the queue before anything is sent. */
  async firstLook(): Promise<void> {
    const { desk, stop } = this.#tools;
    this.#isLookWanted = true;
    do {
      await desk.clock.sleep(Math.max(0, this.#openAt - desk.now()), stop);
      await this.look();
    } while (this.#isLookWanted);
  }

  listening(isListening: boolean): void {
    this.#isListening = isListening;
    this.lookSoon(); // jobs may have ended while the stream was down
  }

  /** Runs until aborted. */
  async run(): Promise<void> {
    const { bell, stop } = this.#tools;
    while (!stop.aborted) {
      const pause = earliest([this.#pause(), this.#askDue()], 0);
      if (pause === undefined || pause > 0) await bell.wait(pause, stop);
      else await this.look();
    }
  }

  /** Takes over another process's list, if there is a new one. */
  hear(): void {
    const news = this.#tools.queue().takeNews();
    if (news) this.#heard(news);
  }

  #heard({ at, list: { jobs, links } }: LastLook): void {
    const { desk, bell } = this.#tools;
    if (links['events'] !== undefined) desk.isSkinsmith = true;
    this.#isLookWanted = false;
    this.#lastLook = Math.max(this.#lastLook, at);
    this.#saw(jobs, at);
    bell.ring();
  }

  /** Milliseconds until the next list request; undefined: there is nothing to follow. */
  #pause(): number | undefined {
    const pause = this.#dueIn();
    return pause === undefined ? undefined : Math.max(pause, this.#openAt - this.#tools.desk.now());
  }

  #dueIn(): number | undefined {
    const { desk, losses, queue } = this.#tools;
    if (this.#isLookWanted) return 0;
    const now = desk.now();
    const due = earliest([losses.lookAt(), queue().settledAt], 0);
    if (desk.spots.jobs.size === 0) {
      const others = queue().strangers > 0 ? this.#lastLook + this.#othersPause() : undefined;
      return earliest([due, others], now);
    }
    if (this.#isListening) return earliest([due, this.#lastLook + SAFETY_NET], now);
    const { times } = desk;
    times.told(queue().typical);
    const roundTrip = this.#hasList ? desk.roundTrip : SINGLE_GAP;
    return earliest([due, times.next(this.#jobs(), { ...this.#state(now), roundTrip })], now);
  }

  #state(now: number): LookState {
    const { desk, queue } = this.#tools;
    const isAlone = this.#hasList && queue().otherJobs.length === 0 && queue().strangers === 0;
    return { now, lastLook: this.#lastLook, roundTrip: desk.roundTrip, isAlone };
  }

  /** All jobs that the list would show, of any process: they end in waves together. */
  #jobs(): readonly Underway[] {
    const { desk, queue } = this.#tools;
    const others = queue().otherJobs.map((job) => ({
      ...job,
      seenAt: Math.max(job.acceptedAt, this.#lastLook),
    }));
    return [...desk.spots.jobs.values(), ...others];
  }

  /** Polls the job that is due singly. @returns milliseconds until the next one is */
  #askDue(): number | undefined {
    const { desk, onAsk } = this.#tools;
    if (this.#isListening || !this.#hasList) return undefined;
    for (;;) {
      const now = desk.now();
      const jobs = [...desk.spots.jobs.values()];
      if (jobs.length === 0) return undefined;
      const ask = desk.times.nextAsk(jobs, this.#state(now));
      if (!ask || ask.at > now) return ask && ask.at - now;
      onAsk(ask.job);
    }
  }

  /** Only others' jobs occupy the spots. */
  #othersPause(): number {
    const { desk } = this.#tools;
    if (this.#isListening) return SAFETY_NET;
    return Math.max(100, (desk.times.typical ?? 500) / 2) * (0.5 + desk.random());
  }

  /** Requests the list once. */
  async look(): Promise<void> {
    const { desk, losses, stop } = this.#tools;
    const isUrgent = this.#isLookWanted || losses.size > 0;
    this.#isLookWanted = false;
    if (this.#isLookedFor({ isUrgent })) return;
    const startedAt = desk.now();
    try {
      const jobs = await this.#readShared(startedAt);
      desk.trouble.passed();
      this.#failures = 0;
      desk.tookRoundTrip(desk.now() - startedAt);
      this.#lastLook = startedAt;
      this.#saw(jobs, startedAt);
    } catch (error) {
      this.#isLookWanted = true;
      const mayPass = isTrouble(error) || mayReadAgain(error, ++this.#failures);
      if (stop.aborted || !mayPass) throw error;
      if (isRefusedForNow(error)) await desk.clock.sleep(refusedPause(error), stop);
      else await desk.trouble.pause(error, stop);
    }
  }

  /** Whether another process has just requested the list or is doing so, which makes another request needless. */
  #isLookedFor({ isUrgent }: { isUrgent: boolean }): boolean {
    const { desk, queue } = this.#tools;
    if (!this.#hasList) return false;
    const news = queue().takeNews();
    if (news) {
      this.#heard(news);
      return true;
    }
    const wait = queue().tryLook({ isUrgent });
    this.#openAt = desk.now() + wait;
    if (wait > 0) this.#isLookWanted = isUrgent;
    return wait > 0;
  }

  /** Requests the list and shares it with other processes. */
  async #readShared(startedAt: number): Promise<readonly Job[]> {
    const { desk, queue } = this.#tools;
    let list: SeenList | undefined;
    try {
      list = await this.#read();
      return list.jobs;
    } finally {
      queue().endLook(desk.now() - startedAt, this.#hasList ? list : undefined);
    }
  }

  /** The caller's jobs; for anonymous callers without a list, only those of this batch. */
  async #read(): Promise<SeenList> {
    const { desk, stop } = this.#tools;
    const call = desk.call(stop);
    if (this.#hasList) {
      try {
        const { jobs, links } = await desk.client.queueList(call);
        if (links['events'] !== undefined) desk.isSkinsmith = true;
        return { jobs, links };
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'unauthorized') throw error;
        this.#hasList = false;
      }
    }
    const jobs = await Promise.all([...desk.spots.jobs.keys()].map((id) => this.#readOne(id, call)));
    return { jobs: jobs.filter((job) => job !== undefined), links: {} };
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
      if (!seen) this.#tools.onAsk(job);
      else if (!isPending(seen.status)) this.#tools.onEnded(job, seen, startedAt);
      else job.seenAt = startedAt;
    }
    desk.spots.sawList(jobs);
    desk.spotLimit.fitted(jobs.filter(({ status }) => isPending(status)).length, desk.now());
    losses.sawList(jobs, startedAt);
    this.#tools.onLooked();
  }
}

function earliest(times: readonly (number | undefined)[], now: number): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(0, Math.min(...known) - now);
}
