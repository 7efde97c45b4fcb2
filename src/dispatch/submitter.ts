import type { SourceProblem } from '../batch/model/source.ts';
import { sharedKey, type Work } from '../batch/model/work.ts';
import { sourceToSend } from '../batch/service/source-to-send.ts';
import { isUuid } from '../batch/sources/arguments/links.ts';
import type { PlayerNames } from '../batch/sources/player-names.ts';
import { wasNotTaken } from '../client/failure.ts';
import type { JobState, SkinSource } from '../client/types.ts';
import type { Desk } from './session.ts';
import type { SharedQueue } from './shared-queue.ts';
import { isFullQueue, isRefusedForNow, isTrouble, lossPause } from './trouble.ts';
import type { Bell } from './wake-up-signal.ts';

/** Lost answers for one piece of work before it is given up, while the service answers others: a quarter of an hour. */
const MOST_LOSSES = 40;
/** Milliseconds for which a full queue is assumed to stay full unless a list says otherwise. */
const FULL_PAUSE = 300;
const FULL_GROWTH = 1.6;
const LONGEST_FULL_PAUSE = 5_000;

/** What the submitter needs of the batch around it. */
export interface SubmitterTools {
  readonly desk: Desk;
  /** Rung when a spot or work may be available. */
  readonly bell: Bell;
  /** Absent before first contact. */
  readonly queue: () => SharedQueue;
  /** Ignore what other processes have submitted. */
  readonly force: boolean;
  /** Nothing can be submitted, because others with the same key have so many jobs there. */
  readonly onOthers: (jobs: number) => void;
  /** Another process has a job for the same. */
  readonly onElsewhere: (work: Work, job: string) => void;
  readonly players: PlayerNames | undefined;
  /** No more submissions once aborted; those in flight may still finish. */
  readonly stop: AbortSignal;
  /** Aborts those too. */
  readonly hardStop: AbortSignal;
  readonly onAccepted: (work: Work, state: JobState, sent: Sent) => void;
  readonly onFailed: (work: Work, error: unknown) => void;
  /** Nothing was sent: the source is invalid. */
  readonly onUnusable: (work: Work, problem: SourceProblem) => void;
  /** The answer was lost: the service may or may not have accepted it. */
  readonly onLost: (work: Work, error: unknown, sent: Sent) => void;
  readonly lookSoon: () => void;
}

/** When a submission was sent, and the newest job known then (on the service's clock). */
export interface Sent {
  readonly at: number;
  readonly mark: number;
}

/** Submits work as spots become free: fills all of them at once and never exceeds them. */
export class Submitter {
  readonly #tools: SubmitterTools;
  readonly #queue: Work[] = [];
  readonly #again: Work[] = [];
  /** Submissions in flight. */
  #underway = 0;
  #fullUntil = 0;
  /** How often the queue was full since the last accepted submission. */
  #fulls = 0;
  #isLast = false;
  /** New submissions still within the budget. */
  #left: number;

  constructor(tools: SubmitterTools, maxNew: number) {
    this.#tools = tools;
    this.#left = maxNew;
  }

  get waiting(): number {
    return this.#queue.length + this.#again.length;
  }

  /** Whether work is left but the budget is spent. */
  get isSpent(): boolean {
    return this.#left <= 0 && this.#again.length === 0 && this.#queue.length > 0;
  }

  add(work: Work): void {
    const content = work.members[0]?.source.content;
    if (content?.kind === 'user' && !isUuid(content.user)) this.#tools.players?.expect(content.user);
    this.#queue.push(work);
    this.#tools.bell.ring();
  }

  /** Submits this before any new work. */
  addAgain(work: Work): void {
    this.#again.push(work);
    this.#tools.queue().enter();
    this.#tools.bell.ring();
  }

  /** Runs until aborted. */
  async run(): Promise<void> {
    const { bell, stop } = this.#tools;
    while (!stop.aborted) {
      this.#fill();
      if (this.#hasNext()) this.#tools.desk.tellLimit();
      await bell.wait(this.#pause(), stop);
    }
  }

  /** No more work comes: the remaining spots are for others. */
  noMore(): void {
    this.#isLast = true;
    this.#tools.bell.ring();
  }

  /** Handles a new list. A full queue stays full for its time: the list may not show all jobs. */
  looked(): void {
    this.#tools.bell.ring();
  }

  /** A job has ended, so the queue is no longer full. */
  roomSeen(): void {
    this.#fullUntil = 0;
    this.#tools.bell.ring();
  }

  #fill(): void {
    const { desk, stop } = this.#tools;
    while (!stop.aborted && this.#hasNext() && this.#mayBurst() && this.#isOpenNow()) {
      desk.spots.limit = desk.spotLimit.at(desk.now());
      const work = this.#takeSpot();
      if (work === undefined) return;
      if (work === 'elsewhere') continue;
      if (this.#isLast && this.waiting === 0) this.#tools.queue().leave();
      desk.spots.unsure.add(work);
      this.#underway++;
      desk.track(this.#submit(work).finally(() => this.#underway--));
    }
  }

  /** An announced limit is not tested all at once; a service that accepts nothing is tried with one. */
  #mayBurst(): boolean {
    const { intake, spotLimit } = this.#tools.desk;
    return this.#underway < (intake.isOn ? 1 : spotLimit.burst);
  }

  #hasNext(): boolean {
    return this.#again.length > 0 || (this.#queue.length > 0 && this.#left > 0);
  }

  /** Work that got a spot now; undefined if none did. */
  #takeSpot(): Work | 'elsewhere' | undefined {
    const { desk, queue, force, onElsewhere } = this.#tools;
    const next = this.#again[0] ?? this.#queue[0];
    if (!next) return undefined;
    const isAlone = force || next.losses > 0;
    const taken = queue().take(desk.spots.limit, isAlone ? undefined : sharedKey(next));
    if (taken === 'full') return this.#tellFull();
    if (taken === 'mine') return this.#take();
    if ('windows' in taken) {
      desk.pace.usedElsewhere(taken.windows, desk.now());
      return undefined;
    }
    if (taken.job === undefined) return this.#putOff();
    const [work] = this.#again.length > 0 ? this.#again.splice(0, 1) : this.#queue.splice(0, 1);
    if (work) onElsewhere(work, taken.job);
    return 'elsewhere';
  }

  /** With no job of its own a batch can only wait for others. */
  #tellFull(): undefined {
    const { desk, queue, onOthers } = this.#tools;
    const { pending } = queue();
    if (desk.spots.ours === 0 && pending > 0) onOthers(pending);
  }

  /** Another process is just submitting the same: others first. */
  #putOff(): undefined {
    const list = this.#again.length > 0 ? this.#again : this.#queue;
    const work = list.shift();
    if (work) list.push(work);
  }

  #take(): Work | undefined {
    const again = this.#again.shift();
    if (again) return again;
    this.#left--;
    return this.#queue.shift();
  }

  #isOpenNow(): boolean {
    const { desk } = this.#tools;
    return this.#pauseNow() <= 0 && desk.pace.left(desk.now()) > 0;
  }

  #pauseNow(): number {
    const { desk } = this.#tools;
    const now = desk.now();
    return Math.max(this.#fullUntil, desk.pace.openAt(now), desk.intake.openAt) - now;
  }

  /** Milliseconds until something may change without an event: a limit ends, or another batch's share. */
  #pause(): number | undefined {
    if (!this.#hasNext()) return undefined;
    const pause = this.#pauseNow();
    return pause > 0 ? pause : FULL_PAUSE;
  }

  async #submit(work: Work): Promise<void> {
    const { desk, hardStop } = this.#tools;
    const source = await this.#sourceOf(work);
    if (!source) return;
    for (;;) {
      const sent = { at: desk.now(), mark: desk.newestJobTime };
      desk.journal.intent(work.key, work.attempt, sent.mark);
      try {
        const state = await desk.post(work, source, hardStop);
        this.#fulls = 0;
        this.#tools.onAccepted(work, state, sent);
        desk.spotLimit.fitted(this.#tools.queue().pending, desk.now());
        return;
      } catch (error) {
        if (hardStop.aborted) return; // the journal records that it may have been accepted
        if (!(await this.#mayTryAgain(work, error, sent))) return;
      }
    }
  }

  /** Whether this process is to send the same request again. */
  async #mayTryAgain(work: Work, error: unknown, sent: Sent): Promise<boolean> {
    const { desk, stop } = this.#tools;
    if (isRefusedForNow(error)) {
      this.#refused(work, error);
      return false;
    }
    if (wasNotTaken(error)) desk.journal.refused(work.key);
    if (!isTrouble(error)) {
      this.#release(work);
      this.#tools.onFailed(work, error);
      return false;
    }
    if (wasNotTaken(error)) {
      desk.intake.failed(error);
      this.#putBack(work);
      return false;
    }
    if (++work.losses > MOST_LOSSES) {
      this.#release(work);
      this.#tools.onFailed(work, error);
      return false;
    }
    if (!desk.isSkinsmith) {
      this.#tools.onLost(work, error, sent);
      return false;
    }
    await desk.trouble.pause(error, stop);
    await desk.clock.sleep(lossPause(work.losses, desk.random()), stop);
    return true;
  }

  #refused(work: Work, error: unknown): void {
    this.#tools.desk.journal.refused(work.key);
    if (isFullQueue(error)) this.#wasFull();
    this.#putBack(work);
  }

  /** Nothing was accepted: it is sent next, once that is possible again. */
  #putBack(work: Work): void {
    const { bell } = this.#tools;
    this.#release(work);
    this.#again.unshift(work);
    bell.ring();
  }

  /** It became no job: its spot is free, and another process may try the same. */
  #release(work: Work): void {
    this.#tools.queue().became(sharedKey(work), undefined);
    this.#tools.desk.spots.unsure.delete(work);
  }

  /** Somebody else was faster. The next look says how many spots there are. */
  #wasFull(): void {
    const { desk, lookSoon } = this.#tools;
    desk.spotLimit.refused(this.#tools.queue().pending, desk.now());
    if (desk.now() >= this.#fullUntil) this.#fulls++; // a burst counts as one refusal
    const pause = Math.min(LONGEST_FULL_PAUSE, FULL_PAUSE * FULL_GROWTH ** (this.#fulls - 1));
    this.#fullUntil = desk.now() + pause * (0.5 + desk.random());
    lookSoon();
  }

  async #sourceOf(work: Work): Promise<SkinSource | undefined> {
    const { desk, players, hardStop, onUnusable } = this.#tools;
    try {
      const found = await sourceToSend(work, { client: desk.client, players, signal: hardStop });
      if (!('problem' in found)) return found;
      this.#release(work);
      onUnusable(work, found.problem);
    } catch (error) {
      if (!hardStop.aborted) throw error;
    }
    return undefined;
  }
}
