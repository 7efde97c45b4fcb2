import { AWAKE, type Clock } from '../../../base/clock.ts';
import { ServiceError } from '../../../client/errors.ts';
import { classifyFailure } from '../../../client/failure.ts';
import type { SkinClient } from '../../../client/skin-client.ts';
import type { JobState } from '../../../client/types.ts';
import { jobDuration } from '../../../dispatch/job-duration.ts';
import { Listener } from '../../../dispatch/listener.ts';
import { type LookState, LookTimes, type Underway } from '../../../dispatch/look-times.ts';
import { ONE_ATTEMPT } from '../../../dispatch/one-attempt.ts';
import { RoundTrip } from '../../../dispatch/round-trip.ts';
import { WakeUpSignal } from '../../../dispatch/wake-up-signal.ts';
import { isPending, type Job } from '../../../protocol/job.ts';
import type { Db } from '../../store/db.ts';
import { isAboutRequest } from './failed-jobs.ts';
import type { Gate } from './gate.ts';
import { ListWaiters, type SeenList } from './list-waiters.ts';
import { OtherJobs } from './other-jobs.ts';
import { Recent } from './recent.ts';

export interface WatcherOptions {
  readonly client: SkinClient;
  readonly gate: Gate;
  readonly db: Db;
  readonly clock: Clock;
  /** Tells workers that there may be room for more jobs. */
  readonly wake: () => void;
  /** Called with bugs. */
  readonly onError: (error: unknown) => void;
}

interface Waiter extends Underway {
  readonly id: string;
  /** Whether `acceptedAt` is accurate: a job that an earlier process submitted may have ended long ago. */
  readonly isTimed: boolean;
  seenAt?: number;
  askedAt?: number;
  /** A request for this single job is in progress. */
  isAsked: boolean;
  /** Earliest time of the next request for this single job. */
  notBefore: number;
  readonly settle: (state: JobState | undefined) => void;
  readonly fail: (error: unknown) => void;
}

/** Milliseconds: with events the list is only a safety net. */
const SAFETY_NET = 5_000;
/** Longest pause between two looks at jobs of ours. */
const LONGEST_PAUSE = 5_000;
/** Services allow about one request a second for one job. */
const SINGLE_GAP = 1_100;
const KEPT = 1_000;

/**
 * Observes the ends of jobs on the upstream service: with one list for all waiting jobs, or with events if the service
 * has them.
 */
export class Watcher {
  readonly #options: WatcherOptions;
  readonly #waiters = new Set<Waiter>();
  readonly #times = new LookTimes(LONGEST_PAUSE);
  readonly #roundTrip = new RoundTrip();
  readonly #listener: Listener;
  readonly #stop = new AbortController();
  /** Jobs that this process has submitted or waited for. */
  readonly #own = new Recent<true>(KEPT);
  readonly #listWaiters = new ListWaiters();
  readonly #others: OtherJobs;
  #isLookWanted = false;
  /** Something may be due earlier than planned. */
  readonly #changed: WakeUpSignal;
  /** There may be jobs to listen for. */
  readonly #listenWanted: WakeUpSignal;
  #lastLook = Number.NEGATIVE_INFINITY;
  #newest = 0;
  #isSkinsmith = false;
  readonly #loops: Promise<void>[] = [];

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#others = new OtherJobs(options.db);
    this.#changed = new WakeUpSignal(options.clock);
    this.#listenWanted = new WakeUpSignal(options.clock);
    this.#listener = new Listener({
      client: options.client,
      clock: options.clock,
      signal: this.#stop.signal,
      untilWanted: async () => await this.#untilListenWanted(),
      run: (loop) => this.#keep(loop),
      onListening: () => this.lookSoon(), // finds jobs that ended while no stream was open
      onJob: (state) => this.#heard(state),
    });
  }

  /** Number of jobs on the service that belong to other programs with the same key. */
  get others(): number {
    return this.#others.count;
  }

  /** Time of the newest job seen, by the service's own clock, in milliseconds since the epoch; 0: none. */
  get newest(): number {
    return this.#newest;
  }

  /** Whether the service recognizes a repeated submission by its `Idempotency-Key`. */
  get isSkinsmith(): boolean {
    return this.#isSkinsmith;
  }

  isOwn(id: string): boolean {
    return this.#own.get(id) === true;
  }

  start(): void {
    this.#keep(this.#run());
  }

  async stop(): Promise<void> {
    this.#stop.abort(AWAKE);
    await Promise.all(this.#loops);
  }

  /** After a full queue or trouble: looks at the list as soon as that is useful. */
  lookSoon(): void {
    this.#isLookWanted = true;
    this.#changed.notify();
  }

  /** Resolves after the first look at the list. @throws GenerationPostponed while the service is down */
  async firstLook(signal: AbortSignal): Promise<void> {
    if (this.#lastLook === Number.NEGATIVE_INFINITY) await this.nextList(signal);
  }

  /** The list at the next look. @throws GenerationPostponed while the service is down */
  async nextList(signal: AbortSignal): Promise<SeenList> {
    const list = this.#listWaiters.next(signal);
    this.#changed.notify();
    return await list;
  }

  /** A job of ours has just been accepted. */
  took({ id, timestamp }: Job): void {
    this.#own.set(id, true);
    this.#newest = Math.max(this.#newest, timestamp ?? 0);
  }

  /**
   * The job's state once it has ended; undefined if the service does not know it (any more).
   * @throws GenerationPostponed while the service is down
   */
  async end(job: Pick<Job, 'id' | 'eta' | 'timestamp'>, isNew: boolean, signal: AbortSignal) {
    signal.throwIfAborted();
    this.#own.set(job.id, true);
    const heard = this.#listener.takeEnd(job.id);
    if (heard) return heard;
    const { promise, resolve, reject } = Promise.withResolvers<JobState | undefined>();
    const { timestamp: accepted = this.#options.client.serviceClock.now() } = job;
    const eta = job.eta === undefined ? undefined : job.eta - accepted;
    const about = { id: job.id, isTimed: isNew, eta, acceptedAt: this.#now(), isAsked: false, notBefore: 0 };
    const waiter: Waiter = { ...about, settle: resolve, fail: reject };
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    this.#waiters.add(waiter);
    if (!isNew) this.#isLookWanted = true;
    this.#listenWanted.notify();
    this.#changed.notify();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#waiters.delete(waiter);
    }
  }

  #keep(loop: Promise<void>): void {
    const ended = loop.catch((error: unknown) => {
      if (!this.#stop.signal.aborted) this.#options.onError(error);
    });
    this.#loops.push(ended);
  }

  async #untilListenWanted(): Promise<void> {
    while (this.#waiters.size === 0 || this.#options.gate.isDown)
      await this.#listenWanted.wait(undefined, this.#stop.signal);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const pause = Math.min(this.#untilLook(), this.#askDue());
      if (pause > 0) await this.#changed.wait(Number.isFinite(pause) ? pause : undefined, signal);
      else await this.#look();
    }
  }

  /** Milliseconds until the next look; Infinity: there is nothing to look for. */
  #untilLook(): number {
    const tryAgainIn = this.#options.gate.tryAgainIn();
    const isWanted = this.#isLookWanted || this.#listWaiters.size > 0;
    if (this.#options.gate.isDown || isWanted) return tryAgainIn;
    return Math.max(tryAgainIn, this.#nextLook() - this.#now());
  }

  #nextLook(): number {
    if (this.#waiters.size > 0) {
      return this.#listener.isListening
        ? this.#lastLook + SAFETY_NET
        : this.#times.next([...this.#waiters], this.#lookState());
    }
    const { count, pause } = this.#others;
    return count > 0 ? this.#lastLook + pause : Number.POSITIVE_INFINITY;
  }

  /** Polls the jobs that are due singly. @returns milliseconds until the next one is; Infinity: none */
  #askDue(): number {
    const { gate } = this.#options;
    if (this.#listener.isListening || gate.isDown || gate.tryAgainIn() > 0) return Number.POSITIVE_INFINITY;
    for (;;) {
      const state = this.#lookState();
      const free = [...this.#waiters].filter(({ isAsked, notBefore }) => !isAsked && notBefore <= state.now);
      const ask = free.length === 0 ? undefined : this.#times.nextAsk(free, state);
      if (!ask) return Number.POSITIVE_INFINITY;
      if (ask.at > state.now) return ask.at - state.now;
      void this.#ask(ask.job);
    }
  }

  #lookState(): LookState {
    return { now: this.#now(), lastLook: this.#lastLook, roundTrip: this.#roundTrip.ms };
  }

  async #look(): Promise<void> {
    const { client, gate } = this.#options;
    const askedAt = this.#now();
    const give = this.#listWaiters.asked();
    this.#isLookWanted = false;
    try {
      const { jobs, links } = await client.queueList({ ...ONE_ATTEMPT, signal: this.#stop.signal });
      gate.passed();
      this.#roundTrip.took(this.#now() - askedAt);
      this.#isSkinsmith = links['events'] !== undefined;
      await this.#saw({ jobs, askedAt });
      this.#lastLook = askedAt;
      give({ jobs, askedAt });
      this.#listenWanted.notify();
      if (this.#isSkinsmith) this.#listener.start();
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    const { gate, onError } = this.#options;
    const failure = classifyFailure(error);
    if (failure === undefined) onError(error);
    if (failure?.kind === 'key_refused') gate.keyRefused(error);
    else gate.trouble(error, failure?.retryAfter);
    if (!gate.isDown) return;
    const postponed = gate.postponed(error);
    for (const { fail } of this.#waiters) fail(postponed);
    this.#listWaiters.fail(postponed);
  }

  async #saw({ jobs, askedAt }: SeenList): Promise<void> {
    for (const { timestamp = 0 } of jobs) this.#newest = Math.max(this.#newest, timestamp);
    const byId = new Map(jobs.map((job) => [job.id, job]));
    for (const waiter of this.#waiters) {
      if (waiter.acceptedAt >= askedAt || waiter.isAsked || this.#now() < waiter.notBefore) continue;
      const seen = byId.get(waiter.id);
      if (!seen || !isPending(seen.status)) void this.#ask(waiter);
      else waiter.seenAt = askedAt;
    }
    if (await this.#others.saw(jobs, (id) => this.isOwn(id))) this.#options.wake();
  }

  /** The list has neither skins nor reasons, and drops old jobs: only a request for the job itself shows its result. */
  async #ask(waiter: Waiter): Promise<void> {
    const askedAt = this.#now();
    waiter.isAsked = true;
    waiter.askedAt = askedAt;
    try {
      const state = await this.#options.client.job(waiter.id, { ...ONE_ATTEMPT, signal: this.#stop.signal });
      if (isPending(state.job.status)) {
        waiter.seenAt = Math.max(askedAt, waiter.seenAt ?? askedAt);
        waiter.notBefore = this.#now() + SINGLE_GAP;
      } else this.#end(waiter, state);
    } catch (error) {
      this.#notAnswered(waiter, error);
    }
    waiter.isAsked = false;
    this.#changed.notify();
  }

  #notAnswered(waiter: Waiter, error: unknown): void {
    if (this.#stop.signal.aborted) return;
    const failure = classifyFailure(error);
    if (error instanceof ServiceError && error.code === 'job_not_found') this.#end(waiter, undefined);
    else if (failure === undefined || isAboutRequest(failure)) waiter.fail(error);
    else if (failure.status === 429 || failure.kind === 'key_refused')
      waiter.notBefore = this.#now() + (failure.retryAfter || SINGLE_GAP);
    else this.#options.gate.trouble(error, failure.retryAfter);
  }

  #heard(state: JobState): void {
    if (isPending(state.job.status)) return;
    for (const waiter of this.#waiters) if (waiter.id === state.job.id) this.#end(waiter, state);
  }

  #end(waiter: Waiter, state: JobState | undefined): void {
    if (state && waiter.isTimed) {
      const { duration, isTold } = jobDuration(waiter, state, this.#now());
      this.#times.ended(waiter, duration, { isTold });
    }
    waiter.settle(state);
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }
}
