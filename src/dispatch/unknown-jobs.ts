import { SkinsmithError } from '../client/errors.ts';
import type { JobAnswer } from '../client/types.ts';
import { isPending, type Job } from '../protocol/job.ts';
import type { SeenSkin } from '../protocol/seen-skin.ts';
import type { SkinVisibility } from '../protocol/skin.ts';
import { LONGEST_LAG } from './lag.ts';
import { isTransient } from './outage.ts';
import { ProofError, readTextures } from './proof.ts';
import type { Session } from './session.ts';

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
export interface FoundSkin {
  readonly pixels: string;
  readonly variant: string;
  readonly visibility: SkinVisibility;
  readonly hasCape: boolean;
  readonly state: JobAnswer;
}

export type JobFinding = FoundSkin | 'nothing';

/** Nothing is known about the job yet. `patience`: milliseconds for which it is worth reading again. */
interface Unread {
  readonly patience: number;
}

/** Milliseconds between attempts to read a job: at first, at most, and as a part of the time since the first. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;
const GROWTH = 0.5;
/** Milliseconds for which a job is read again while the service, or the host of its texture, is in trouble. */
const TROUBLED = 15 * 60_000;

/**
 * The skins that jobs of unknown origin have made. A job that cannot be read is read again, and counts as having made
 * nothing if that never changes.
 */
export class UnknownJobs {
  readonly #ports: UnknownJobsPorts;
  readonly #findings = new Map<string, JobFinding>();
  /** Since when each of them could not be read, and when to try again. */
  readonly #unread = new Map<string, { readonly since: number; readonly next: number }>();
  readonly #reading = new Set<string>();

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
    const { next = Number.NEGATIVE_INFINITY } = this.#unread.get(id) ?? {};
    if (next > session.now()) return next;
    if (this.#reading.has(id) || this.#findings.has(id)) return undefined;
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

  async #skinOf(state: JobAnswer, { visibility, texture }: SeenSkin): Promise<FoundSkin> {
    const { skin, cape } = readTextures(texture.data.value);
    const pixels = await this.#ports.texturePixels(skin.url);
    return { state, variant: skin.variant, visibility, hasCape: cape !== undefined, pixels };
  }

  #unreadable(id: string, { patience }: Unread): 'nothing' | undefined {
    const now = this.#ports.session.now();
    const isRunning = !Number.isFinite(patience);
    const { since = now } = (isRunning ? undefined : this.#unread.get(id)) ?? {};
    if (now - since > patience) return 'nothing';
    const pause = Math.min(LONGEST_PAUSE, Math.max(FIRST_PAUSE, GROWTH * (now - since)));
    this.#unread.set(id, { since, next: now + pause });
    return undefined;
  }
}
