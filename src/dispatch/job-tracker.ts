import { WakeUpSignal } from '../base/clock.ts';
import { SkinsmithError } from '../client/errors.ts';
import type { JobAnswer } from '../client/types.ts';
import { isPending, type Job } from '../protocol/job.ts';
import type { OpenJob, OtherProcesses, Submission } from './limits.ts';
import { jobDuration, pollableAt } from './look-times.ts';
import { LostAnswers } from './lost-answers.ts';
import type { RetryingReader, Session } from './session.ts';
import type { SubmissionMark } from './submitter.ts';
import { JobEventListener, Watcher } from './watcher.ts';

/** The owner of the tracked jobs: provides pixels and receives results. */
export interface TrackerUser<W extends Submission> extends JobResults<W> {
  /** Pixel hash of the picture; undefined: unknown, for instance a URL's. */
  pixelsOf(work: W): string | undefined;
  /** Pixel hash of a texture, for lost answers. */
  texturePixels(url: string): Promise<string>;
}

interface JobTrackerOptions<W extends Submission> {
  readonly session: Session<W>;
  readonly reader: RetryingReader;
  readonly user: TrackerUser<W>;
  readonly others: OtherProcesses;
  /** Whether results are wanted; otherwise only the slots matter. */
  readonly follows: boolean;
  /** Ends all loops. */
  readonly stop: AbortSignal;
  /** Resolves when job events are wanted; absent: always. */
  readonly untilListening?: (() => Promise<void>) | undefined;
  /** The service has a job for it. */
  readonly onAccepted: (work: W, job: Job) => void;
  /** The service has no job for a submission whose answer was lost. `isSure`: it has had its data all the time. */
  readonly onGone: (work: W, isSure: boolean) => void;
  /** A slot may have become free. */
  readonly onRoom: () => void;
  /** The pending jobs on the service are known anew. */
  readonly onLooked: () => void;
}

/** Follows jobs to their ends, by lists or by events, and finds out what became of submissions without an answer. */
export class JobTracker<W extends Submission> {
  readonly #options: JobTrackerOptions<W>;
  readonly #session: Session<W>;
  readonly #ends: JobEnds<W>;
  readonly #lostAnswers: LostAnswers<W>;
  readonly #watcher: Watcher<W>;
  readonly #listener: JobEventListener;

  constructor(options: JobTrackerOptions<W>) {
    this.#options = options;
    this.#session = options.session;
    this.#ends = this.#makeEnds();
    this.#lostAnswers = this.#makeLostAnswers();
    this.#watcher = this.#makeWatcher();
    this.#listener = this.#makeListener();
  }

  /** The jobs in the queue before anything is sent. */
  async firstLook(): Promise<void> {
    await this.#watcher.firstLook();
  }

  /** Watches until aborted. @throws what no repetition of a list request can change */
  async run(): Promise<void> {
    await this.#watcher.run();
  }

  /** The last jobs of an earlier run, which the service knew a short time ago. */
  expects(ids: readonly string[]): void {
    const { memory } = this.#session;
    memory.expects(ids, this.#session.now());
    if (memory.isAway) this.#ends.doubt(memory.endedJob);
  }

  /** Requests the list as soon as possible. */
  lookSoon(): void {
    this.#watcher.lookSoon();
  }

  /** Takes over another process's list, if there is a new one. */
  hear(): void {
    this.#watcher.hear();
  }

  /** Listens to job events if the service streams them. */
  listenIfStreamed(): void {
    if (this.#session.isSkinsmith) this.#listener.start();
  }

  /** The service has a known job for the work now. `sent`: absent if it is not known when it was submitted. */
  accepted(work: W, state: JobAnswer, sent?: SubmissionMark): void {
    const acceptedAt = sent ? this.#session.acceptedAt(state.job.timestamp, sent.at) : this.#session.now();
    const isTimed = sent !== undefined;
    if (isTimed && isPending(state.job.status)) this.#session.lag.accepted(state.job.id, acceptedAt);
    this.#session.memory.accepted(state.job.id, acceptedAt);
    this.#add(work, state, { isTimed, acceptedAt });
  }

  /** Follows a job of which only the id is known: another process submitted it. */
  follow(work: W, id: string): void {
    const job: Job = { id, status: 'unknown', timestamp: undefined, eta: undefined, result: undefined };
    const noNotes = { errors: [], warnings: [], messages: [], links: {}, rateLimit: undefined };
    const known = { isTimed: false, acceptedAt: this.#session.now() };
    this.#add(work, { job, skin: undefined, ...noNotes }, known);
  }

  #add(work: W, state: JobAnswer, known: Pick<OpenJob<W>, 'isTimed' | 'acceptedAt'>): void {
    const { id, timestamp, eta } = state.job;
    const duration = eta !== undefined && timestamp !== undefined ? eta - timestamp : undefined;
    const job: OpenJob<W> = { id, work, timestamp, eta: duration, ...known };
    const earlier = this.#session.slots.jobs.get(id);
    if (earlier && earlier.work !== work) this.#ends.replaced(earlier);
    this.#session.slots.took(job);
    this.#options.onAccepted(work, state.job);
    const isAtOnce = !isPending(state.job.status);
    if (!isAtOnce) this.listenIfStreamed();
    const ended = isAtOnce ? state : this.#listener.takeEnd(job.id);
    if (ended) this.#ends.ended(job, { seen: ended.job, state: ended, at: this.#session.now(), isAtOnce });
    else this.#watcher.added();
  }

  /**
   * The answer to a submission was lost: the service may have accepted it. `settlesIn`: milliseconds from now until
   * its job is listed, if there is one.
   */
  lost(work: W, sent: SubmissionMark, settlesIn: number): void {
    this.#lostAnswers.add(work, sent, settlesIn);
    this.#watcher.added();
  }

  /** Its outcome is no longer of interest. */
  forget(work: W): void {
    this.#lostAnswers.forget(work);
  }

  #makeEnds(): JobEnds<W> {
    const { session, reader, user: results, follows, onRoom } = this.#options;
    return new JobEnds({
      session,
      reader,
      results,
      follows,
      onRoom: ({ isAtOnce = false }) => {
        onRoom();
        if (!isAtOnce) this.#watcher.sawEnd();
      },
      onHint: () => this.#watcher.added(),
    });
  }

  #makeLostAnswers(): LostAnswers<W> {
    const { session, reader, user, others, onGone } = this.#options;
    return new LostAnswers({
      session,
      isElsewhere: (id) => others.isElsewhere(id),
      fetchJob: async (id, result) => await reader.finishedJob(id, result),
      pixelsOf: (work) => user.pixelsOf(work),
      texturePixels: async (url) => await user.texturePixels(url),
      onFound: (work, state) => {
        session.intake.passed(); // only its answer was lost
        this.accepted(work, state);
      },
      onGone,
      onDue: () => this.#watcher.added(),
    });
  }

  #makeWatcher(): Watcher<W> {
    const { session, others, stop, onLooked } = this.#options;
    return new Watcher({
      session,
      wakeUp: new WakeUpSignal(session.clock),
      lostAnswers: this.#lostAnswers,
      others,
      stop,
      onEnded: (job, seen, at) => this.#ends.ended(job, { seen, at }),
      onPoll: (job) => this.#ends.poll(job),
      onDoubt: (id) => this.#ends.doubt(id),
      onLooked,
    });
  }

  #makeListener(): JobEventListener {
    const { session, stop, untilListening } = this.#options;
    return new JobEventListener({
      client: session.client,
      clock: session.clock,
      signal: stop,
      untilWanted: untilListening,
      run: (loop) => session.run(loop, stop),
      onListening: (isListening) => this.#listening(isListening),
      onJob: (state) => this.#heard(state),
    });
  }

  #listening(isListening: boolean): void {
    if (isListening) this.#session.memory.opened(this.#session.now());
    this.#watcher.listening(isListening);
    if (isListening) this.#options.onRoom();
  }

  /** An event about a job, which may be another program's. */
  #heard(state: JobAnswer): void {
    const { job } = state;
    const { slots, memory } = this.#session;
    memory.heard(this.#session.now());
    this.#session.sawJobTime(job);
    const ours = slots.jobs.get(job.id);
    if (isPending(job.status)) {
      if (slots.unsure.size === 0) slots.sawJob(job, this.#session.now()); // otherwise it may be an unanswered submission's
      return;
    }
    if (ours) this.#ends.ended(ours, { seen: job, state, at: this.#session.now() });
    else slots.sawJob(job, this.#session.now());
    this.#options.onRoom();
  }
}

/** How the end of a job was noticed. `state`: the complete job, if an event carried it. */
export interface JobEnd {
  readonly seen: Job;
  readonly state?: JobAnswer;
  /** When it had certainly ended. */
  readonly at: number;
  /** The answer to the submission already showed the end, which says nothing about other jobs. Default: false. */
  readonly isAtOnce?: boolean;
}

/** Receives ended jobs. */
export interface JobResults<W extends Submission> {
  /** Runs a step; a permanently failing request fails only this work. */
  attempt(work: W, job: string | undefined, step: () => Promise<void>): Promise<void>;
  /** The work's job has ended. */
  settle(work: W, state: JobAnswer): Promise<void>;
  /**
   * The service no longer knows the job. `job`: undefined if the service has given its id to another; `result`: UUID of
   * its skin, if a list showed it.
   */
  settleForgotten(work: W, job: string | undefined, result: string | undefined): Promise<void>;
}

export interface JobEndsPorts<W extends Submission> {
  readonly session: Session<W>;
  readonly reader: Pick<RetryingReader, 'job' | 'lagged'>;
  readonly results: JobResults<W>;
  /** Whether results are wanted; otherwise only the slots matter. */
  readonly follows: boolean;
  /** A slot became free. */
  readonly onRoom: (end: JobEnd) => void;
  /** There is new information about when jobs end: one was polled too early, or showed how long jobs take. */
  readonly onHint: () => void;
}

/** The job has ended, but the service does not give its result. */
export class MissingResultError extends SkinsmithError {
  override readonly name = 'MissingResultError';
  readonly code = 'missing_result';
  readonly isPassing = true;
  readonly hint =
    'Run the command again without --force: it asks for the result again. --resubmit-lost submits it anew.';

  constructor(message = 'The service says that the job has ended, but does not return its result.') {
    super(message);
  }
}

/** Waits of up to this many milliseconds are not reported. */
const SHORT_WAIT = 3_000;
const MISSING = 'The service cannot find a job that it accepted: waiting for it to appear.';
const AWAY =
  'The service knows none of its jobs any more. Its data may be back soon, so nothing is submitted meanwhile.';

/** Handles the end of our jobs, and jobs that cannot be found. */
export class JobEnds<W extends Submission> {
  readonly #ports: JobEndsPorts<W>;
  /** The answers to the polls under way, by job. Undefined: the service does not know it, or its end is handled. */
  readonly #polls = new Map<string, Promise<JobAnswer | undefined>>();
  #isInDoubt = false;

  constructor(ports: JobEndsPorts<W>) {
    this.#ports = ports;
  }

  /** A job has ended: frees its slot in this very tick and fetches the result in the background. */
  ended(job: OpenJob<W>, end: JobEnd): void {
    const { seen, at, isAtOnce = false } = end;
    const { session, results, follows, onRoom } = this.#ports;
    if (!session.slots.jobs.has(job.id)) return;
    const polled = this.#polls.get(job.id);
    session.lag.found(job);
    session.slots.freed(job.id);
    onRoom(end);
    if (!follows) return;
    session.track(
      results.attempt(job.work, job.id, async () => {
        const known = await this.#readEnd(job.id, end, polled);
        if (!known) return await results.settleForgotten(job.work, job.id, seen.result);
        if (!isAtOnce) this.#learnDuration(job, known, at);
        await results.settle(job.work, known);
      }),
    );
  }

  /**
   * The complete job. On a service of several parts, answers about one job may lag behind the list, and its skin
   * behind its status. `polled`: the answer to a poll under way, which may have it already. Undefined: the service has
   * forgotten it.
   * @throws MissingResultError when it stays incomplete: to make it again might cost it again
   */
  async #readEnd(
    id: string,
    { seen, state }: JobEnd,
    polled: Promise<JobAnswer | undefined> | undefined,
  ): Promise<JobAnswer | undefined> {
    const { reader } = this.#ports;
    const told = state?.skin || state?.job.status === 'failed' ? state : polled && (await polled);
    let known = withResult(told, seen.result);
    for (let tries = 0; !isWhole(known); tries++) {
      if (tries > 0 && !(await reader.lagged(tries - 1))) break;
      known = withResult(this.#found(id, await reader.job(id)), seen.result);
      if (known === undefined && seen.result !== undefined) return undefined;
    }
    if (known && isWhole(known)) return known;
    if (known === undefined && seen.status === 'failed') return undefined;
    throw new MissingResultError();
  }

  /** The service has given the id of a job to a newer one, so that it cannot be asked about the job any more. */
  replaced({ id, work }: OpenJob<W>): void {
    const { session, results, follows } = this.#ports;
    session.lag.forget(id);
    session.slots.freed(id);
    const settle = async () => await results.settleForgotten(work, undefined, undefined);
    if (follows) session.track(results.attempt(work, id, settle));
  }

  /** A list lacks all that the service knew: says so, and asks for one job that had ended, which may not be listed any more. */
  doubt(id: string | undefined): void {
    const { session, reader } = this.#ports;
    session.tellWait(AWAY, undefined);
    if (id === undefined || this.#isInDoubt) return;
    this.#isInDoubt = true;
    const read = async () => {
      try {
        this.#found(id, await reader.job(id));
      } catch (error) {
        if (!(error instanceof SkinsmithError)) throw error; // it proves nothing
      } finally {
        this.#isInDoubt = false;
      }
    };
    session.track(read());
  }

  #found(id: string, state: JobAnswer | undefined): JobAnswer | undefined {
    const { session, onHint } = this.#ports;
    if (state && session.memory.found(id, session.now())) onHint();
    return state;
  }

  /** Polls this one job: it is due, or the list does not contain it (no longer, or not yet). */
  poll(job: OpenJob<W>): void {
    const { session, results, follows, onHint } = this.#ports;
    const polledAt = session.now();
    if (polledAt < pollableAt(job)) return;
    // Also while an answer is outstanding: otherwise the job stays due, and the watcher never gets past it.
    job.polledAt = polledAt;
    if (this.#polls.has(job.id) || session.gates.job.isShut || this.#isPointless(job)) return;
    const check = async () => {
      const poll = this.#fetch(job.id);
      this.#polls.set(job.id, poll);
      const state = await poll;
      job.answeredAt = session.now();
      if (state && isPending(state.job.status)) {
        job.seenAt = Math.max(polledAt, job.seenAt ?? polledAt);
        session.lag.found(job);
        return onHint();
      }
      if (state) this.ended(job, { seen: state.job, state, at: session.now() });
      else if (session.slots.jobs.has(job.id)) {
        if (!this.#isForgotten(job, polledAt)) return onHint();
        session.lag.forget(job.id);
        session.slots.freed(job.id);
        if (follows) await results.settleForgotten(job.work, job.id, undefined);
      }
    };
    session.track(results.attempt(job.work, job.id, check));
  }

  /** While the service has no data, one of its jobs stands for all. */
  #isPointless({ absent }: OpenJob<W>): boolean {
    const { isAway, endedJob } = this.#ports.session.memory;
    return isAway && endedJob !== undefined && absent !== undefined;
  }

  /** Whether the service has not known the job for so long that it must have forgotten it. */
  #isForgotten(job: OpenJob<W>, at: number): boolean {
    const { session } = this.#ports;
    const { since = job.seenAt === undefined ? job.acceptedAt : at, times = 0 } = job.absent ?? {};
    job.absent = { since, at, times: times + 1 };
    const { memory, lag, isSkinsmith } = session;
    if (memory.isAway) return false;
    if (memory.hasLost(job.acceptedAt)) return true;
    if (isSkinsmith && memory.listedAt > since) return true; // it has one store
    if (lag.isForgotten({ ...job.absent, since: Math.max(since, memory.backAt) })) return true;
    if (at - since >= SHORT_WAIT) session.tellWait(MISSING, Math.max(SHORT_WAIT, pollableAt(job) - at));
    return false;
  }

  async #fetch(id: string): Promise<JobAnswer | undefined> {
    const { session, reader } = this.#ports;
    try {
      return this.#found(id, await reader.job(id));
    } catch (error) {
      if (!session.slots.jobs.has(id)) return undefined; // the list has shown its end, which is handled
      session.slots.freed(id); // a job that cannot be polled cannot be awaited
      throw error;
    } finally {
      this.#polls.delete(id);
    }
  }

  #learnDuration(job: OpenJob<W>, state: JobAnswer, at: number): void {
    if (!job.isTimed) return;
    const { duration, isReported } = jobDuration(job, state, at, this.#ports.session.times.least);
    this.#ports.session.times.ended(job, duration, { isReported });
    this.#ports.onHint();
  }
}

/** Whether the result can be had from this. */
function isWhole(state: JobAnswer | undefined): state is JobAnswer {
  if (!state || isPending(state.job.status)) return false;
  return state.job.status === 'failed' || state.skin !== undefined || state.job.result !== undefined;
}

/** A list may know the skin of a job before the job itself does. */
function withResult(state: JobAnswer | undefined, result: string | undefined): JobAnswer | undefined {
  return state?.job.result === undefined && result !== undefined && state
    ? { ...state, job: { ...state.job, result } }
    : state;
}
