import type { Dispatcher } from 'undici';
import type { Clock } from '../clock.ts';
import type { Note, RateLimit } from '../protocol/envelope.ts';
import type { Job } from '../protocol/job.ts';
import type { SeenSkin as Skin, SkinListItem, SkinVariant, SkinVisibility } from '../protocol/skin.ts';
import type { RetryPolicy } from './retry-timing.ts';

/** What to generate from. */
export type SkinSource =
  | { readonly file: Uint8Array; readonly fileName?: string }
  | { readonly url: string }
  | { readonly user: string };

/** What is to become of it. Absent: the service's defaults (variant detected, public, no name). */
export interface SkinOptions {
  readonly variant?: SkinVariant | undefined;
  readonly visibility?: SkinVisibility | undefined;
  readonly name?: string | undefined;
  /** UUID of a cape that the service knows, to go with the skin. */
  readonly cape?: string | undefined;
  /** URL that skinsmith's own service tells of the job's end, see `verifyWebhook`. */
  readonly callback?: string | undefined;
}

/** One submission of several. */
export interface QueueItem {
  readonly source: SkinSource;
  readonly options?: SkinOptions | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Names a submission (1 to 255 printable ASCII characters), so that skinsmith's own service takes it for
   * the same when it comes again. Other services and other calls do not mind it.
   */
  readonly idempotencyKey?: string | undefined;
  /** Overrides the client's policy for this call; `{budget: 0, patience: 0}`: one attempt. */
  readonly retry?: Partial<RetryPolicy> | undefined;
}

/** What was said around an answer. */
export interface Spoken {
  readonly warnings: readonly Note[];
  readonly messages: readonly Note[];
  /** Relative addresses by what is there, `job` and `events` for example. */
  readonly links: Readonly<Record<string, string>>;
  readonly rateLimit: RateLimit | undefined;
}

export interface GeneratedSkin extends Spoken {
  readonly skin: Skin;
  /** Id of the job that made it, where the service says. */
  readonly job: string | undefined;
}

/** `skin` is there once the job is completed; `errors` say why it failed. */
export interface JobState extends Spoken {
  readonly job: Job;
  readonly skin: Skin | undefined;
  readonly errors: readonly Note[];
}

/** What became of one submission of several: `errors` say why it was not taken. */
export interface QueuedItem {
  readonly success: boolean;
  readonly job: Job | undefined;
  /** There when the skin exists already. */
  readonly skin: Skin | undefined;
  readonly errors: readonly Note[];
  readonly warnings: readonly Note[];
}

export interface QueuedBatch extends Spoken {
  /** One for each submission, in their order. */
  readonly items: readonly QueuedItem[];
}

/** What a service that tells of jobs tells: first the pending ones, then each as it is accepted and ends. */
export type JobEvent =
  | { readonly type: 'jobs'; readonly jobs: readonly Job[] }
  | { readonly type: 'job'; readonly state: JobState };

/** Which page of a list. */
export interface PageQuery {
  /** `next` of the page before. */
  readonly after?: string | undefined;
  /** 1 to 128. */
  readonly size?: number | undefined;
  /** Words, all of which must be in the name; how they are looked for is the service's own. */
  readonly filter?: string | undefined;
}

export interface SkinPage {
  readonly skins: readonly SkinListItem[];
  /** `after` for the next page; undefined on the last. */
  readonly next: string | undefined;
}

/** A request as it went over the wire, for logs. No key, no body. */
export interface RequestReport {
  readonly method: string;
  readonly path: string;
  /** HTTP status; absent when no answer came. */
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  readonly milliseconds: number;
}

export interface SkinClientOptions {
  /** The service's root, with or without `/v2` at its end. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Names your program to the service. */
  readonly userAgent?: string | undefined;
  /** Milliseconds one attempt may take. */
  readonly timeout?: number;
  readonly retry?: Partial<RetryPolicy>;
  /** Milliseconds between looks at a pending job, at the most. */
  readonly pollInterval?: number | undefined;
  readonly onRequest?: (report: RequestReport) => void;
  /** Told before each pause: what went wrong and how long it waits, in milliseconds. */
  readonly onRetry?: (report: { readonly message: string; readonly pause: number }) => void;
  /** Time and chance, for tests. */
  readonly clock?: Clock;
  readonly random?: () => number;
  /** undici dispatcher to send through (proxies, tests); the client does not close it. */
  readonly dispatcher?: Dispatcher;
}
