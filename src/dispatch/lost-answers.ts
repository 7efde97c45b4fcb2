import { backOff } from '../base/clock.ts';
import { SkinsmithError } from '../client/errors.ts';
import type { JobAnswer } from '../client/types.ts';
import { isPending, type Job } from '../protocol/job.ts';
import type { ReceivedSkin, SkinVisibility } from '../protocol/skin.ts';
import type { Submission } from './limits.ts';
import { isTransient } from './outage.ts';
import { ProofError, readTextures } from './proof.ts';
import { LONGEST_LAG } from './service-facts.ts';
import type { Session } from './session.ts';
import type { SubmissionMark } from './submitter.ts';

export interface UnknownJobsPorts {
  readonly session: Pick<Session, 'now' | 'track'>;
  /** A job's state, with the skin if there is one; undefined: the service does not know it. `result`: its skin by a list. */
  readonly fetchJob: (id: string, result: string | undefined) => Promise<JobAnswer | undefined>;
  /** Pixel hash of the texture in a value. */
  readonly texturePixels: (url: string) => Promise<string>;
  /** The skin of one of them is known. */
  readonly onFinding: () => void;
}

/** The skin that an unknown job has made. */
interface SkinOfLostJob {
  readonly pixels: string;
  readonly variant: string;
  readonly visibility: SkinVisibility;
  readonly hasCape: boolean;
  readonly state: JobAnswer;
}

type JobFinding = SkinOfLostJob | 'nothing';

/** Nothing is known about the job yet. `patience`: milliseconds for which it is worth reading again. */
interface Unread {
  readonly patience: number;
}

/** Between attempts to read a job. */
const READING = { first: 500, longest: 10_000, growth: 1.5 };
/** Milliseconds between reads of any of them, on average, and how many may follow each other at once. */
const READ_GAP = 500;
const READS_AT_ONCE = 5;
/** Milliseconds for which a job is read again while the service, or the host of its texture, is in trouble. */
const TROUBLED = 15 * 60_000;

/**
 * The skins that jobs of unknown origin have made. A job that cannot be read is read again, and counts as having made
 * nothing if that never changes.
 */
export class UnknownJobs {
  readonly #ports: UnknownJobsPorts;
  readonly #findings = new Map<string, JobFinding>();
  /** Since when each of them could not be read, how often that was tried, and when to try again. */
  readonly #unread = new Map<string, { since: number; tries: number; next: number }>();
  readonly #reading = new Set<string>();
  /** When the next read is due if they are spaced evenly: a list may show ever more jobs. */
  #evenlyDue = Number.NEGATIVE_INFINITY;

  constructor(ports: UnknownJobsPorts) {
    this.#ports = ports;
  }

  /** Undefined: it is not known yet. */
  finding(id: string): JobFinding | undefined {
    return this.#findings.get(id);
  }

  /** Reads a job, unless that is under way or done, or has to wait. @returns when it can be read again */
  examine({ id, result }: Job): number | undefined {
    const { session } = this.#ports;
    if (this.#reading.has(id) || this.#findings.has(id)) return undefined;
    const now = session.now();
    const { next = Number.NEGATIVE_INFINITY } = this.#unread.get(id) ?? {};
    const readable = Math.max(next, this.#evenlyDue - (READS_AT_ONCE - 1) * READ_GAP);
    if (readable > now) return readable;
    this.#evenlyDue = Math.max(this.#evenlyDue, now) + READ_GAP;
    this.#reading.add(id);
    session.track(this.#read(id, result).finally(() => this.#reading.delete(id)));
    return undefined;
  }

  async #read(id: string, result: string | undefined): Promise<void> {
    const found = await this.#find(id, result);
    const finding = found !== 'nothing' && 'patience' in found ? this.#unreadable(id, found) : found;
    if (!finding) return;
    this.#findings.set(id, finding);
    this.#ports.onFinding();
  }

  /** It may be another program's, so that no trouble with it counts. */
  async #find(id: string, result: string | undefined): Promise<JobFinding | Unread> {
    try {
      const state = await this.#ports.fetchJob(id, result);
      if (state && isPending(state.job.status)) return { patience: Number.POSITIVE_INFINITY };
      if (state?.job.status === 'failed') return 'nothing';
      return state?.skin ? await this.#skinOf(state, state.skin) : { patience: LONGEST_LAG };
    } catch (error) {
      if (error instanceof ProofError && error.code === 'invalid_skin_data') return 'nothing';
      if (!(error instanceof ProofError || error instanceof SkinsmithError)) throw error;
      return { patience: isTransient(error) ? TROUBLED : LONGEST_LAG };
    }
  }

  async #skinOf(state: JobAnswer, { visibility, texture }: ReceivedSkin): Promise<SkinOfLostJob> {
    const { skin, cape } = readTextures(texture.data.value);
    const pixels = await this.#ports.texturePixels(skin.url);
    return { state, variant: skin.variant, visibility, hasCape: cape !== undefined, pixels };
  }

  #unreadable(id: string, { patience }: Unread): 'nothing' | undefined {
    const now = this.#ports.session.now();
    const isRunning = !Number.isFinite(patience);
    const { since = now, tries = 0 } = (isRunning ? undefined : this.#unread.get(id)) ?? {};
    if (now - since > patience) return 'nothing';
    this.#unread.set(id, { since, tries: tries + 1, next: now + backOff(tries + 1, READING) });
    return undefined;
  }
}

export interface LostAnswersPorts<W extends Submission> extends Omit<UnknownJobsPorts, 'onFinding'> {
  readonly session: Session<W>;
  /** Whether the job is another process's. */
  readonly isElsewhere: (id: string) => boolean;
  /** Pixel hash of the picture; undefined: unknown, for instance a URL's. */
  readonly pixelsOf: (work: W) => string | undefined;
  /** This job belongs to the submission whose answer was lost. */
  readonly onFound: (work: W, state: JobAnswer) => void;
  /** The service has no job for it. `isSure`: it has had its data all the time. */
  readonly onGone: (work: W, isSure: boolean) => void;
  /** The next list is due earlier than it was. */
  readonly onDue: () => void;
}

/** A submission whose answer was lost: the service may or may not have accepted it. */
interface LostAnswer<W extends Submission> {
  readonly work: W;
  /** When it was sent; -Infinity: by an earlier process. */
  readonly sentAt: number;
  /** Newest job on the service before that, on its clock. */
  readonly mark: number;
  readonly lostAt: number;
  /** Milliseconds from then until its job is listed, at a service that does not lag. */
  readonly settlesIn: number;
  /** When the first list arrived that must show its job, if there is one: jobs that only later lists show are others'. */
  decidedAt?: number | undefined;
}

/** A job that lists have shown. */
interface SightedJob {
  readonly job: Job;
  /** When the first list that showed it arrived, and the last one. */
  readonly firstSeen: number;
  readonly seenAt: number;
}

type RequestedOptions = Pick<Submission, 'variant' | 'visibility' | 'cape'>;

/** Milliseconds between list requests while jobs of unknown origin appear or are pending: the longer it takes, the fewer. */
const LOOK = 250;
const LOOK_GROWTH = 0.1;
const LONGEST_LOOK = 5_000;
/** Milliseconds by which clocks of nodes may differ and give a later job an earlier time; added to the measured difference. */
const CLOCK_TOLERANCE = 10_000;
/** Waits of up to this many milliseconds are not reported. */
const SHORT_WAIT = 3_000;
const WAITS = 'An answer was lost: waiting to see whether the service has accepted the submission.';
const WAITS_FOR_DEAD =
  'An earlier run ended while it was submitting: waiting to see whether the service has accepted that.';

/**
 * Submissions whose answer was lost, on a service that does not recognize repetitions. They are not repeated
 * blindly: unknown jobs in the list are examined, and their pixels show whose they are. Only when no candidate
 * is left, the service has not accepted the submission.
 */
export class LostAnswers<W extends Submission> {
  readonly #ports: LostAnswersPorts<W>;
  readonly #lost = new Map<W, LostAnswer<W>>();
  /** The jobs of the last lists: one of them may be behind, and lack what an earlier one has shown. */
  readonly #listed = new Map<string, SightedJob>();
  readonly #unknown: UnknownJobs;
  #lookAt: number | undefined;
  /** When the last list arrived. */
  #sawAt = Number.NEGATIVE_INFINITY;

  constructor(ports: LostAnswersPorts<W>) {
    this.#ports = ports;
    this.#unknown = new UnknownJobs({ ...ports, onFinding: () => this.#lookSoon() });
  }

  get size(): number {
    return this.#lost.size;
  }

  /** `settlesIn`: milliseconds from now until its job is listed, if it became one. */
  add(work: W, sent: SubmissionMark, settlesIn: number): void {
    const lostAt = this.#ports.session.now();
    const lost = { work, sentAt: sent.at, mark: sent.mark, lostAt, settlesIn };
    this.#lost.set(work, lost);
    this.#wantLook(this.#settledAt(lost));
  }

  /** Its outcome is no longer of interest. */
  forget(work: W): void {
    this.#lost.delete(work);
  }

  /** When the list should be requested for these. */
  lookAt(): number | undefined {
    return this.#lost.size === 0 ? undefined : this.#lookAt;
  }

  sawList(jobs: readonly Job[], startedAt: number): void {
    const now = this.#ports.session.now();
    this.#sawAt = now;
    for (const job of jobs) this.#saw(job, now);
    for (const [id, { seenAt }] of this.#listed) if (now - seenAt > LONGEST_LAG) this.#listed.delete(id);
    this.#lookAt = undefined;
    const lost = [...this.#lost.values()].toSorted((a, b) => countOptions(b.work) - countOptions(a.work));
    for (const answer of lost) this.#judge(answer, { startedAt, now });
  }

  /** By the list's answer: it may show a job that was submitted after the list was requested. */
  #saw(job: Job, now: number): void {
    const known = this.#listed.get(job.id);
    const newest = known && isPending(job.status) ? known.job : job;
    this.#listed.set(job.id, { job: newest, firstSeen: known?.firstSeen ?? now, seenAt: now });
  }

  #judge(lost: LostAnswer<W>, { startedAt, now }: { startedAt: number; now: number }): void {
    const { lag, memory } = this.#ports.session;
    const isSettled = startedAt >= this.#settledAt(lost) && !lag.isListTorn && !memory.isAway;
    lost.decidedAt = isSettled ? (lost.decidedAt ?? now) : undefined;
    const candidates = [...this.#listed.values()].filter((listed) => this.#mayBe(lost, listed));
    const match = candidates.find(({ job }) => this.#isIt(lost, job, candidates));
    const finding = match && this.#unknown.finding(match.job.id);
    if (finding && finding !== 'nothing') {
      this.#lost.delete(lost.work);
      this.#ports.onFound(lost.work, finding.state);
      return;
    }
    const open = candidates.filter(({ job }) => this.#isOpen(lost, job));
    for (const { job, seenAt } of open) if (!isPending(job.status) || seenAt < now) this.#examine(job);
    if (isSettled && open.length === 0) {
      this.#lost.delete(lost.work);
      this.#ports.onGone(lost.work, !memory.hasLost(lost.sentAt));
    } else this.#wait(lost, { now, isSoon: open.some(({ job }) => isPending(job.status)) });
  }

  /** Whether it is not known yet if the job is the submission's: it may also be one whose answer is on its way. */
  #isOpen({ work }: LostAnswer<W>, { id }: Job): boolean {
    return (
      this.#unknown.finding(id) === undefined ||
      (this.#ports.pixelsOf(work) === undefined && this.#isSubmitting)
    );
  }

  get #isSubmitting(): boolean {
    return this.#ports.session.slots.unsure.size > this.#lost.size;
  }

  /** `isSoon`: the next list may show more, because a candidate is still pending. */
  #wait(lost: LostAnswer<W>, { now, isSoon }: { now: number; isSoon: boolean }): void {
    const { session } = this.#ports;
    const settledAt = this.#settledAt(lost);
    const next = isSoon || now >= settledAt ? now + lookPause(now - lost.lostAt) : settledAt;
    this.#wantLook(next);
    const isLong = Math.max(now - lost.lostAt, settledAt - now) >= SHORT_WAIT;
    if (!isLong || session.memory.isAway) return; // which is the reason, and is told
    const isFromDead = lost.sentAt === Number.NEGATIVE_INFINITY;
    session.tellWait(isFromDead ? WAITS_FOR_DEAD : WAITS, Math.max(SHORT_WAIT, next - now));
  }

  #settledAt({ lostAt, settlesIn }: LostAnswer<W>): number {
    return lostAt + this.#ports.session.lag.listedIn(settlesIn);
  }

  /** Whether the job is newer than the submission and of unknown origin. */
  #mayBe(lost: LostAnswer<W>, { job: { id, timestamp }, firstSeen }: SightedJob): boolean {
    if (this.#ports.session.submissions.isOwnJob(id) || this.#ports.isElsewhere(id)) return false;
    const { sentAt, decidedAt = Number.POSITIVE_INFINITY } = lost;
    if (firstSeen < sentAt || firstSeen > decidedAt) return false;
    return timestamp === undefined || timestamp >= lost.mark - this.#clockTolerance(lost);
  }

  /** Pixels tell whose a job is; without them, an older job of someone else must not be taken while clocks seem to agree. */
  #clockTolerance({ work }: LostAnswer<W>): number {
    const { clockDisorder } = this.#ports.session;
    const isExact = clockDisorder === 0 && this.#ports.pixelsOf(work) === undefined;
    return isExact ? 0 : CLOCK_TOLERANCE + clockDisorder;
  }

  #isIt({ work }: LostAnswer<W>, { id }: Job, candidates: readonly SightedJob[]): boolean {
    const finding = this.#unknown.finding(id);
    if (finding === undefined || finding === 'nothing') return false;
    const pixels = this.#ports.pixelsOf(work);
    if (pixels !== undefined) return finding.pixels === pixels && hasOptions(finding, work);
    // The pixels of a URL or a player are unknown, so only a single candidate can match, and none that hides its skin unasked.
    const isAlone = candidates.length === 1 && this.#lost.size === 1 && !this.#isSubmitting;
    const { visibility = 'public' } = work;
    return isAlone && hasOptions(finding, { ...work, visibility });
  }

  #examine(job: Job): void {
    const next = this.#unknown.examine(job);
    if (next !== undefined) this.#wantLook(next);
  }

  /** Not at once: each list may show jobs that no earlier one did. */
  #lookSoon(): void {
    this.#wantLook(this.#sawAt + LOOK);
    this.#ports.onDue();
  }

  #wantLook(at: number): void {
    this.#lookAt = Math.min(this.#lookAt ?? Number.POSITIVE_INFINITY, at);
  }
}

/** `age`: milliseconds since the answer was lost. */
function lookPause(age: number): number {
  return Math.min(LONGEST_LOOK, Math.max(LOOK, LOOK_GROWTH * age));
}

function hasOptions(found: SkinOfLostJob, { variant, visibility, cape }: RequestedOptions): boolean {
  const hasVariant = variant === 'auto' || variant === found.variant;
  const hasVisibility = visibility === undefined || visibility === found.visibility;
  return hasVariant && hasVisibility && (cape === undefined || found.hasCape);
}

/**
 * How many options were requested. Submissions of one picture choose their jobs in this order, most options first:
 * one that asks for nothing would also take the job of one that asks for slim arms.
 */
function countOptions({ variant, visibility, cape }: RequestedOptions): number {
  return [variant !== 'auto', visibility !== undefined, cape !== undefined].filter(Boolean).length;
}
