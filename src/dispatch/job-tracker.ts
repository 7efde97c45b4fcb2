import { backOff, type Clock, WakeUpSignal } from '../base/clock.ts';
import { SkinsmithError } from '../client/errors.ts';
import type { SkinClient } from '../client/skin-client.ts';
import type { JobAnswer, JobEvent } from '../client/types.ts';
import { isPending, type Job } from '../protocol/job.ts';
import { JobEnds, type JobResults } from './job-ends.ts';
import { LostAnswers } from './lost-answers.ts';
import type { RetryingReader } from './retrying-reader.ts';
import type { Submission } from './running-job.ts';
import type { Session } from './session.ts';
import type { OtherProcesses } from './shared-lists.ts';
import type { OpenJob } from './slots.ts';
import type { SubmissionMark } from './submitter.ts';
import { Watcher } from './watcher.ts';

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

/** The owner of the tracked jobs: provides pixels and receives results. */
export interface TrackerUser<W extends Submission> extends JobResults<W> {
  /** Pixel hash of the picture; undefined: unknown, for instance a URL's. */
  pixelsOf(work: W): string | undefined;
  /** Pixel hash of a texture, for lost answers. */
  texturePixels(url: string): Promise<string>;
}

/** Who hears of jobs and slots. */
interface TrackerHandlers<W extends Submission> {
  /** The service has a job for it. */
  readonly onAccepted: (work: W, job: Job) => void;
  /** The service has no job for a submission whose answer was lost. `isSure`: it has had its data all the time. */
  readonly onGone: (work: W, isSure: boolean) => void;
  /** A slot may have become free. */
  readonly onRoom: () => void;
  /** The pending jobs on the service are known anew. */
  readonly onLooked: () => void;
}

interface JobTrackerOptions<W extends Submission> extends TrackerHandlers<W> {
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
