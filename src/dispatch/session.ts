import { backOff, type Clock } from '../base/clock.ts';
import { classifyFailure, didNotArrive, ServiceError } from '../client/errors.ts';
import type { CountedSubmission } from '../client/rate-limits.ts';
import type { SkinClient } from '../client/skin-client.ts';
import type { CallOptions, JobAnswer, SkinOptions, SkinSource } from '../client/types.ts';
import { isPending, type Job } from '../protocol/job.ts';
import { type CallerQueue, Pace, SlotLimit, Slots, type Submission, USUAL_SLOTS } from './limits.ts';
import { LookTimes, RecentSamples } from './look-times.ts';
import {
  isFullQueue,
  isRefusedForNow,
  isRouteMissing,
  isTransient,
  LAG_PAUSES,
  LONG_PAUSE,
  mayRetryRead,
  Outage,
  type OutageOptions,
  ReadGate,
  reportSilence,
  type WaitReason,
  waitReason,
} from './outage.ts';
import { Lag, ServiceMemory } from './service-facts.ts';

/** The content of a submission. */
export interface SkinRequest {
  readonly source: SkinSource;
  readonly options: SkinOptions;
}

/** What the caller knows about its own submissions. */
export interface OwnSubmissions<W extends Submission> {
  /** Whether one of them became this job. */
  isOwnJob(id: string): boolean;
  /** The same for each repetition of one attempt. */
  idempotencyKey(work: W): string;
}

/** The dispatcher repeats requests by its own rules, which consider all of them and know each lost answer. */
export const ONE_ATTEMPT = { retry: { budget: 0, patience: 0 } } as const satisfies CallOptions;

export interface SessionOptions<W extends Submission> extends Omit<OutageOptions, 'onPause' | 'contact'> {
  readonly client: SkinClient;
  readonly submissions: OwnSubmissions<W>;
  /** Longest pause between list requests, milliseconds. */
  readonly longestLookPause: number;
  /** Milliseconds for which a job must be missing to count as forgotten; default: 10,000. */
  readonly forgottenAfter?: number | undefined;
  /** Milliseconds for which a list that lacks all known jobs is not believed; default: 3 minutes. */
  readonly dataPatience?: number | undefined;
  /** The batch has to wait, for a limit or after a failure. `ms`: undefined for an unknown time. */
  readonly onWaiting: (reason: WaitReason, message: string, ms: number | undefined) => void;
  /** A failure ends everything. */
  readonly onFatal: (error: unknown) => void;
  /** A background task has ended. */
  readonly onTaskEnd: () => void;
}

/** Milliseconds between attempts to submit while the service accepts nothing. */
const FIRST_INTAKE_PAUSE = 500;
const LONGEST_INTAKE_PAUSE = 60_000;

/** Waits for a limit of up to this many milliseconds are not reported. */
const SHORT_WAIT = 1_000;
/** A submission that takes so many times as long as the last ones have taken is not expected to be answered soon. */
const UNUSUAL = 2;
const LIMIT_USED_UP = 'Rate limit reached.';
const SILENT = 'The service does not answer yet.';

/** Single reads that fail and are repeated together: of jobs, of skins, of what the service says about itself. */
export type ReadKind = 'job' | 'skin' | 'facts';

/** Shared by the parts of a dispatcher: the service, and what they have learned about it. */
export class Session<W extends Submission = Submission> {
  readonly client: SkinClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly submissions: OwnSubmissions<W>;
  readonly pace: Pace;
  readonly slots = new Slots<W>();
  readonly slotLimit = new SlotLimit(USUAL_SLOTS);
  /** Failures of requests for the list. */
  readonly outage: Outage;
  readonly gates: Readonly<Record<ReadKind, ReadGate>>;
  /** Failures of submissions only: the service answers but accepts none, or none can be sent. */
  readonly intake: Outage;
  readonly times: LookTimes;
  /** The service recognizes a repeated submission by its `Idempotency-Key` and streams the ends of jobs. */
  isSkinsmith = false;
  /** Creation time of the newest job seen, on the service's clock, milliseconds since the epoch. */
  newestJobTime = 0;
  /** By how much a job's time was before that of an older one, milliseconds: clocks of nodes differ, or one was set back. */
  clockDisorder = 0;
  readonly roundTrip = new RoundTrip();
  readonly lag: Lag;
  readonly memory: ServiceMemory;
  /** When each submission in flight was sent, and how long the last ones took to be answered. */
  readonly #posted = new Map<W, number>();
  readonly #answerTimes = new RecentSamples();
  /** When the wait for a limit ends that was last reported to the user. */
  #limitToldUntil = 0;
  /** When the service could last not be reached. */
  #unreachableAt = Number.NEGATIVE_INFINITY;
  /** Until when a request counts as unanswered. */
  #silentUntil = Number.NEGATIVE_INFINITY;
  readonly #options: SessionOptions<W>;
  readonly #tasks = new Set<Promise<void>>();
  readonly #loops: Promise<void>[] = [];
  #sharing: Pick<CallerQueue, 'heardWindows'> | undefined;

  constructor(options: SessionOptions<W>) {
    this.#options = options;
    this.client = options.client;
    this.clock = options.clock;
    this.random = options.random;
    this.submissions = options.submissions;
    this.pace = new Pace(options.random, (windows) => this.#sharing?.heardWindows(windows));
    this.times = new LookTimes(options.longestLookPause);
    this.lag = new Lag(options.forgottenAfter);
    this.memory = new ServiceMemory(this.now(), options.dataPatience);
    const onPause = (message: string, ms: number, reason: WaitReason) =>
      options.onWaiting(reason, message, ms);
    const shared = { ...options, onPause, contact: { hasAnswered: false } };
    this.outage = new Outage(shared);
    const gate = () =>
      new ReadGate({ clock: this.clock, outage: new Outage(shared), onSilence: this.#tellSilence });
    this.gates = { job: gate(), skin: gate(), facts: gate() };
    const { outage } = options.patience;
    this.intake = new Outage({
      ...shared,
      patience: { outage, firstContact: outage },
      firstPause: FIRST_INTAKE_PAUSE,
      longestPause: LONGEST_INTAKE_PAUSE,
    });
  }

  /** Tells other processes of the caller's rate windows from now on. */
  sharesWindowsWith(sharing: Pick<CallerQueue, 'heardWindows'>): void {
    this.#sharing = sharing;
  }

  /** Milliseconds on a monotonic clock. */
  now(): number {
    return this.clock.monotonic();
  }

  call(signal: AbortSignal): CallOptions {
    return { ...ONE_ATTEMPT, signal };
  }

  /**
   * Submissions that may be in flight at once: fewer than an announced limit until more have fit, and only one while
   * the service accepts none, or after a refusal that did not say for how long.
   */
  get burst(): number {
    return this.intake.isOn || this.pace.isGuess ? 1 : this.slotLimit.burst;
  }

  /** Submits. `sent`: its place in the pace, if it was reserved. @throws SkinsmithError */
  async post(
    work: W,
    { source, options }: SkinRequest,
    signal: AbortSignal,
    sent: CountedSubmission = this.pace.sent(this.now()),
  ): Promise<JobAnswer> {
    const idempotencyKey = this.submissions.idempotencyKey(work);
    const newest = this.newestJobTime;
    const sentAt = this.now();
    let state: JobAnswer;
    this.#posted.set(work, sentAt);
    try {
      const call = { ...this.call(signal), idempotencyKey };
      state = await this.whileTold(async () => await this.client.queue(source, options, call));
    } catch (error) {
      this.#notAccepted(error, sent);
      throw error;
    } finally {
      this.#posted.delete(work);
    }
    this.#answerTimes.add(this.now() - sentAt);
    this.intake.passed();
    this.pace.accepted(state, this.#moment(), sent);
    this.#limitToldUntil = Number.NEGATIVE_INFINITY; // to the user, an acceptance ends the reported wait
    if (state.links['events'] !== undefined) this.isSkinsmith = true;
    this.sawJobTime(state.job);
    const { status, timestamp = newest } = state.job;
    if (isPending(status)) this.clockDisorder = Math.max(this.clockDisorder, newest - timestamp);
    return state;
  }

  /** After a rate limit refusal all submissions wait. The times in a refusal for a full queue are meaningless. */
  #notAccepted(error: unknown, sent: CountedSubmission): void {
    this.failed(error);
    if (isRefusedForNow(error)) this.intake.passed();
    if (!isRefusedForNow(error) || isFullQueue(error)) {
      this.pace.failed(this.now(), sent);
      return;
    }
    const wait = this.pace.refused(classifyFailure(error) ?? {}, this.#moment(), sent);
    this.#limitToldUntil = this.pace.openAt(this.now());
    this.#options.onWaiting('limit', waitReason(error), wait);
  }

  /** The batch waits for this long, for this reason. */
  readonly tellWait = (message: string, ms: number | undefined): void => {
    this.#options.onWaiting('trouble', message, ms);
  };

  /** Sends a request, and tells the user while it has no answer. */
  async whileTold<T>(request: () => Promise<T>): Promise<T> {
    return await reportSilence(request, { clock: this.clock, onSilence: this.#tellSilence });
  }

  /** Whether some request is failing, or gets no answer: what is in flight is not worth waiting for. */
  get isUnwell(): boolean {
    const { job, skin, facts } = this.gates;
    const outages = [this.outage, this.intake, job.outage, skin.outage, facts.outage];
    return outages.some(({ isOn }) => isOn) || this.now() < this.#silentUntil;
  }

  /** Milliseconds until all submissions in flight should have been answered, by the time that the last ones took. */
  get answersDueIn(): number {
    const usual = UNUSUAL * (this.#answerTimes.high ?? 0);
    return Math.max(0, ...this.#posted.values().map((sentAt) => sentAt + usual - this.now()));
  }

  /** A request failed: if it did not even arrive, the service may have been restarted, without its data. */
  failed(error: unknown): void {
    if (classifyFailure(error)?.kind === 'unreachable' && didNotArrive(error))
      this.#unreachableAt = this.now();
  }

  /** Whether no list has shown since then that the service has its data. */
  get isUnproven(): boolean {
    return this.memory.listedAt <= this.#unreachableAt;
  }

  /** Whether results cannot be read now. */
  get areResultsShut(): boolean {
    return this.gates.job.isShut || this.gates.skin.isShut;
  }

  /** There is work to submit: tells the user, once, if it has to wait because a rate window is used up. */
  tellLimit(): void {
    const openAt = this.pace.openAt(this.now());
    const wait = openAt - this.now();
    if (wait < SHORT_WAIT || openAt <= this.#limitToldUntil + SHORT_WAIT) return;
    this.#limitToldUntil = openAt;
    this.#options.onWaiting('limit', LIMIT_USED_UP, wait);
  }

  /**
   * When the service accepted a job, at the latest: its answer may take long. `timestamp`: on the service's
   * clock; `sentAt`: when the job was submitted.
   */
  acceptedAt(timestamp: number | undefined, sentAt: number): number {
    const now = this.now();
    if (timestamp === undefined) return now;
    const at = now - (this.client.serviceClock.earliest() - timestamp);
    return at >= sentAt && at <= now ? at : now;
  }

  sawJobTime({ timestamp = 0 }: Pick<Job, 'timestamp'>): void {
    this.newestJobTime = Math.max(this.newestJobTime, timestamp);
  }

  /** Runs a background task; its error ends everything. */
  track(task: Promise<void>): void {
    const tracked = task.catch((error: unknown) => this.#options.onFatal(error));
    this.#tasks.add(tracked);
    void tracked.then(() => {
      this.#tasks.delete(tracked);
      this.#options.onTaskEnd();
    });
  }

  /** Runs a loop until `signal` aborts it. */
  run(loop: Promise<void>, signal: AbortSignal): void {
    const ended = loop.catch((error: unknown) => {
      if (!signal.aborted) this.#options.onFatal(error);
    });
    this.#loops.push(ended);
  }

  /** Whether results are still being fetched or written. */
  get isBusy(): boolean {
    return this.#tasks.size > 0;
  }

  /** Resolves when all tasks and loops have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#loops);
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }

  readonly #tellSilence = (ms: number): void => {
    this.#silentUntil = this.now() + ms;
    this.tellWait(SILENT, undefined);
  };

  #moment() {
    return { monotonic: this.now(), epoch: this.client.serviceClock.earliest() };
  }
}

/** The smoothed duration of a short request, milliseconds; 0: none was made. */
export class RoundTrip {
  #ms = 0;

  get ms(): number {
    return this.#ms;
  }

  took(ms: number): void {
    this.#ms = this.#ms === 0 ? ms : 0.7 * this.#ms + 0.3 * ms;
  }
}

/** Milliseconds between attempts to read what lags, while the service has no data, or fails. */
const AWAY_PAUSE = 2_000;
/** Milliseconds between tries of a read that alone fails. */
const ALONE = { first: 200, longest: 10_000 };

type ReadingSession = Pick<
  Session,
  'client' | 'clock' | 'random' | 'gates' | 'call' | 'tellWait' | 'isSkinsmith' | 'memory' | 'outage'
>;

/** Reads from the service, repeated after temporary failures. */
export class RetryingReader {
  readonly #session: ReadingSession;
  readonly #signal: AbortSignal;

  /** `signal` ends the repetitions. */
  constructor(session: ReadingSession, signal: AbortSignal) {
    this.#session = session;
    this.#signal = signal;
  }

  /**
   * A job's state; undefined if the service does not know the job. A 404 for any other reason is tried again: the skin
   * may not be readable yet, or a proxy may have answered.
   */
  async job(id: string): Promise<JobAnswer | undefined> {
    const { client } = this.#session;
    const read = async () =>
      await this.repeatedly('job', () => client.job(id, this.#session.call(this.#signal)));
    for (let tries = 0; ; tries++) {
      try {
        return await read();
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'job_not_found') return undefined;
        if (!this.#isAbsent(error) || !(await this.lagged(tries))) throw error;
      }
    }
  }

  /** The same with the skin that a completed job has made. `result`: the skin's UUID by a list, if it has one. */
  async finishedJob(id: string, result: string | undefined): Promise<JobAnswer | undefined> {
    const { client } = this.#session;
    const state = await this.job(id);
    const uuid = state?.job.result ?? result;
    if (state?.job.status !== 'completed' || state.skin || uuid === undefined) return state;
    const skin = await this.repeatedly('skin', () => client.skin(uuid, this.#session.call(this.#signal)));
    return { ...state, skin };
  }

  /**
   * Reads something that the service has just said exists, repeatedly if necessary: not all of its parts know it at
   * once. Undefined: it never appeared.
   */
  async awaited<T>(request: () => Promise<T>): Promise<T | undefined> {
    for (let tries = 0; ; tries++) {
      const found = await this.ifPresent(request);
      if (found !== undefined || !(await this.lagged(tries))) return found;
    }
  }

  /**
   * Waits for the parts of the service that lag behind others, longer each time, and while its data or all of it is away.
   * @returns whether to try again: not at a skinsmith service, which has only one store
   */
  async lagged(tries: number): Promise<boolean> {
    const { clock, isSkinsmith, memory, outage, tellWait } = this.#session;
    const isAway = memory.isAway || outage.isOn;
    const pause = isAway ? AWAY_PAUSE : isSkinsmith ? undefined : LAG_PAUSES[tries];
    if (pause === undefined) return false;
    if (pause >= LONG_PAUSE) tellWait('The service does not have a finished skin yet.', pause);
    await clock.sleep(pause, this.#signal);
    return true;
  }

  /** While the list fails, a gateway may answer with a page. */
  #isAbsent(error: unknown): boolean {
    const isPage = this.#session.outage.isOn && isRouteMissing(error);
    return isPage || classifyFailure(error)?.kind === 'not_found';
  }

  /** Undefined: the service does not have the skin (404). */
  async ifPresent<T>(request: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.repeatedly('skin', request);
    } catch (error) {
      if (this.#isAbsent(error)) return undefined;
      throw error;
    }
  }

  /**
   * While all reads of a kind fail, the patience with the service ends them. A read that fails while others are
   * answered is given up after some tries.
   */
  async repeatedly<T>(kind: ReadKind, request: () => Promise<T>): Promise<T> {
    const { clock, random, gates } = this.#session;
    const gate = gates[kind];
    for (let tries = 0; ; ) {
      const { answered } = gate;
      try {
        return await gate.send(request, this.#signal);
      } catch (error) {
        if (this.#signal.aborted) throw error;
        const isAlone = !isTransient(error) || gate.answered > answered;
        if (isAlone) tries++;
        if (!mayRetryRead(error, tries) || this.#isAbsent(error)) throw error;
        if (isAlone) await clock.sleep(backOff(tries, ALONE, random()), this.#signal);
      }
    }
  }
}
