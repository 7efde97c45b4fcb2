import type { Clock } from '../base/clock.ts';
import type { Note, ReceivedRateLimit } from '../protocol/envelope.ts';
import type { Job, JobStatus } from '../protocol/job.ts';
import type { ReceivedSkin as Skin, SkinListItem, SkinVariant, SkinVisibility } from '../protocol/skin.ts';
import type { RetryPolicy } from './rate-limits.ts';
import type { Fetch, RequestDispatcher, ResolveHost } from './transport.ts';

/** The bytes of a PNG file. A Buffer is a Uint8Array; an upload's File, and what `fs.openAsBlob` opens, are Blobs. */
export type SkinFile = Uint8Array | ArrayBuffer | Blob;

/**
 * What to generate the skin from: a PNG (64×64 or 64×32 pixels, at most 20,000 bytes); an http(s) URL of one, or a
 * `data:` URL; or a player, by UUID (our own service also takes names).
 */
export type SkinSource =
  /** `fileName` default: a File's own name, else `skin.png`. */
  | { readonly file: SkinFile; readonly fileName?: string | undefined }
  /** The service fetches it. */
  | { readonly url: string }
  | { readonly user: string };

/** Options of the skin. Absent ones take the service's defaults (variant detected, public, no name). */
export interface SkinOptions {
  /** `classic` for arms of four pixels, `slim` for three. Default: detected from the picture. */
  readonly variant?: SkinVariant | undefined;
  /** `public`: in the gallery; `unlisted`: for all who have its UUID; `private`: for its owner. Default: `public`. */
  readonly visibility?: SkinVisibility | undefined;
  /** Name of the skin. `skinNameProblem` says whether a service takes it. Default: none. */
  readonly name?: string | undefined;
  /** UUID of a cape known to the service, to combine with the skin. */
  readonly cape?: string | undefined;
  /** URL that skinsmith's own service calls when the job ends, see `verifyWebhook`. */
  readonly callback?: string | undefined;
}

/** One submission of several. */
export interface QueueItem {
  readonly source: SkinSource;
  readonly options?: SkinOptions | undefined;
}

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call, and the pauses between its attempts; it then throws the signal's reason. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Identifies a submission (1 to 255 printable ASCII characters), so that skinsmith's own service treats a
   * repetition as the same submission. Other services and calls ignore it.
   */
  readonly idempotencyKey?: string | undefined;
  /** Overrides the client's policy for this call; `{budget: 0, patience: 0}`: one attempt. */
  readonly retry?: Partial<RetryPolicy> | undefined;
}

/** Additional information in an answer. */
export interface AnswerNotes {
  readonly warnings: readonly Note[];
  readonly messages: readonly Note[];
  /** Relative URLs by name, for example `job` and `events`. */
  readonly links: Readonly<Record<string, string>>;
  readonly rateLimit: ReceivedRateLimit | undefined;
}

/** A skin that is ready, with what the service says about it. */
export interface GeneratedSkin extends AnswerNotes {
  readonly skin: Skin;
  /** Id of the job that made it, if the service says so. */
  readonly job: string | undefined;
}

/** A job as it is now: `skin` is present once the job is completed; `errors` say why it failed. */
export interface JobAnswer extends AnswerNotes {
  readonly job: Job;
  readonly skin: Skin | undefined;
  readonly errors: readonly Note[];
}

/** The result of one submission of several: `errors` say why it was refused. */
export interface QueuedItem {
  readonly success: boolean;
  readonly job: Job | undefined;
  /** Present if the skin already exists. */
  readonly skin: Skin | undefined;
  readonly errors: readonly Note[];
  readonly warnings: readonly Note[];
}

/** The answer to several submissions at once. */
export interface QueuedBatch extends AnswerNotes {
  /** One per submission, in order. */
  readonly items: readonly QueuedItem[];
}

/** What an event stream reports: first the pending jobs, then each job as it is accepted and ends. */
export type JobEvent =
  | { readonly type: 'jobs'; readonly jobs: readonly Job[] }
  | { readonly type: 'job'; readonly state: JobAnswer };

/** Selects a page of a list. */
export interface PageQuery {
  /** `next` of the previous page; if the service does not know it any more, `ServiceError` `anchor_not_found`. */
  readonly after?: string | undefined;
  /** 1 to 128. */
  readonly size?: number | undefined;
  /** Words that the name must all contain; matching rules are the service's own. */
  readonly filter?: string | undefined;
  /** The following are skinsmith only. */
  readonly variant?: 'classic' | 'slim' | undefined;
  /** A tag that the skins have. skinsmith only. */
  readonly tag?: string | undefined;
  /** `popular`: the most viewed first; `week`: those most viewed in the last seven days, public ones only. */
  readonly sort?: 'newest' | 'popular' | 'week' | undefined;
  /** For the caller's own skins only. */
  readonly visibility?: SkinVisibility | undefined;
}

/** `zip`: pictures, and a `skins.lock` with the skin data; `lock`: that lockfile only. */
export type SkinExportFormat = 'zip' | 'lock';

/** Selects which of the caller's skins are exported. `after`: where an earlier export ended. */
export type SkinExportQuery = Pick<PageQuery, 'after' | 'filter' | 'variant' | 'tag' | 'visibility'>;

/** Selects a page of the caller's jobs. Services without pages ignore it and return a single page. */
export interface JobPageQuery {
  /** `next` of the previous page. */
  readonly after?: string | undefined;
  /** 1 to 500. */
  readonly size?: number | undefined;
  /** Only jobs in this state. skinsmith only. */
  readonly status?: JobStatus | undefined;
}

/** The jobs that GET /v2/queue lists, and its links by name. */
export interface JobList {
  readonly jobs: readonly Job[];
  readonly links: Readonly<Record<string, string>>;
}

/** A page of the caller's jobs, newest first. */
export interface JobPage {
  readonly jobs: readonly Job[];
  /** `after` for the next page; undefined on the last. */
  readonly next: string | undefined;
  /** Jobs on all pages; a skinsmith service gives it on the first one, unless there are too many to count. */
  readonly total?: number;
}

/** A page of a list of skins. It may hold fewer skins than were requested, though it is not the last. */
export interface SkinPage {
  readonly skins: readonly SkinListItem[];
  /** `after` for the next page; undefined on the last. */
  readonly next: string | undefined;
  /** Skins on all pages; a skinsmith service gives it on the first one, unless there are too many to count. */
  readonly total?: number;
}

/** The outcome for several skins. */
export interface BulkEdited {
  /** UUIDs of those that were changed or removed. */
  readonly done: readonly string[];
  /** UUIDs of those that are not the caller's skins. */
  readonly missing: readonly string[];
}

export interface SkinDeletion {
  /** Takes the skins off the caller's player names, which otherwise go on wearing them. */
  readonly undress?: boolean | undefined;
}

/** The outcome of changing several skins. */
export interface SkinsEdited extends BulkEdited {
  /** Those that were changed, as lists show them. */
  readonly skins: readonly SkinListItem[];
}

/** A request as sent, for logs. No key, no body. */
export interface RequestReport {
  readonly method: string;
  readonly path: string;
  /** HTTP status; absent if no answer arrived. */
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  /** Invalid fields of the answer that were ignored, such as `job.eta: …`. */
  readonly odd?: readonly string[];
  readonly milliseconds: number;
}

/** Callbacks about single attempts. */
interface AttemptHooks {
  /** Called before each attempt. `place`: the service's root, or another host that has a texture; `timeout`: milliseconds. */
  readonly onSend?: ((attempt: { readonly place: string; readonly timeout: number }) => void) | undefined;
  /** Called after each attempt with its outcome. Fields of answers are only examined for `odd` if this is given. */
  readonly onRequest?: ((report: RequestReport) => void) | undefined;
  /** Called after each attempt, whether it has succeeded or failed. */
  readonly onEnd?: (() => void) | undefined;
  /** Called before each pause with the error and the length of the pause in milliseconds. */
  readonly onRetry?: ((report: { readonly message: string; readonly pause: number }) => void) | undefined;
}

/** The service that a client is for, the caller's key, and how requests are sent and retried. */
export interface SkinClientOptions extends AttemptHooks {
  /** The service's root, with or without `/v2` at its end. Required unless `fetch` is given. */
  readonly baseUrl?: string | undefined;
  /** Surrounding white space is ignored; without a key, or with an empty one, the caller is anonymous. */
  readonly apiKey?: string | undefined;
  /** Send the API key over plain http even to public addresses, where anyone on the network path can read it. Default: false. */
  readonly insecureHttp?: boolean | undefined;
  /** Identifies your program to the service. */
  readonly userAgent?: string | undefined;
  /** Timeout per attempt, milliseconds; `Infinity`: none. Default: 20,000; `generate` has a minute more. */
  readonly timeout?: number | undefined;
  /** Replaces single values of the default policy. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Longest pause between polls of a pending job, milliseconds. Default: 5,000; less than 1,100 counts as 1,100. */
  readonly pollInterval?: number | undefined;
  /** Clock, for tests. Default: the machine's. */
  readonly clock?: Clock | undefined;
  /** Numbers from 0 to 1 that spread pauses, for tests. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Host name resolver, for tests. */
  readonly resolve?: ResolveHost | undefined;
  /** undici dispatcher to send through (proxies, tests), of any version of undici; the client does not close it. */
  readonly dispatcher?: RequestDispatcher | undefined;
  /** The same for textures on other hosts, whose addresses the service or skin data names. Default: `dispatcher`. */
  readonly textureDispatcher?: RequestDispatcher | undefined;
  /** Answers requests in place of the network: `fetch` of a service that `openService` has opened. Textures on other hosts still come over the network. */
  readonly fetch?: Fetch | undefined;
}

/** A page of a list. */
export interface Listed<T> {
  readonly entries: readonly T[];
  /** `after` for the next page; undefined on the last. */
  readonly next: string | undefined;
}
