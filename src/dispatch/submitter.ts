import type { StopSignals, WakeUpSignal } from '../base/clock.ts';
import { classifyFailure, didNotArrive, SkinsmithError } from '../client/errors.ts';
import type { JobAnswer } from '../client/types.ts';
import { isErrorCode } from '../protocol/errors.ts';
import { type CallerQueue, FullQueue, type Submission, sharedKey } from './limits.ts';
import { isFullQueue, isRefusedForNow, isRouteMissing, isTransient, lossPause } from './outage.ts';
import type { Session, SkinRequest } from './session.ts';

/** Records each submission before it is sent, so that none is sent twice after a crash. */
export interface SubmissionRecord {
  /** A submission is about to be sent. `mark`: creation time of the newest job known, on the service's clock. */
  intent(key: string, attempt: number, mark: number): void;
  /** Resolves once all that was recorded survives a power cut. Absent: it need not. */
  readonly flushed?: (() => Promise<void>) | undefined;
  /** It certainly became no job. */
  refused(key: string): void;
}

/** Lost answers for one piece of work before it is given up, while the service answers others: a quarter of an hour. */
const MAX_LOSSES = 40;
/** Milliseconds after which slots that other processes share are tried again. */
const SHARE_PAUSE = 300;

/** The user of a submitter: provides the pictures, and hears of what becomes no job. */
export interface SubmitterUser<W extends Submission> {
  /** What to send, or why there is nothing. @throws the signal's reason */
  prepare(work: W, signal: AbortSignal): Promise<SkinRequest | { readonly problem: unknown }>;
  /** It certainly did not become a job and will not. */
  rejected(work: W, error: unknown): void;
  /** There was nothing to send. */
  unusable(work: W, problem: unknown): void;
  /** Nothing can be submitted, because others have so many jobs there; 0: they are in no list that this key sees. */
  queueFilledByOthers(jobs: number): void;
}

/** What the submitter needs of the dispatcher around it. */
export interface SubmitterPorts<W extends Submission> extends StopSignals {
  readonly session: Session<W>;
  readonly record: SubmissionRecord;
  readonly user: SubmitterUser<W>;
  /** Rung when a slot or work may be available. */
  readonly wakeUp: WakeUpSignal;
  readonly queue: CallerQueue;
  /** Ignore what other processes have submitted. */
  readonly force: boolean;
  readonly onAccepted: (work: W, state: JobAnswer, sent: SubmissionMark) => void;
  /** The answer was lost: the service may or may not have accepted it. */
  readonly onLost: (work: W, error: unknown, sent: SubmissionMark) => void;
  /** Another process has a job for the same. */
  readonly onElsewhere: (work: W, job: string) => void;
  readonly lookSoon: () => void;
}

/** When a submission was sent, and the newest job known then (on the service's clock). */
export interface SubmissionMark {
  readonly at: number;
  readonly mark: number;
}

/** Submits work as slots become free: fills all of them at once and never exceeds them. */
export class Submitter<W extends Submission> {
  readonly #ports: SubmitterPorts<W>;
  readonly #queue: W[] = [];
  readonly #again: W[] = [];
  /** Submissions in flight. */
  #inFlight = 0;
  readonly #fullQueue: FullQueue;
  readonly #refusals = new Refusals();
  #halt: { readonly error: unknown } | undefined;
  #isLast = false;
  /** A submission was accepted: the address is right. */
  #hasWorked = false;
  /** New submissions still within the budget, and the work that was submitted on it. */
  #left: number;
  readonly #onBudget = new WeakSet<W>();

  constructor(ports: SubmitterPorts<W>, maxNew: number) {
    this.#ports = ports;
    this.#left = maxNew;
    this.#fullQueue = new FullQueue(ports.session.random);
  }

  get waiting(): number {
    return this.#queue.length + this.#again.length;
  }

  /** The part of it that is within the budget. */
  get toSend(): number {
    if (this.#halt) return 0;
    return this.#again.length + Math.max(0, Math.min(this.#queue.length, this.#left));
  }

  /** Why nothing more is submitted, whatever the budget. */
  get halt(): { readonly error: unknown } | undefined {
    return this.#halt;
  }

  /** Whether work is left that will not be submitted: the budget is spent, or `halt` says why. */
  get isSpent(): boolean {
    if (this.#halt) return this.waiting > 0;
    return this.#left <= 0 && this.#again.length === 0 && this.#queue.length > 0;
  }

  add(work: W): void {
    this.#queue.push(work);
    this.#ports.wakeUp.notify();
  }

  /** Submits this before any new work. */
  addAgain(work: W): void {
    this.#again.push(work);
    this.#ports.queue.enter();
    this.#ports.wakeUp.notify();
  }

  /** The service had the skin already, so that nothing was generated: another may take this work's place in the budget. */
  wasKnown(work: W): void {
    if (!this.#onBudget.delete(work)) return;
    this.#left++;
    if (this.#hasNext()) this.#ports.queue.enter();
    this.#ports.wakeUp.notify();
  }

  /** Runs until aborted. */
  async run(): Promise<void> {
    const { wakeUp, stop } = this.#ports;
    while (!stop.aborted) {
      this.#fill();
      if (this.#hasNext()) this.#ports.session.tellLimit();
      await wakeUp.wait(this.#pause(), stop);
    }
  }

  /** No more work comes: the remaining slots are for others. */
  noMore(): void {
    this.#isLast = true;
    this.#leaveIfDone();
    this.#ports.wakeUp.notify();
  }

  /** Handles a new list. A full queue stays full for its time: the list may not show all jobs. */
  looked(): void {
    this.#ports.wakeUp.notify();
  }

  /** A job has ended, so the queue is no longer full. */
  roomSeen(): void {
    this.#fullQueue.roomSeen();
    this.#ports.wakeUp.notify();
  }

  #fill(): void {
    const { session, stop } = this.#ports;
    while (!stop.aborted && this.#hasNext() && this.#inFlight < session.burst && this.#isOpenNow()) {
      const work = this.#takeSlot();
      if (work === undefined) return;
      this.#leaveIfDone();
      if (work !== 'elsewhere') this.#send(work);
    }
  }

  #send(work: W): void {
    const { session } = this.#ports;
    session.slots.unsure.add(work);
    this.#inFlight++;
    session.track(this.#submit(work).finally(() => this.#inFlight--));
  }

  /** Nothing is left to send, as far as known. */
  #leaveIfDone(): void {
    const isLast = this.#isLast || this.#left <= 0 || this.#halt !== undefined;
    if (isLast && !this.#hasNext()) this.#ports.queue.leave();
  }

  /** Submits nothing more: it would come to nothing for this reason. What is under way goes on. */
  stopFor(error: unknown): void {
    this.#halt ??= { error };
    this.#leaveIfDone();
    this.#ports.wakeUp.notify();
  }

  #hasNext(): boolean {
    if (this.#halt) return false;
    return this.#again.length > 0 || (this.#queue.length > 0 && this.#left > 0);
  }

  /** Work that got a slot now; undefined if none did. */
  #takeSlot(): W | 'elsewhere' | undefined {
    const { session, queue, force, onElsewhere } = this.#ports;
    const next = this.#again[0] ?? this.#queue[0];
    if (!next) return undefined;
    const isAlone = force || next.losses > 0;
    const taken = queue.take(session.slotLimit.at(session.now()), isAlone ? undefined : sharedKey(next));
    if (taken === 'full') return this.#tellFull();
    if (taken === 'mine') return this.#take();
    if ('windows' in taken) {
      session.pace.usedElsewhere(taken.windows, session.now());
      return undefined;
    }
    if (taken.job === undefined) return this.#putOff();
    (this.#again.length > 0 ? this.#again : this.#queue).shift();
    onElsewhere(next, taken.job);
    return 'elsewhere';
  }

  /** With no job of its own a batch can only wait for others. */
  #tellFull(): undefined {
    const { session, queue, user } = this.#ports;
    const { pending } = queue;
    if (session.slots.ours === 0 && pending > 0) user.queueFilledByOthers(pending);
  }

  /** Another process is just submitting the same: others first. */
  #putOff(): undefined {
    const list = this.#again.length > 0 ? this.#again : this.#queue;
    const work = list.shift();
    if (work) list.push(work);
  }

  #take(): W | undefined {
    const again = this.#again.shift();
    if (again) return again;
    const next = this.#queue.shift();
    if (next) this.#onBudget.add(next);
    this.#left--;
    return next;
  }

  /** Nothing more is paid for while results cannot be read, or the service has, or may have, forgotten everything. */
  #isOpenNow(): boolean {
    const { session } = this.#ports;
    if (session.areResultsShut || session.memory.isAway || session.isUnproven) return false;
    return this.#pauseNow() <= 0 && session.pace.left(session.now()) > 0;
  }

  #pauseNow(): number {
    const { session } = this.#ports;
    const now = session.now();
    return Math.max(this.#fullQueue.openAt, session.pace.openAt(now), session.intake.openAt) - now;
  }

  /** Milliseconds until something may change without an event: a limit ends, or another batch's share. */
  #pause(): number | undefined {
    if (!this.#hasNext()) return undefined;
    const pause = this.#pauseNow();
    return pause > 0 ? pause : SHARE_PAUSE;
  }

  async #submit(work: W): Promise<void> {
    const { session, record, hardStop } = this.#ports;
    const request = await this.#requestOf(work);
    if (!request) return;
    for (;;) {
      const sent = { at: session.now(), mark: session.newestJobTime };
      record.intent(work.key, work.attempt, sent.mark);
      try {
        const state = await this.#post(work, request);
        this.#hasWorked = true;
        this.#fullQueue.accepted();
        this.#refusals.accepted();
        this.#ports.onAccepted(work, state, sent);
        session.slotLimit.fitted(this.#ports.queue.pending, session.now());
        if (this.#hasNext()) session.tellLimit();
        return;
      } catch (error) {
        if (hardStop.aborted) return; // the journal records that it may have been accepted
        if (!(await this.#mayTryAgain(work, error, sent))) return;
      }
    }
  }

  /** The disk is faster than most services, so the record reaches it meanwhile; no answer counts before that. */
  async #post(work: W, request: SkinRequest): Promise<JobAnswer> {
    const { session, record, hardStop } = this.#ports;
    const answer = session.post(work, request, hardStop);
    const [state] = await Promise.all([answer, record.flushed?.()]);
    return state;
  }

  /** Whether this process is to send the same request again. */
  async #mayTryAgain(work: W, error: unknown, sent: SubmissionMark): Promise<boolean> {
    const { session, record, stop, lookSoon } = this.#ports;
    if (isRefusedForNow(error)) {
      this.#refused(work, error);
      return false;
    }
    if (didNotArrive(error)) record.refused(work.key);
    if (!isTransient(error) && !(this.#hasWorked && isRouteMissing(error))) {
      this.#rejected(work, error);
      return false;
    }
    const pause = session.intake.failed(error);
    if (didNotArrive(error)) {
      this.#putBack(work);
      if (session.isUnproven) lookSoon();
      return false;
    }
    if (++work.losses > MAX_LOSSES) {
      this.#release(work);
      this.#ports.user.rejected(work, error);
      return false;
    }
    if (!session.isSkinsmith) {
      this.#ports.onLost(work, error, sent);
      return false;
    }
    await session.clock.sleep(Math.max(pause, lossPause(work.losses, session.random())), stop);
    return true;
  }

  #rejected(work: W, error: unknown): void {
    if (isOutOfCredits(error)) {
      this.#putBack(work);
    } else {
      this.#release(work);
      this.#ports.user.rejected(work, error);
    }
    if (this.#refusals.areForAll(error)) this.stopFor(error);
  }

  #refused(work: W, error: unknown): void {
    const { session, record, queue, user } = this.#ports;
    record.refused(work.key);
    if (isFullQueue(error)) this.#wasFull();
    this.#putBack(work);
    // Without any job in the list, those of the user's other keys fill the queue.
    if (isFullQueue(error) && session.slots.ours === 0) user.queueFilledByOthers(queue.pending);
  }

  /** Nothing was accepted: it is sent next, once that is possible again. */
  #putBack(work: W): void {
    const { queue, wakeUp } = this.#ports;
    queue.enter();
    this.#release(work);
    this.#again.unshift(work);
    wakeUp.notify();
  }

  /** It became no job: its slot is free, and another process may try the same. */
  #release(work: W): void {
    this.#ports.queue.became(sharedKey(work), undefined);
    this.#ports.session.slots.unsure.delete(work);
  }

  /** Another program was faster. The next look says how many slots there are. */
  #wasFull(): void {
    const { session, lookSoon } = this.#ports;
    session.slotLimit.refused(this.#ports.queue.pending, session.now());
    this.#fullQueue.refused(session.now());
    lookSoon();
  }

  async #requestOf(work: W): Promise<SkinRequest | undefined> {
    const { user, hardStop } = this.#ports;
    try {
      const found = await user.prepare(work, hardStop);
      if (!('problem' in found)) return found;
      this.#release(work);
      user.unusable(work, found.problem);
    } catch (error) {
      if (!hardStop.aborted) throw error;
    }
    return undefined;
  }
}

/** Refusals with one code that is not about pictures, without an acceptance in between, after which nothing more is submitted. */
const MAX_IN_A_ROW = 5;

/** Permanent refusals of submissions, which tell whether the service would refuse all others as well. */
export class Refusals {
  #code: string | undefined;
  #inARow = 0;

  /** A submission was accepted. */
  accepted(): void {
    this.#inARow = 0;
  }

  /** Whether this refusal, after the earlier ones, means that every other submission would be refused. */
  areForAll(error: unknown): boolean {
    if (isOutOfCredits(error)) return true;
    if (!(error instanceof SkinsmithError) || isAboutContent(error)) return false;
    this.#inARow = error.code === this.#code ? this.#inARow + 1 : 1;
    this.#code = error.code;
    return this.#inARow >= MAX_IN_A_ROW;
  }
}

/** Whether the same submission is accepted once the caller has credits. */
export function isOutOfCredits(error: unknown): boolean {
  return classifyFailure(error)?.kind === 'no_credits';
}

/** Whether another picture may be accepted. */
function isAboutContent(error: SkinsmithError): boolean {
  return classifyFailure(error)?.kind === 'invalid' && isErrorCode(error.code);
}
