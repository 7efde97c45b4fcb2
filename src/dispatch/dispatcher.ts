import type { JobState } from '../client/types.ts';
import { isPending, type Job } from '../protocol/job.ts';
import type { DispatcherUser } from './dispatcher-user.ts';
import { type Facts, learnFacts } from './first-contact.ts';
import { JobEnds } from './job-ends.ts';
import { Listener } from './listener.ts';
import { Losses } from './losses.ts';
import type { Reads } from './reads.ts';
import type { Session } from './session.ts';
import { SharedQueue } from './shared-queue.ts';
import type { OpenJob } from './spots.ts';
import { type Submission, sharedKey } from './submission.ts';
import { type Sent, Submitter } from './submitter.ts';
import { lossPause } from './trouble.ts';
import { WakeUpSignal } from './wake-up-signal.ts';
import { Watcher } from './watcher.ts';

export interface DispatcherOptions<W extends Submission> {
  readonly session: Session<W>;
  readonly reads: Reads;
  readonly user: DispatcherUser<W>;
  /** Folder that all processes of the caller share. */
  readonly shareFolder: string;
  /** Whether results are wanted; otherwise only the spots matter. */
  readonly follows: boolean;
  /** Ignore what other processes have submitted. */
  readonly force: boolean;
  /** New submissions that may be spent. */
  readonly maxNew: number;
  /** No more submissions once aborted; those in flight may still finish. */
  readonly stop: AbortSignal;
  /** Aborts those too. */
  readonly hardStop: AbortSignal;
}

/** Keeps work going on a service: submits it through the caller's spots and notices the ends of its jobs. */
export class Dispatcher<W extends Submission> {
  readonly #options: DispatcherOptions<W>;
  readonly #session: Session<W>;
  readonly #queue: SharedQueue;
  readonly #ending = new AbortController();
  readonly #ends: JobEnds<W>;
  readonly #losses: Losses<W>;
  readonly #watcher: Watcher<W>;
  readonly #submitter: Submitter<W>;
  readonly #listener: Listener;

  /** Joins the other processes of the caller. */
  static async open<W extends Submission>(options: DispatcherOptions<W>): Promise<Dispatcher<W>> {
    const { session, shareFolder, user } = options;
    let dispatcher: Dispatcher<W> | undefined;
    const queue = await SharedQueue.open(shareFolder, {
      clock: session.clock,
      spots: session.spots,
      typical: () => session.times.typical,
      onOrphans: (jobs) => {
        for (const id of jobs) session.spots.sawJob({ id, status: 'waiting' });
        dispatcher?.lookSoon();
      },
      onBroken: (why) => user.sharingBroken(why),
    });
    session.sharesWindowsWith(queue);
    dispatcher = new Dispatcher(options, queue);
    return dispatcher;
  }

  private constructor(options: DispatcherOptions<W>, queue: SharedQueue) {
    this.#options = options;
    this.#session = options.session;
    this.#queue = queue;
    const loops = AbortSignal.any([options.stop, this.#ending.signal]);
    this.#ends = this.#makeEnds();
    this.#losses = this.#makeLosses();
    this.#watcher = this.#makeWatcher(loops);
    this.#submitter = this.#makeSubmitter(loops);
    this.#listener = this.#makeListener(loops);
  }

  /** Jobs that are, or may be, on the service. */
  get open(): number {
    return this.#session.spots.ours;
  }

  /** Work not sent yet. */
  get waiting(): number {
    return this.#submitter.waiting;
  }

  /** Work is left, but the budget is spent. */
  get isSpent(): boolean {
    return this.#submitter.isSpent;
  }

  /** No job or request is left that could bring a result. */
  get isSettled(): boolean {
    const { spots } = this.#session;
    const open = this.#options.follows ? spots.ours : spots.unsure.size;
    return (this.waiting === 0 || this.isSpent) && open === 0 && !this.#session.isBusy;
  }

  /** Makes first contact: the caller's account, its limits, and the jobs already in the queue. */
  async meet(wanted: {
    readonly spots: number | undefined;
    readonly cape: string | undefined;
  }): Promise<Facts> {
    const { reads, stop } = this.#options;
    const contact = { session: this.#session, reads, watcher: this.#watcher, stop, cape: wanted.cape };
    return await learnFacts(contact, wanted.spots);
  }

  /** Begins to submit. */
  start(): void {
    this.#queue.enter();
    this.#run(this.#keepUp());
    this.#listenIfStreamed();
    this.#run(this.#submitter.run());
    this.#run(this.#watcher.run());
  }

  /** Submits new work when there is a spot. */
  add(work: W): void {
    this.#submitter.add(work);
  }

  /** Submits this before any new work. */
  addAgain(work: W): void {
    this.#submitter.addAgain(work);
  }

  /** Work whose submission an earlier process sent; `mark`: newest job before that, on the service's clock. */
  addUnsure(work: W, mark: number): void {
    if (this.#session.isSkinsmith) {
      this.add(work); // the service recognizes the repetition
      return;
    }
    this.#session.spots.unsure.add(work);
    this.#losses.add(work, { at: Number.NEGATIVE_INFINITY, mark });
    this.lookSoon();
  }

  /** Work whose job is known from an earlier process. */
  attach(work: W, id: string): void {
    this.#follow(work, id);
    this.lookSoon();
  }

  /** No more work comes: other processes may use the spots. */
  noMore(): void {
    this.#submitter.noMore();
  }

  /** Requests the list as soon as possible. */
  lookSoon(): void {
    this.#watcher.lookSoon();
  }

  /** Ends all loops and waits for tasks in progress. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#session.settled();
    this.#queue.close();
  }

  #makeEnds(): JobEnds<W> {
    const { session, reads, user: results, follows } = this.#options;
    return new JobEnds({
      session,
      reads,
      results,
      follows,
      onRoom: () => {
        this.#submitter.roomSeen();
        this.#watcher.sawEnd();
      },
      onPending: () => this.#watcher.added(),
    });
  }

  #makeLosses(): Losses<W> {
    const { session, reads, user } = this.#options;
    return new Losses({
      session,
      isElsewhere: (id) => this.#queue.isElsewhere(id),
      fetchJob: async (id) => await reads.job(id),
      pixelsOf: (work) => user.pixelsOf(work),
      texturePixels: async (url) => await user.texturePixels(url),
      onFound: (work, state) => this.#accepted(work, state),
      onGone: (work) => this.#resubmit(work),
      lookSoon: () => this.lookSoon(),
    });
  }

  #makeWatcher(stop: AbortSignal): Watcher<W> {
    return new Watcher({
      session: this.#session,
      wakeUp: new WakeUpSignal(this.#session.clock),
      losses: this.#losses,
      queue: this.#queue,
      stop,
      onEnded: (job, seen, at) => this.#ends.ended(job, { seen, at }),
      onAsk: (job) => this.#ends.ask(job),
      onLooked: () => this.#submitter.looked(),
    });
  }

  #makeSubmitter(stop: AbortSignal): Submitter<W> {
    const { session, user, force, hardStop, maxNew } = this.#options;
    return new Submitter(
      {
        session,
        wakeUp: new WakeUpSignal(session.clock),
        queue: this.#queue,
        force,
        stop,
        hardStop,
        prepare: async (work, signal) => await user.prepare(work, signal),
        onOthers: (jobs) => user.queueFilledByOthers(jobs),
        onElsewhere: (work, job) => this.#follow(work, job),
        onAccepted: (work, state, sent) => this.#accepted(work, state, sent),
        onFailed: (work, error) => user.rejected(work, error),
        onUnusable: (work, problem) => user.unusable(work, problem),
        onLost: (work, error, sent) => this.#lost(work, error, sent),
        lookSoon: () => this.lookSoon(),
      },
      maxNew,
    );
  }

  #makeListener(signal: AbortSignal): Listener {
    const { client, clock } = this.#session;
    return new Listener({
      client,
      clock,
      signal,
      run: (loop) => this.#run(loop),
      onListening: (isListening) => this.#listening(isListening),
      onJob: (state) => this.#heard(state),
    });
  }

  #run(loop: Promise<void>): void {
    this.#session.run(loop, AbortSignal.any([this.#options.stop, this.#ending.signal]));
  }

  async #keepUp(): Promise<void> {
    const onNews = () => {
      this.#watcher.hear();
      this.#submitter.looked();
    };
    await this.#queue.keepUp(onNews, this.#ending.signal);
  }

  /** The service has a known job for the work now. `sent`: absent if it is not known when it was submitted. */
  #accepted(work: W, state: JobState, sent?: Sent): void {
    const { timestamp, eta } = state.job;
    const job: OpenJob<W> = {
      id: state.job.id,
      work,
      timestamp,
      isTimed: sent !== undefined,
      acceptedAt: sent ? this.#session.acceptedAt(timestamp, sent.at) : this.#session.now(),
      eta: eta !== undefined && timestamp !== undefined ? eta - timestamp : undefined,
    };
    this.#options.user.accepted(work, state.job);
    this.#session.spots.took(job);
    this.#queue.became(sharedKey(work), job.id);
    this.#listenIfStreamed();
    const ended = isPending(state.job.status) ? this.#listener.takeEnd(job.id) : state;
    if (ended) this.#ends.ended(job, { seen: ended.job, state: ended, at: this.#session.now() });
    else this.#watcher.added();
  }

  /** A job that another process submitted. */
  #follow(work: W, id: string): void {
    const job: Job = { id, status: 'unknown', timestamp: undefined, eta: undefined, result: undefined };
    const spoken = { errors: [], warnings: [], messages: [], links: {}, rateLimit: undefined };
    this.#accepted(work, { job, skin: undefined, ...spoken });
  }

  #listenIfStreamed(): void {
    if (this.#session.isSkinsmith) this.#listener.start();
  }

  #listening(isListening: boolean): void {
    this.#watcher.listening(isListening);
    if (isListening) this.#submitter.roomSeen();
  }

  /** An event about a job, which may be another program's. */
  #heard(state: JobState): void {
    const { job } = state;
    const { spots } = this.#session;
    this.#session.sawJobTime(job);
    const ours = spots.jobs.get(job.id);
    if (isPending(job.status)) {
      if (spots.unsure.size === 0) spots.sawJob(job); // otherwise it may be an unanswered submission's
      return;
    }
    if (ours) this.#ends.ended(ours, { seen: job, state, at: this.#session.now() });
    else spots.sawJob(job);
    this.#submitter.roomSeen();
  }

  #lost(work: W, error: unknown, sent: Sent): void {
    this.#options.user.answerLost(work, error);
    this.#losses.add(work, sent, error);
    this.#watcher.added();
  }

  /** It keeps its spot until then, so that a failing service gets fewer requests of all kinds. */
  #resubmit(work: W): void {
    const { clock, random, spots } = this.#session;
    const again = () => {
      spots.unsure.delete(work);
      this.#submitter.addAgain(work);
    };
    const pause = lossPause(work.losses, random());
    if (pause === 0) again();
    else this.#session.track(clock.sleep(pause, this.#options.stop).then(again));
  }
}
