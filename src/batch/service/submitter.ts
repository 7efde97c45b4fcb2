import { ServiceError, type UnreadableAnswerError } from '../../client/errors.ts';
import type { JobState, SkinSource } from '../../client/types.ts';
import { lookAt } from '../plan/picture-files.ts';
import { isUuid } from '../sources/links.ts';
import { PlayerNameError, type PlayerNames } from '../sources/player-names.ts';
import type { SourceContent, SourceProblem } from '../types.ts';
import type { Bell } from './bell.ts';
import { type Desk, nameOf } from './desk.ts';
import type { FairShare } from './fair-share.ts';
import { isRefusedForNow, isTrouble, lossPause, wasNotTaken } from './trouble.ts';
import type { Work } from './work.ts';
import { pixelsOf } from './work.ts';

/** Lost answers for one piece of work, with the service answering otherwise, after which it is given up: a quarter of an hour. */
const MOST_LOSSES = 40;
/** Milliseconds for which a queue that was found full is believed to be, when no look says otherwise. */
const FULL_PAUSE = 300;
const FULL_GROWTH = 1.6;
const LONGEST_FULL_PAUSE = 5_000;

/** The file was edited between the plan and its turn. */
const CHANGED = {
  code: 'source_changed',
  message: 'The file has changed since the batch began.',
  hint: 'Run it again.',
};

/** What the submitter needs of the batch around it. */
export interface SubmitterTools {
  readonly desk: Desk;
  /** Rung when there may be room, or work. */
  readonly bell: Bell;
  readonly share: FairShare;
  readonly players: PlayerNames | undefined;
  /** No more submissions once aborted; those under way may still end. */
  readonly stop: AbortSignal;
  /** Ends those too. */
  readonly hardStop: AbortSignal;
  readonly onAccepted: (work: Work, state: JobState) => void;
  readonly onFailed: (work: Work, error: unknown) => void;
  /** Nothing was sent: it is the source that is wrong. */
  readonly onUnusable: (work: Work, problem: SourceProblem) => void;
  /** The answer was lost: the service may have it or not. */
  readonly onLost: (work: Work, error: unknown, sent: Sent) => void;
  readonly lookSoon: () => void;
}

/** When a submission went out, and the newest job that was known of then (on the service's clock). */
export interface Sent {
  readonly at: number;
  readonly mark: number;
}

/** Sends work to the service as spots open: all that are open at once, and never one more. */
export class Submitter {
  readonly #tools: SubmitterTools;
  readonly #queue: Work[] = [];
  readonly #again: Work[] = [];
  #fullUntil = 0;
  /** How often the queue was found full since the last submission that was taken. */
  #fulls = 0;
  #isLast = false;
  /** New submissions that may still be spent. */
  #left: number;

  constructor(tools: SubmitterTools, maxNew: number) {
    this.#tools = tools;
    this.#left = maxNew;
  }

  get waiting(): number {
    return this.#queue.length + this.#again.length;
  }

  /** Whether it may spend nothing more although there is work. */
  get isSpent(): boolean {
    return this.#left <= 0 && this.#again.length === 0 && this.#queue.length > 0;
  }

  add(work: Work): void {
    const content = work.members[0]?.source.content;
    if (content?.kind === 'user' && !isUuid(content.user)) this.#tools.players?.expect(content.user);
    this.#queue.push(work);
    this.#tools.bell.ring();
  }

  /** Goes before everything that is new. */
  addAgain(work: Work): void {
    this.#again.push(work);
    this.#tools.share.enter();
    this.#tools.bell.ring();
  }

  /** Runs until aborted. */
  async run(): Promise<void> {
    const { bell, stop } = this.#tools;
    while (!stop.aborted) {
      this.#fill();
      await bell.wait(this.#pause(), stop);
    }
  }

  /** No more work comes: what is left of the spots is others'. */
  noMore(): void {
    this.#isLast = true;
    this.#tools.bell.ring();
  }

  /** What is in the queue was seen anew. One that was found full stays so for its time: the list may not show all. */
  looked(): void {
    this.#tools.bell.ring();
  }

  /** A job has ended: the queue is not full any more. */
  roomSeen(): void {
    this.#fullUntil = 0;
    this.#tools.bell.ring();
  }

  #fill(): void {
    const { desk, share, stop } = this.#tools;
    while (
      !stop.aborted &&
      this.#hasNext() &&
      this.#isOpenNow() &&
      desk.spots.isOpen(share.of(desk.spots.limit))
    ) {
      const work = this.#take();
      if (!work) return;
      if (this.#isLast && this.waiting === 0) share.leave();
      desk.spots.unsure.add(work);
      desk.track(this.#submit(work));
    }
  }

  #hasNext(): boolean {
    return this.#again.length > 0 || (this.#queue.length > 0 && this.#left > 0);
  }

  #take(): Work | undefined {
    const again = this.#again.shift();
    if (again) return again;
    this.#left--;
    return this.#queue.shift();
  }

  #isOpenNow(): boolean {
    return this.#pauseNow() <= 0;
  }

  #pauseNow(): number {
    const { desk } = this.#tools;
    return Math.max(this.#fullUntil, desk.pace.openAt()) - desk.now();
  }

  /** How long until something may change by itself: a limit that ends, or another batch's share. */
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
        this.#tools.onAccepted(work, state);
        return;
      } catch (error) {
        if (hardStop.aborted) return; // the journal says that it may have been taken
        if (!(await this.#mayTryAgain(work, error, sent))) return;
      }
    }
  }

  /** Whether the same request is to be sent again from here. */
  async #mayTryAgain(work: Work, error: unknown, sent: Sent): Promise<boolean> {
    const { desk, stop } = this.#tools;
    if (isRefusedForNow(error)) {
      this.#refused(work, error);
      return false;
    }
    if (wasNotTaken(error)) desk.journal.refused(work.key);
    if (!isTrouble(error)) {
      desk.spots.unsure.delete(work);
      this.#tools.onFailed(work, error);
      return false;
    }
    if (!wasNotTaken(error) && ++work.losses > MOST_LOSSES) {
      desk.spots.unsure.delete(work);
      this.#tools.onFailed(work, error);
      return false;
    }
    if (!wasNotTaken(error) && !desk.isSkinsmith) {
      this.#tools.onLost(work, error, sent);
      return false;
    }
    await desk.trouble.pause(error, stop);
    await desk.clock.sleep(lossPause(work.losses, desk.random()), stop);
    return true;
  }

  #refused(work: Work, error: ServiceError | UnreadableAnswerError): void {
    const { desk } = this.#tools;
    desk.journal.refused(work.key);
    desk.spots.unsure.delete(work);
    this.#again.unshift(work);
    const code = error instanceof ServiceError ? error.code : '';
    if (code === 'job_limit' || code === 'concurrency_limit') this.#wasFull();
    else desk.refusedForNow(error);
    this.#tools.bell.ring();
  }

  /** Somebody else was faster. The next look says how many spots there are. */
  #wasFull(): void {
    const { desk, lookSoon } = this.#tools;
    if (desk.now() >= this.#fullUntil) this.#fulls++; // a burst is one refusal
    const pause = Math.min(LONGEST_FULL_PAUSE, FULL_PAUSE * FULL_GROWTH ** (this.#fulls - 1));
    this.#fullUntil = desk.now() + pause * (0.5 + desk.random());
    lookSoon();
  }

  /** What is sent. A picture that was edited since the plan is a source that failed, not another's skin. */
  async #sourceOf(work: Work): Promise<SkinSource | undefined> {
    const { desk } = this.#tools;
    const [first] = work.members;
    if (!first) throw new Error('Work without a source.');
    const { content } = first.source;
    if (content.kind === 'url') return { url: content.url };
    if (content.kind === 'user') return await this.#playerOf(work, content);
    const look = work.bytes
      ? { bytes: work.bytes, pixels: pixelsOf(work), warnings: work.warnings }
      : lookAt(content, work.variant, undefined);
    const problem = 'problem' in look ? look.problem : undefined;
    if ('bytes' in look && look.bytes && look.pixels === pixelsOf(work)) {
      work.warnings = look.warnings;
      return { file: look.bytes, fileName: `${nameOf(first) ?? 'skin'}.png` };
    }
    desk.spots.unsure.delete(work);
    this.#tools.onUnusable(work, problem ?? CHANGED);
    return undefined;
  }

  async #playerOf(
    work: Work,
    player: Extract<SourceContent, { kind: 'user' }>,
  ): Promise<SkinSource | undefined> {
    const { user } = player;
    const { desk, players, hardStop, onUnusable } = this.#tools;
    if (isUuid(user) || !players) return { user };
    try {
      return { user: await players.uuidOf(player, hardStop) };
    } catch (error) {
      if (hardStop.aborted) return undefined;
      if (!(error instanceof PlayerNameError)) throw error;
      desk.spots.unsure.delete(work);
      onUnusable(work, error);
      return undefined;
    }
  }
}
