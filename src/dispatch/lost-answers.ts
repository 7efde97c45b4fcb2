import { SkinsmithError } from '../client/errors.ts';
import type { JobState } from '../client/types.ts';
import { isPending, type Job } from '../protocol/job.ts';
import type { SkinVisibility } from '../protocol/skin.ts';
import { ProofError, readTextures } from './proof.ts';
import type { Session } from './session.ts';
import type { Submission } from './submission.ts';
import type { Sent } from './submitter.ts';

export interface LostAnswersPorts<W extends Submission> {
  readonly session: Session<W>;
  /** Whether the job is another process's. */
  readonly isElsewhere: (id: string) => boolean;
  /** A finished job's state; undefined if it no longer exists. */
  readonly fetchJob: (id: string) => Promise<JobState | undefined>;
  /** Pixel hash of the picture; undefined: unknown, for instance a URL's. */
  readonly pixelsOf: (work: W) => string | undefined;
  /** Pixel hash of the texture in a value. */
  readonly texturePixels: (url: string) => Promise<string>;
  /** This job belongs to the submission whose answer was lost. */
  readonly onFound: (work: W, state: JobState) => void;
  /** The service has no job for it. */
  readonly onGone: (work: W) => void;
  readonly lookSoon: () => void;
}

/** A submission whose answer was lost: the service may or may not have accepted it. */
interface LostAnswer<W extends Submission> {
  readonly work: W;
  /** When it was sent; -Infinity: by an earlier process. */
  readonly sentAt: number;
  /** Newest job on the service before that, on its clock. */
  readonly mark: number;
  /** If a list requested after this does not show the job, the submission was not accepted. */
  readonly settledAt: number;
  /** When the first such list arrived: jobs that only later ones show are others'. */
  decidedAt?: number;
}

/** What an unknown job has made. */
interface FoundSkin {
  readonly pixels: string | undefined;
  readonly variant: string;
  readonly visibility: SkinVisibility;
  readonly hasCape: boolean;
  readonly state: JobState;
}

type Finding = FoundSkin | 'nothing';

type Wishes = Pick<Submission, 'variant' | 'visibility' | 'cape'>;

/** Milliseconds between list requests while a job of unknown origin is pending: the longer it takes, the fewer. */
const LOOK = 200;
const LOOK_GROWTH = 0.1;
const LONGEST_LOOK = 5_000;

/**
 * Submissions whose answer was lost, on a service that does not recognize repetitions. They are not repeated
 * blindly: unknown jobs in the list are examined, and their pixels show whose they are. Only when no candidate
 * is left, the service has not accepted the submission.
 */
export class LostAnswers<W extends Submission> {
  readonly #ports: LostAnswersPorts<W>;
  readonly #lost = new Map<W, LostAnswer<W>>();
  /** When the first list that showed each job arrived; only jobs of the last list. */
  #firstSeen = new Map<string, number>();
  readonly #findings = new Map<string, Finding>();
  readonly #examining = new Set<string>();
  #lookAt: number | undefined;

  constructor(ports: LostAnswersPorts<W>) {
    this.#ports = ports;
  }

  get size(): number {
    return this.#lost.size;
  }

  /** `settlesIn`: milliseconds from now until its job is listed, if it became one. */
  add(work: W, sent: Sent, settlesIn: number): void {
    const settledAt = this.#ports.session.now() + settlesIn;
    this.#lost.set(work, { work, sentAt: sent.at, mark: sent.mark, settledAt });
    this.#wantLook(settledAt);
  }

  /** Nobody waits for it any longer. */
  forget(work: W): void {
    this.#lost.delete(work);
  }

  /** When the list should be requested for these. */
  lookAt(): number | undefined {
    return this.#lost.size === 0 ? undefined : this.#lookAt;
  }

  sawList(jobs: readonly Job[], startedAt: number): void {
    // By its answer: a list may show a job that was submitted after the list was requested.
    const seenAt = this.#ports.session.now();
    this.#firstSeen = new Map(jobs.map(({ id }) => [id, this.#firstSeen.get(id) ?? seenAt]));
    this.#lookAt = undefined;
    const lost = [...this.#lost.values()].toSorted((a, b) => wishes(b.work) - wishes(a.work));
    for (const answer of lost) this.#judge(answer, jobs, startedAt);
  }

  #judge(lost: LostAnswer<W>, jobs: readonly Job[], startedAt: number): void {
    if (startedAt >= lost.settledAt) lost.decidedAt ??= this.#ports.session.now();
    const candidates = jobs.filter((job) => this.#mayBe(lost, job));
    const match = candidates.find((job) => this.#isIt(lost, job, candidates));
    const finding = match && this.#findings.get(match.id);
    if (finding && finding !== 'nothing') {
      this.#lost.delete(lost.work);
      this.#ports.onFound(lost.work, finding.state);
      return;
    }
    const open = candidates.filter((job) => !this.#findings.has(job.id));
    for (const job of open) if (!isPending(job.status)) this.#examine(job);
    if (open.length > 0) this.#wantLook(this.#ports.session.now() + lookPause(startedAt - lost.settledAt));
    else if (startedAt < lost.settledAt) this.#wantLook(lost.settledAt);
    else {
      this.#lost.delete(lost.work);
      this.#ports.onGone(lost.work);
    }
  }

  /** Whether the job is newer than the submission and of unknown origin. */
  #mayBe(lost: LostAnswer<W>, { id, timestamp }: Job): boolean {
    if (this.#ports.session.submissions.isOwnJob(id) || this.#ports.isElsewhere(id)) return false;
    const { sentAt, decidedAt = Number.POSITIVE_INFINITY } = lost;
    const firstSeen = this.#firstSeen.get(id) ?? Number.POSITIVE_INFINITY;
    if (firstSeen < sentAt || firstSeen > decidedAt) return false;
    return timestamp === undefined || timestamp >= lost.mark;
  }

  #isIt({ work }: LostAnswer<W>, { id }: Job, candidates: readonly Job[]): boolean {
    const finding = this.#findings.get(id);
    if (finding === undefined || finding === 'nothing') return false;
    const pixels = this.#ports.pixelsOf(work);
    if (pixels !== undefined) return finding.pixels === pixels && hasOptions(finding, work);
    // The pixels of a URL or a player are unknown, so only a single candidate can match, and none that hides its skin unasked.
    const isAlone = candidates.length === 1 && this.#lost.size === 1;
    const { visibility = 'public' } = work;
    return isAlone && hasOptions(finding, { ...work, visibility });
  }

  #examine({ id }: Job): void {
    if (this.#examining.has(id)) return;
    this.#examining.add(id);
    const { session } = this.#ports;
    const examined = this.#find(id).then((finding) => {
      this.#findings.set(id, finding);
      this.#wantLook(session.now());
      this.#ports.lookSoon();
    });
    session.track(examined.finally(() => this.#examining.delete(id)));
  }

  /** A job without a skin that can be read is nobody's. It may be another program's, so that no trouble with it counts. */
  async #find(id: string): Promise<Finding> {
    try {
      const state = await this.#ports.fetchJob(id);
      if (!state?.skin) return 'nothing';
      const { skin, cape } = readTextures(state.skin.texture.data.value);
      const pixels = await this.#ports.texturePixels(skin.url);
      const { visibility } = state.skin;
      return { state, variant: skin.variant, visibility, hasCape: cape !== undefined, pixels };
    } catch (error) {
      if (error instanceof ProofError || error instanceof SkinsmithError) return 'nothing';
      throw error;
    }
  }

  #wantLook(at: number): void {
    this.#lookAt = Math.min(this.#lookAt ?? Number.POSITIVE_INFINITY, at);
  }
}

/** `late`: milliseconds since the submission would have counted as not accepted if it were not for this job. */
function lookPause(late: number): number {
  return Math.min(LONGEST_LOOK, Math.max(LOOK, LOOK_GROWTH * late));
}

function hasOptions(found: FoundSkin, { variant, visibility, cape }: Wishes): boolean {
  const hasVariant = variant === 'auto' || variant === found.variant;
  const hasVisibility = visibility === undefined || visibility === found.visibility;
  return hasVariant && hasVisibility && (cape === undefined || found.hasCape);
}

/**
 * How many options were asked for. Submissions of one picture choose their jobs in the order of this, most first:
 * one that asks for nothing would also take the job of one that asks for slim arms.
 */
function wishes({ variant, visibility, cape }: Wishes): number {
  return [variant !== 'auto', visibility !== undefined, cape !== undefined].filter(Boolean).length;
}
