import { backOff, type Clock, type WakeUpSignal } from '../base/clock.ts';
import { ServiceError, SkinsmithError } from '../client/errors.ts';
import type { SkinClient } from '../client/skin-client.ts';
import type { CallOptions, JobAnswer, JobEvent } from '../client/types.ts';
import { isPending, type Job } from '../protocol/job.ts';
import type { LastLook, OpenJob, OtherProcesses, SeenList, Submission } from './limits.ts';
import type { LookState, RunningJob } from './look-times.ts';
import type { LostAnswers } from './lost-answers.ts';
import { isRouteMissing, isTransient, mayRetryList } from './outage.ts';
import type { Session } from './session.ts';

export interface WatcherPorts<W extends Submission> {
  readonly session: Session<W>;
  /** Rung when jobs were added or the list is wanted. */
  readonly wakeUp: WakeUpSignal;
  readonly lostAnswers: LostAnswers<W>;
  readonly others: OtherProcesses;
  readonly stop: AbortSignal;
  /** The list, requested `at`, shows that the job has ended. */
  readonly onEnded: (job: OpenJob<W>, seen: Job, at: number) => void;
  /** The job should be polled singly: it is due, or the list does not contain it. */
  readonly onPoll: (job: OpenJob<W>) => void;
  /** The list lacks all that the service knew: a single read of a job that had ended may show that it still does. */
  readonly onDoubt: (id: string | undefined) => void;
  /** The pending jobs on the service are known anew. */
  readonly onLooked: () => void;
}

/** Milliseconds for which an event stream is trusted before the list is requested anyway. */
const SAFETY_NET = 5_000;

/** Milliseconds for which a list shows the ends of a whole wave. */
const JUST_NOW = 250;

/** Milliseconds between lists while others have all slots: longer, the longer they have had them. */
const FOREIGN = { least: 100, growth: 0.1, longest: 2_000 };

/** Half the milliseconds between two polls of the same job. */
const SINGLE_GAP = 600;

/** Notices the ends of jobs: one list request for all of them when a wave is due. */
export class Watcher<W extends Submission> {
  readonly #ports: WatcherPorts<W>;
  #isLookWanted = false;
  #isListening = false;
  /** List requests that failed in a row. */
  #failures = 0;
  #lastLook = 0;
  /** When a list last showed jobs of others. */
  #othersAt: number | undefined;
  /** Since when lists have shown jobs of others and none of ours. */
  #crowdedSince: number | undefined;
  /** Other processes have just requested the list: not before this time. */
  #openAt = 0;
  /** The hosted service lists nothing for anonymous callers. */
  #hasList = true;
  /** A list has been answered: its address is right. */
  #hasWorked = false;

  constructor(ports: WatcherPorts<W>) {
    this.#ports = ports;
  }

  /** Request the list without waiting for a turn. */
  lookSoon(): void {
    this.#isLookWanted = true;
    this.#ports.wakeUp.notify();
  }

  /** A polled job has ended: without experience, others of its wave may have ended too. */
  sawEnd(): void {
    const { session } = this.#ports;
    if (this.#isListening || session.times.typical !== undefined || this.#jobs().length === 0) return;
    if (session.now() - this.#lastLook >= JUST_NOW) this.lookSoon();
  }

  /** There is a new job to follow. */
  added(): void {
    this.#ports.wakeUp.notify();
  }

  /** The jobs in the queue before anything is sent. */
  async firstLook(): Promise<void> {
    const { session, stop } = this.#ports;
    this.#isLookWanted = true;
    do {
      await session.clock.sleep(Math.max(0, this.#openAt - session.now()), stop);
      await this.look();
    } while (this.#isLookWanted);
  }

  listening(isListening: boolean): void {
    this.#isListening = isListening;
    this.lookSoon(); // jobs may have ended while the stream was down
  }

  /** Runs until aborted. */
  async run(): Promise<void> {
    const { wakeUp, stop } = this.#ports;
    while (!stop.aborted) {
      const pause = earliest([this.#pause(), this.#pollDue()], 0);
      if (pause === undefined || pause > 0) await wakeUp.wait(pause, stop);
      else await this.look();
    }
  }

  /** Takes over another process's list, if there is a new one. */
  hear(): void {
    const news = this.#ports.others.takeNews();
    if (news) this.#heard(news);
  }

  #heard({ at, list: { jobs, links } }: LastLook): void {
    const { session, wakeUp } = this.#ports;
    if (links['events'] !== undefined) session.isSkinsmith = true;
    this.#isLookWanted = false;
    this.#lastLook = Math.max(this.#lastLook, at);
    this.#saw(jobs, at);
    wakeUp.notify();
  }

  /** Milliseconds until the next list request; undefined: there is nothing to follow. */
  #pause(): number | undefined {
    const pause = this.#dueIn();
    return pause === undefined ? undefined : Math.max(pause, this.#openAt - this.#ports.session.now());
  }

  #dueIn(): number | undefined {
    const { session, lostAnswers, others } = this.#ports;
    if (this.#isLookWanted) return 0;
    const now = session.now();
    const back = session.isUnproven ? now : session.memory.lookAt(this.#lastLook);
    const due = earliest([lostAnswers.lookAt(), others.settledAt, back], 0);
    if (session.slots.jobs.size === 0) {
      const foreignJobs = others.foreignJobs > 0 ? this.#lastLook + this.#foreignJobsPause() : undefined;
      return earliest([due, foreignJobs], now);
    }
    if (this.#isListening) return earliest([due, this.#lastLook + SAFETY_NET], now);
    const { times } = session;
    times.assumeTypical(others.typical);
    const roundTrip = this.#hasList ? session.roundTrip.ms : SINGLE_GAP;
    return earliest([due, times.next(this.#jobs(), { ...this.#state(now), roundTrip })], now);
  }

  #state(now: number): LookState {
    const { session, others } = this.#ports;
    const isAlone = this.#hasList && !others.isShared && others.foreignJobs === 0;
    const [lastLook, othersAt] = [this.#lastLook, this.#othersAt];
    return { now, lastLook, roundTrip: session.roundTrip.ms, isAlone, othersAt };
  }

  /** All jobs that the list would show, of any process: they end in waves together. */
  #jobs(): readonly RunningJob[] {
    const { session, others } = this.#ports;
    const theirs = others.otherJobs.map((job) => {
      return { ...job, seenAt: Math.max(job.acceptedAt, this.#lastLook) };
    });
    return [...session.slots.jobs.values(), ...theirs];
  }

  /** Polls the job that is due singly. @returns milliseconds until the next one is */
  #pollDue(): number | undefined {
    const { session, onPoll } = this.#ports;
    if (this.#isListening || !this.#hasList) return undefined;
    for (;;) {
      const now = session.now();
      const jobs = [...session.slots.jobs.values()];
      if (jobs.length === 0) return undefined;
      const poll = session.times.nextPoll(jobs, this.#state(now));
      if (!poll || poll.at > now) return poll && poll.at - now;
      onPoll(poll.job);
    }
  }

  /** Only others' jobs occupy the slots. */
  #foreignJobsPause(): number {
    const { session, others } = this.#ports;
    if (this.#isListening) return SAFETY_NET;
    if (others.foreignJobsPause !== undefined) return others.foreignJobsPause;
    const { least, growth, longest } = FOREIGN;
    const crowded = growth * (this.#lastLook - (this.#crowdedSince ?? this.#lastLook));
    const pause = Math.max(least, (session.times.typical ?? 500) / 2, Math.min(longest, crowded));
    return pause * (0.5 + session.random());
  }

  /** Requests the list once. */
  async look(): Promise<void> {
    const { session, lostAnswers, others, stop } = this.#ports;
    const isUrgent = this.#isLookWanted || lostAnswers.size > 0;
    this.#isLookWanted = false;
    if (this.#isLookedFor({ isUrgent })) return;
    const startedAt = session.now();
    try {
      const jobs = await this.#readShared(startedAt);
      session.outage.passed();
      this.#failures = 0;
      this.#hasWorked = true;
      session.roundTrip.took(session.now() - startedAt);
      this.#lastLook = startedAt;
      await others.catchUp?.();
      this.#saw(jobs, startedAt);
    } catch (error) {
      this.#isLookWanted = true;
      session.failed(error);
      const isAway = this.#hasWorked && isRouteMissing(error);
      const mayPass = isAway || isTransient(error) || mayRetryList(error, ++this.#failures);
      if (stop.aborted || !mayPass) throw error;
      await session.outage.pause(error, stop);
    }
  }

  /** Whether another process has just requested the list or is doing so, which makes another request needless. */
  #isLookedFor({ isUrgent }: { isUrgent: boolean }): boolean {
    const { session, others } = this.#ports;
    if (!this.#hasList) return false;
    const news = others.takeNews();
    if (news) {
      this.#heard(news);
      return true;
    }
    const wait = others.tryLook({ isUrgent });
    this.#openAt = session.now() + wait;
    if (wait > 0) this.#isLookWanted = isUrgent;
    return wait > 0;
  }

  /** Requests the list and shares it with other processes. */
  async #readShared(startedAt: number): Promise<readonly Job[]> {
    const { session, others } = this.#ports;
    let list: SeenList | undefined;
    try {
      list = await this.#read();
      return list.jobs;
    } finally {
      others.endLook(session.now() - startedAt, this.#hasList ? list : undefined);
    }
  }

  /** The caller's jobs; for anonymous callers without a list, only those of this batch. */
  async #read(): Promise<SeenList> {
    const { session, stop } = this.#ports;
    const call = session.call(stop);
    if (this.#hasList) {
      try {
        const { jobs, links } = await session.whileTold(async () => await session.client.queueList(call));
        if (links['events'] !== undefined) session.isSkinsmith = true;
        return { jobs, links };
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'unauthorized') throw error;
        this.#hasList = false;
      }
    }
    const jobs = await Promise.all([...session.slots.jobs.keys()].map((id) => this.#readOne(id, call)));
    return { jobs: jobs.filter((job) => job !== undefined), links: {} };
  }

  async #readOne(id: string, call: CallOptions): Promise<Job | undefined> {
    try {
      return (await this.#ports.session.client.job(id, call)).job;
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) return undefined;
      throw error;
    }
  }

  #saw(jobs: readonly Job[], startedAt: number): void {
    const { session, lostAnswers } = this.#ports;
    const byId = new Map(jobs.map((job) => [job.id, job]));
    for (const job of jobs) session.sawJobTime(job);
    const due = [...session.slots.jobs.values()].filter((job) => job.acceptedAt < startedAt);
    const open = due.map(({ id }) => id);
    session.memory.sawList(jobs, startedAt, due);
    if (session.memory.isAway) this.#ports.onDoubt(session.memory.endedJob);
    if (this.#hasList) session.lag.sawList(new Set(byId.keys()), startedAt, open);
    for (const job of due) {
      const seen = byId.get(job.id);
      if (!seen) this.#ports.onPoll(job);
      else if (!isPending(seen.status)) this.#ports.onEnded(job, seen, startedAt);
      else {
        job.seenAt = startedAt;
        session.lag.found(job);
      }
    }
    session.slots.sawList(jobs, startedAt);
    const isForeign = this.#ports.others.foreignJobs > 0;
    if (isForeign) this.#othersAt = startedAt;
    const isCrowded = isForeign && session.slots.jobs.size === 0;
    this.#crowdedSince = isCrowded ? (this.#crowdedSince ?? startedAt) : undefined;
    session.slotLimit.fitted(jobs.filter(({ status }) => isPending(status)).length, session.now());
    lostAnswers.sawList(jobs, startedAt);
    this.#ports.onLooked();
  }
}

function earliest(times: readonly (number | undefined)[], now: number): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(0, Math.min(...known) - now);
}

interface JobEventsOptions {
  readonly client: Pick<SkinClient, 'events'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Resolves when a connection is wanted; absent: always. */
  readonly untilWanted?: (() => Promise<void>) | undefined;
}

/**
 * An event of the service; `closed`: the connection has ended, so that the ends of jobs may be missed from now
 * on; `reopening`: the next connection is about to be made.
 */
type StreamEvent = JobEvent | { readonly type: 'closed' | 'reopening' };

/** Milliseconds before reconnecting after a connection broke; doubled while nothing is heard. */
const RECONNECTING = { first: 500, longest: 15_000 };

/** The caller's jobs as the service streams them, over one connection after another, until aborted. */
export async function* jobEvents(options: JobEventsOptions): AsyncGenerator<StreamEvent, void, void> {
  const { client, clock, signal, untilWanted } = options;
  for (let failures = 1; ; failures++) {
    await untilWanted?.();
    try {
      for await (const event of client.events({ signal })) {
        failures = 1;
        yield event;
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof SkinsmithError)) throw error;
    }
    yield { type: 'closed' };
    await clock.sleep(backOff(failures, RECONNECTING), signal);
    yield { type: 'reopening' };
  }
}

export interface JobEventListenerOptions extends JobEventsOptions {
  /** Runs the loop in the background, until the signal is aborted. */
  readonly run: (loop: Promise<void>) => void;
  /** The stream has been opened, or has ended; while there is none, the list shows the ends of jobs. */
  readonly onListening: (isListening: boolean) => void;
  /** A job of the caller was accepted, or has ended; not necessarily one of this process. */
  readonly onJob: (state: JobAnswer) => void;
}

/** Ends of jobs that are kept, because they may arrive before the answer to the submission. */
const MAX_ENDED = 256;

/** Listens for the ends of jobs on a service that streams them. */
export class JobEventListener {
  readonly #options: JobEventListenerOptions;
  readonly #ended = new Map<string, JobAnswer>();
  #hasStarted = false;

  constructor(options: JobEventListenerOptions) {
    this.#options = options;
  }

  /** Starts listening; further calls do nothing. */
  start(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#options.run(this.#listen());
  }

  /** The end of a job, if an event has reported it, once. */
  takeEnd(id: string): JobAnswer | undefined {
    const state = this.#ended.get(id);
    this.#ended.delete(id);
    return state;
  }

  async #listen(): Promise<void> {
    for await (const event of jobEvents(this.#options)) {
      if (event.type === 'job') this.#heard(event.state);
      else if (event.type === 'jobs') this.#options.onListening(true);
      else if (event.type === 'closed') this.#options.onListening(false);
    }
  }

  #heard(state: JobAnswer): void {
    const { id, status } = state.job;
    if (!isPending(status)) {
      this.#ended.set(id, state);
      if (this.#ended.size > MAX_ENDED) this.#ended.delete(this.#ended.keys().next().value ?? '');
    }
    this.#options.onJob(state);
  }
}
