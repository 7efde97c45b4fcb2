import { randomUUID } from 'node:crypto';
import type { Skin } from '../../../src/protocol/skin.ts';
import { pixelHash } from '../../../src/skin/pixel-hash.ts';
import { drawSkin } from '../../server/drawn-skins.ts';
import { type Answer, refusal, withLimits } from './answers.ts';
import { type Fate, fateOf } from './fates.ts';
import {
  type HostedJob,
  hasRightSkin,
  hasSkin,
  JobBook,
  makeJobId,
  makeUpJobId,
  type Wish,
  wishKey,
} from './job-book.ts';
import type { HostedOptions } from './options.ts';
import { RateWindow, rateRefusal } from './rate-window.ts';
import { Recorder } from './records.ts';
import type { SkinMaker } from './skin-maker.ts';
import type { ReadSubmission } from './submission.ts';

/** A skin that was there before it was asked for, under a job id that is made up. */
export interface Duplicate {
  readonly id: string;
  readonly timestamp: number;
  readonly skin: Skin;
}

/** What became of a submission. */
export type Taken =
  | { readonly kind: 'job'; readonly job: HostedJob }
  | { readonly kind: 'duplicate'; readonly duplicate: Duplicate }
  | { readonly kind: 'refusal'; readonly answer: Answer };

interface KeptSkin {
  readonly skin: Promise<Skin>;
  readonly isThere: (now: number) => boolean;
}

/** Takes submissions in, within the caller's limits, and knows what came of them. */
export class Intake {
  readonly records = new Recorder();
  readonly rate: RateWindow;
  readonly book: JobBook;
  readonly #maker: SkinMaker;
  readonly #options: HostedOptions;
  readonly #duplicates = new Map<string, Duplicate>();
  readonly #skins = new Map<string, KeptSkin>();
  /** Skins that were there before this service started, by wish. */
  readonly #old = new Map<string, Promise<Skin>>();
  /** Submissions of each picture that were decided on, by pixel hash. */
  readonly #attempts = new Map<string, number>();
  #strangers = 60_000;

  constructor(maker: SkinMaker, options: HostedOptions) {
    this.#maker = maker;
    this.#options = options;
    this.rate = new RateWindow(options.rate);
    this.book = new JobBook(options.workers ?? 5);
  }

  async take(submission: ReadSubmission): Promise<Taken> {
    const known = this.#knownSkin(submission, Date.now());
    if (known) return { kind: 'duplicate', duplicate: this.#duplicate(submission.wish, await known) };
    return this.#takeNew(submission, Date.now());
  }

  /** A job of another program of the same caller: takes a spot but no worker. */
  occupy(serviceTime: number): string {
    const picture = drawSkin(this.#strangers++);
    const wish: Wish = {
      pixels: pixelHash(picture),
      variant: 'classic',
      visibility: 'public',
      name: undefined,
    };
    const now = Date.now();
    const about = { wish, attempt: 1, fate: undefined, isForeign: true };
    return this.#add({ ...about, picture, now, times: { startsAt: now, endsAt: now + serviceTime } }).id;
  }

  duplicate(id: string): Duplicate | undefined {
    return this.#duplicates.get(id);
  }

  skin(uuid: string, now: number): Promise<Skin> | undefined {
    const kept = this.#skins.get(uuid);
    return kept?.isThere(now) ? kept.skin : undefined;
  }

  #knownSkin({ wish, picture }: ReadSubmission, now: number): Promise<Skin> | undefined {
    const { known = 'made' } = this.#options;
    if (known === 'nothing') return undefined;
    const made =
      this.book.of(wish).find((job) => hasRightSkin(job, now))?.skin ?? this.#old.get(wishKey(wish));
    const isOld = known === 'everything' || (typeof known === 'function' && known(wish.pixels));
    if (made || !isOld) return made;
    const uuid = makeSkinUuid();
    const skin = this.#maker.make({ uuid, wish, picture, isWrong: false, madeAt: now, duration: 0 });
    this.#old.set(wishKey(wish), skin);
    this.#skins.set(uuid, { skin, isThere: () => true });
    return skin;
  }

  #duplicate(wish: Wish, skin: Skin): Duplicate {
    const at = Date.now();
    const duplicate = { id: makeUpJobId(), timestamp: at, skin: { ...skin, duplicate: true } };
    this.#duplicates.set(duplicate.id, duplicate);
    const { pixels, variant } = wish;
    const submission = { pixels, variant, job: duplicate.id, at, endsAt: at, duplicate: true };
    this.records.submission(submission, this.book.of(wish));
    return duplicate;
  }

  #takeNew({ wish, picture }: ReadSubmission, now: number): Taken {
    const full = this.#limitRefusal(now);
    if (full) return { kind: 'refusal', answer: full };
    const attempt = (this.#attempts.get(wish.pixels) ?? 0) + 1;
    this.#attempts.set(wish.pixels, attempt);
    const fate = fateOf(this.#options.fate?.(wish.pixels), attempt);
    if (fate?.kind === 'refused') return { kind: 'refusal', answer: refusal(fate.code) };
    const earlier = this.book.of(wish);
    const planned = { wish, attempt, fate, isForeign: false };
    const { serviceTime = 40 } = this.#options;
    const time = typeof serviceTime === 'number' ? serviceTime : serviceTime(planned);
    const job = this.#add({ ...planned, picture, now, times: this.book.schedule(now, time) });
    this.rate.count(now);
    const endsAt = Number.isFinite(job.endsAt) ? job.endsAt : null;
    const { pixels, variant } = wish;
    this.records.submission({ pixels, variant, job: job.id, at: now, endsAt, duplicate: false }, earlier);
    return { kind: 'job', job };
  }

  #limitRefusal(now: number): Answer | undefined {
    const wait = this.rate.wait(now);
    if (wait > 0) return rateRefusal(this.rate, { wait, says: this.rate.rule?.says ?? 'seconds', now });
    const { limit = 5, slack = 0 } = this.#options;
    if (this.book.unfinished(now) < limit + slack) return undefined;
    return withLimits(refusal('job_limit'), this.rate.report(now));
  }

  #add({ picture, now, times, ...planned }: NewJob): HostedJob {
    const { wish, fate } = planned;
    const { startsAt, endsAt } = times;
    const made = Number.isFinite(endsAt) ? { madeAt: endsAt, duration: endsAt - startsAt } : NEVER_MADE;
    const skinUuid = makeSkinUuid();
    const skin = this.#maker.make({
      uuid: skinUuid,
      wish,
      picture,
      isWrong: fate?.kind === 'wrong',
      ...made,
    });
    const job: HostedJob = { ...planned, ...times, id: makeJobId(), acceptedAt: now, skin, skinUuid };
    this.book.add(job);
    this.#skins.set(skinUuid, { skin, isThere: (at) => hasSkin(job, at) });
    this.records.unfinished(this.book.unfinished(now));
    return job;
  }
}

interface NewJob extends ReadSubmission {
  readonly attempt: number;
  readonly fate: Fate | undefined;
  readonly isForeign: boolean;
  readonly now: number;
  readonly times: { readonly startsAt: number; readonly endsAt: number };
}

/** Where nobody works: the skin is never seen. */
const NEVER_MADE = { madeAt: 0, duration: 0 };

function makeSkinUuid(): string {
  return randomUUID().replaceAll('-', '');
}
