import { type StopSignals, WakeUpSignal } from '../base/clock.ts';
import type { Me } from '../protocol/account.ts';
import type { Job } from '../protocol/job.ts';
import { JobTracker, type TrackerUser } from './job-tracker.ts';
import { type CallerQueue, OwnQueue, type Submission, sharedKey } from './limits.ts';
import { isOutagePage, lossPause } from './outage.ts';
import {
  type FactsReader,
  readAccount,
  readCapeTexture,
  readServiceKey,
  type ServiceKey,
  settlingTime,
  settlingTimeAfterDeath,
  slotsOf,
} from './service-facts.ts';
import type { RetryingReader, Session } from './session.ts';
import { type SubmissionMark, type SubmissionRecord, Submitter, type SubmitterUser } from './submitter.ts';

/** The user of a dispatcher: provides the pictures and receives the results. */
export interface DispatcherUser<W extends Submission> extends TrackerUser<W>, SubmitterUser<W> {
  /** The service has a job for it. */
  accepted(work: W, job: Job): void;
  /** The answer was lost: the service may have accepted it. */
  answerLost(work: W, error: unknown): void;
  /**
   * The service has no job for a submission without an answer. `isSure`: it has had its data all the time, so that it never
   * had one. @returns whether to submit it again; otherwise nothing more becomes of it
   */
  mayRepeat(work: W, isSure: boolean): boolean;
  /** Other processes of the caller cannot be taken into account; gives the reason. */
  sharingBroken(why: string): void;
}

interface DispatcherOptions<W extends Submission> extends StopSignals {
  readonly session: Session<W>;
  readonly record: SubmissionRecord;
  readonly reader: RetryingReader;
  readonly user: DispatcherUser<W>;
  /** Folder that all processes of the caller share; undefined: they need not, as at an embedded service. */
  readonly shareFolder: string | undefined;
  /** What is known about the service without asking it; undefined: nothing. */
  readonly known: KnownService | undefined;
  /** Whether results are wanted; otherwise only the slots matter. */
  readonly follows: boolean;
  /** Ignore what other processes have submitted. */
  readonly force: boolean;
  /** New submissions that may be spent. */
  readonly maxNew: number;
}

/** Keeps work going on a service: submits it through the caller's slots and notices the ends of its jobs. */
export class Dispatcher<W extends Submission> {
  readonly #options: DispatcherOptions<W>;
  readonly #session: Session<W>;
  readonly #queue: CallerQueue;
  readonly #ending = new AbortController();
  readonly #stop: AbortSignal;
  readonly #tracker: JobTracker<W>;
  readonly #submitter: Submitter<W>;

  /** Joins the other processes of the caller. */
  static async open<W extends Submission>(options: DispatcherOptions<W>): Promise<Dispatcher<W>> {
    let dispatcher: Dispatcher<W> | undefined;
    const queue = await openQueue(options, () => dispatcher?.lookSoon());
    options.session.sharesWindowsWith(queue);
    dispatcher = new Dispatcher(options, queue);
    return dispatcher;
  }

  private constructor(options: DispatcherOptions<W>, queue: CallerQueue) {
    this.#options = options;
    this.#session = options.session;
    if (options.known) this.#session.isSkinsmith = true;
    this.#queue = queue;
    this.#stop = AbortSignal.any([options.stop, this.#ending.signal]);
    this.#tracker = this.#makeTracker();
    this.#submitter = this.#makeSubmitter();
  }

  /** Jobs that are on the service. */
  get open(): number {
    return this.#session.slots.jobs.size;
  }

  /** Work not sent yet. */
  get waiting(): number {
    return this.#submitter.waiting;
  }

  /** Work that is still to be sent, within the budget. */
  get toSend(): number {
    return this.#submitter.toSend;
  }

  /** Why nothing more is submitted, whatever the budget; undefined: it is. */
  get halt(): { readonly error: unknown } | undefined {
    return this.#submitter.halt;
  }

  /** Work is left that will not be submitted: the budget is spent, or `halt` says why. */
  get isSpent(): boolean {
    return this.#submitter.isSpent;
  }

  /** No job or request is left that could bring a result. */
  get isSettled(): boolean {
    const { slots } = this.#session;
    const open = this.#options.follows ? slots.ours : slots.unsure.size;
    return (this.waiting === 0 || this.isSpent) && open === 0 && !this.#session.isBusy;
  }

  /** Makes first contact: the caller's account, its limits, and the jobs already in the queue. */
  async meet(wanted: WantedFacts): Promise<Facts> {
    return await learnFacts({ ...this.#options, tracker: this.#tracker, ...wanted });
  }

  /** The last jobs of an earlier run: the service knew them a short time ago. To be called before `start`. */
  expects(ids: readonly string[]): void {
    this.#tracker.expects(ids);
  }

  /** Begins to submit. */
  start(): void {
    this.#queue.enter();
    this.#run(this.#keepUp());
    // A known service may have the skin already, and no job worth following.
    if (!this.#options.known) this.#tracker.listenIfStreamed();
    this.#run(this.#submitter.run());
    this.#run(this.#tracker.run());
  }

  /** Submits new work when there is a slot. */
  add(work: W): void {
    this.#submitter.add(work);
  }

  /** Submits this before any new work. */
  addAgain(work: W): void {
    this.#submitter.addAgain(work);
  }

  /**
   * Work whose submission an earlier process may have sent. `mark`: newest job before that, on the service's clock;
   * `sentBy`: when at the latest, milliseconds since the epoch; `isOtherKeys`: with another key.
   */
  addUnsure(work: W, mark: number, sentBy: number, { isOtherKeys = false } = {}): void {
    if (this.#session.isSkinsmith) {
      this.add(work); // the service recognizes the repetition
      return;
    }
    this.#session.slots.unsure.add(work);
    const settlesIn = settlingTimeAfterDeath(this.#session.clock.now() - sentBy, { isOtherKeys });
    this.#tracker.lost(work, { at: Number.NEGATIVE_INFINITY, mark }, settlesIn);
    this.lookSoon();
  }

  /** Work whose job is known from an earlier process. */
  attach(work: W, id: string): void {
    this.#tracker.follow(work, id);
    this.lookSoon();
  }

  /** The service had the skin of this work already: it takes nothing of the budget. */
  wasKnown(work: W): void {
    this.#submitter.wasKnown(work);
  }

  /** No more work comes: other processes may use the slots. */
  noMore(): void {
    this.#submitter.noMore();
  }

  /** Submits nothing more: it would come to nothing for this reason. What is under way goes on. */
  stopFor(error: unknown): void {
    this.#submitter.stopFor(error);
  }

  /** Requests the list as soon as possible. */
  lookSoon(): void {
    this.#tracker.lookSoon();
  }

  /** Ends all loops and waits for tasks in progress. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#session.settled();
    this.#queue.close();
  }

  #makeTracker(): JobTracker<W> {
    const { session, reader, user, follows } = this.#options;
    return new JobTracker({
      session,
      reader,
      user,
      others: this.#queue,
      follows,
      stop: this.#stop,
      onAccepted: (work, job) => {
        user.accepted(work, job);
        this.#queue.became(sharedKey(work), job.id);
      },
      onGone: (work, isSure) => this.#gone(work, isSure),
      onRoom: () => this.#submitter.roomSeen(),
      onLooked: () => this.#submitter.looked(),
    });
  }

  #makeSubmitter(): Submitter<W> {
    const { session, record, user, force, hardStop, maxNew } = this.#options;
    return new Submitter(
      {
        session,
        record,
        user,
        wakeUp: new WakeUpSignal(session.clock),
        queue: this.#queue,
        force,
        stop: this.#stop,
        hardStop,
        onElsewhere: (work, job) => this.#tracker.follow(work, job),
        onAccepted: (work, state, sent) => this.#tracker.accepted(work, state, sent),
        onLost: (work, error, sent) => this.#lost(work, error, sent),
        lookSoon: () => this.lookSoon(),
      },
      maxNew,
    );
  }

  #run(loop: Promise<void>): void {
    this.#session.run(loop, this.#stop);
  }

  async #keepUp(): Promise<void> {
    const onNews = () => {
      this.#tracker.hear();
      this.#submitter.looked();
    };
    await this.#queue.keepUp(onNews, this.#ending.signal);
  }

  #lost(work: W, error: unknown, sent: SubmissionMark): void {
    if (!isOutagePage(error)) this.#options.user.answerLost(work, error);
    this.#tracker.lost(work, sent, settlingTime(error));
  }

  #gone(work: W, isSure: boolean): void {
    if (this.#options.user.mayRepeat(work, isSure)) this.#resubmit(work);
    else {
      this.#queue.became(sharedKey(work), undefined);
      this.#session.slots.unsure.delete(work);
      this.#submitter.looked();
    }
  }

  /** It keeps its slot until then, so that a failing service gets fewer requests of all kinds. */
  #resubmit(work: W): void {
    const { clock, random, slots } = this.#session;
    const again = () => {
      slots.unsure.delete(work);
      this.#submitter.addAgain(work);
    };
    const pause = lossPause(work.losses, random());
    if (pause === 0) again();
    else this.#session.track(clock.sleep(pause, this.#options.stop).then(again));
  }
}

/** `onOrphans`: processes that died left jobs behind. */
async function openQueue<W extends Submission>(
  { session, shareFolder, user }: Pick<DispatcherOptions<W>, 'session' | 'shareFolder' | 'user'>,
  onOrphans: () => void,
): Promise<CallerQueue> {
  if (shareFolder === undefined) return new OwnQueue(session.slots);
  const { SharedQueue } = await import('./shared-queue.ts');
  return await SharedQueue.open(shareFolder, {
    clock: session.clock,
    slots: session.slots,
    typical: () => session.times.typical,
    isOwnJob: (id) => session.submissions.isOwnJob(id),
    onOrphans: (jobs) => {
      for (const id of jobs) session.slots.sawJob({ id, status: 'waiting' }, session.now());
      onOrphans();
    },
    onBroken: (why) => user.sharingBroken(why),
  });
}

/** What the service says about itself. */
export interface Facts extends ServiceKey {
  /** The account; undefined for anonymous callers. */
  readonly me: Me | undefined;
  /** Texture name of the requested cape, if known. */
  readonly capeTexture: string | undefined;
}

/** What is known of a service without asking it: of an embedded one. */
export interface KnownService {
  /** Jobs that the caller may have in the queue at a time. */
  readonly slots: number;
  readonly signingKey: () => Promise<Pick<ServiceKey, 'publicKey' | 'fingerprint'> | undefined>;
}

/** What a batch wants to use of a service. */
export interface WantedFacts {
  /** Maximum slots of the queue; undefined: all. */
  readonly slots: number | undefined;
  /** UUID of the requested cape. */
  readonly cape: string | undefined;
}

interface Contact extends WantedFacts {
  readonly known?: KnownService | undefined;
  readonly session: Pick<Session, 'client' | 'call' | 'slotLimit'>;
  readonly reader: RetryingReader;
  readonly tracker: { firstLook(): Promise<void> };
  readonly stop: AbortSignal;
}

/** Asks the service for the caller's account, its signing key and the jobs already in the queue, unless they are known. */
export async function learnFacts(contact: Contact): Promise<Facts> {
  const { session, stop, slots, cape } = contact;
  const reader = {
    client: session.client,
    call: session.call(stop),
    repeatedly: async <T>(request: () => Promise<T>) => await contact.reader.repeatedly('facts', request),
  };
  const [{ me, ...key }, capeTexture] = await Promise.all([
    contact.known ? knownFacts(contact.known) : askedFacts(reader, contact.tracker),
    cape === undefined ? undefined : readCapeTexture(reader, cape),
  ]);
  session.slotLimit.announced = slotsOf(me, slots);
  return { ...key, me, capeTexture };
}

async function knownFacts({ slots, signingKey }: KnownService): Promise<Omit<Facts, 'capeTexture'>> {
  const { publicKey, fingerprint } = (await signingKey()) ?? {};
  return { publicKey, fingerprint, skinDomains: [], me: { grants: { queue: slots } } };
}

async function askedFacts(
  reader: FactsReader,
  tracker: Contact['tracker'],
): Promise<Omit<Facts, 'capeTexture'>> {
  const [me, key] = await Promise.all([readAccount(reader), readServiceKey(reader), tracker.firstLook()]);
  return { ...key, me };
}
