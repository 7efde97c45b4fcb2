import type { CallOptions, SkinOptions, SkinSource } from '../client/types.ts';
import type { SkinVisibility } from '../protocol/skin.ts';

/** A skin to make, as the dispatcher needs it; its users add what they know about it. */
export interface Submission {
  /** The same for the same picture and options. */
  readonly key: string;
  readonly variant: 'auto' | 'classic' | 'slim';
  /** Undefined: what the service or its user chooses. */
  readonly visibility: SkinVisibility | undefined;
  /** UUID of the cape to combine with it. */
  readonly cape: string | undefined;
  /** Submissions that ended without a skin. */
  attempt: number;
  /** Submissions whose answer was lost. */
  losses: number;
}

/** The content of a submission. */
export interface SkinRequest {
  readonly source: SkinSource;
  readonly options: SkinOptions;
}

/** Records each submission before it is sent, so that none is sent twice after a crash. */
export interface SubmissionRecord {
  /** A submission is about to be sent. `mark`: creation time of the newest job known, on the service's clock. */
  intent(key: string, attempt: number, mark: number): void;
  /** It certainly became no job. */
  refused(key: string): void;
}

/** What the caller knows about its own submissions. */
export interface OwnSubmissions<W extends Submission> {
  /** Whether one of them became this job. */
  isOwnJob(id: string): boolean;
  /** The same for each repetition of one attempt. */
  idempotencyKey(work: W): string;
}

/** Its identity for other processes: each attempt is a job of its own. */
export function sharedKey({ key, attempt }: Submission): string {
  return `${key} ${attempt}`;
}

/** The dispatcher repeats requests by its own rules, which consider all of them and know each lost answer. */
export const ONE_ATTEMPT = { retry: { budget: 0, patience: 0 } } as const satisfies CallOptions;
