import type { z } from 'zod';
import type { Note, RateLimit, RateLimitWindow } from '../../protocol/envelope.ts';
import type { JobPlan } from '../plans.ts';
import { jsonReply, type Reply } from '../replies.ts';
import type { DoubleRequest } from '../requests.ts';

/** The caller: the user whose key was sent, or anyone at an address. */
export type CallerKind = 'user' | 'anonymous';

/**
 * What is known while one request is answered: the published server keeps it on `req` and `res`. A limit that
 * was not looked up is absent, and answers contain zeros for it.
 */
export interface Visit {
  readonly request: DoubleRequest;
  /** When it is processed; milliseconds since the epoch, on the service's clock. */
  now: number;
  readonly caller: CallerKind;
  readonly traffic: Traffic;
  /** What a scenario decides about the submission. */
  readonly plan: JobPlan | undefined;
  readonly warnings: Note[];
  readonly links: Record<string, string>;
  readonly headers: Record<string, string>;
  nextRequest: number;
  minDelay: number;
  maxPerMinute: number;
  /** 0: no such limit is known. */
  maxPerHour: number;
  minute: Counted | undefined;
  hour: Counted | undefined;
}

export function note(code: string, message: string): Note {
  return { code, message };
}

/** `formatV2Response`: a success with what was collected on the way; it has no `errors`. */
export function success(
  { warnings, links, headers }: Visit,
  content: Record<string, unknown>,
  { status = 200, messages = [] }: { readonly status?: number; readonly messages?: readonly Note[] } = {},
): Reply {
  return jsonReply(status, { success: true, ...content, warnings, messages, links }, headers);
}

/** The published server's MineSkinError: one code and sentence, perhaps with its causes. */
export class HostedRefusal extends Error {
  readonly status: number;
  readonly errors: readonly Note[];

  constructor(status: number, code: string, message: string, ...causes: readonly Note[]) {
    super(message);
    this.status = status;
    this.errors = [note(code, message), ...causes];
  }
}

/** The errors of zod; the published server uses the codes of version 3. */
export class InvalidRequest extends Error {
  readonly issues: readonly Note[];

  constructor({ issues }: z.ZodError) {
    super('Validation error');
    this.issues = issues.map(({ code, message, path }) =>
      note(ZOD_3[code] ?? code, `${message} (${path.join('.')})`),
    );
  }
}

const ZOD_3: Readonly<Record<string, string>> = {
  invalid_format: 'invalid_string',
  invalid_value: 'invalid_enum_value',
};

/** @throws InvalidRequest */
export function parseOrRefuse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { data, error } = schema.safeParse(value);
  if (error) throw new InvalidRequest(error);
  return data as z.output<S>;
}

const SHORTEST_KEY = 64;
const BEARER = 'Bearer ';

/**
 * `verifyApiKey`: a header with another scheme counts as none, and without a key there is a warning.
 * @throws HostedRefusal
 */
export function verifyKey({ headers }: DoubleRequest, key: string): { caller: CallerKind; warnings: Note[] } {
  const { authorization } = headers;
  if (!authorization?.startsWith(BEARER) || authorization === BEARER)
    return { caller: 'anonymous', warnings: [note('no_api_key', 'No API Key provided')] };
  const sent = authorization.slice(BEARER.length);
  if (sent.length < SHORTEST_KEY) {
    const message = 'Invalid API Key Length';
    throw new HostedRefusal(403, 'invalid_api_key', message, note('invalid_api_key_length', message));
  }
  if (sent !== key) {
    const cause = note('api_key_not_found', 'API Key not found');
    throw new HostedRefusal(403, 'invalid_api_key', 'Invalid API Key', cause);
  }
  return { caller: 'user', warnings: [] };
}

export function newVisit(
  about: Pick<Visit, 'request' | 'now' | 'caller' | 'traffic' | 'plan' | 'warnings'>,
): Visit {
  const limits = { nextRequest: 0, minDelay: 0, maxPerMinute: 0, maxPerHour: 0 };
  return { ...about, links: {}, headers: {}, ...limits, minute: undefined, hour: undefined };
}

/** @throws HostedRefusal for callers without a key */
export function requireUser({ caller }: Visit): void {
  if (caller !== 'user') throw new HostedRefusal(401, 'unauthorized', 'Unauthorized');
}

/** The published server's feature flags: nothing is refused for a rate unless one of them says so. */
export interface HostedFlags {
  /** `generator.per_minute.block`: POSTs beyond the rate are refused, not only spread over time. */
  readonly blockPerMinute?: boolean | undefined;
  /** `generator.concurrency.block`: POSTs beyond `concurrency` unfinished jobs are refused. */
  readonly blockConcurrency?: boolean | undefined;
  /** `api.block_skin_generation`: generation is switched off; a text is the operator's message. */
  readonly blockGeneration?: boolean | string | undefined;
}

export interface RateRule {
  /** Submissions in a window. */
  readonly limit: number;
  /** Milliseconds; default: a minute. What the server counts in seconds is a sixtieth of it. */
  readonly window?: number | undefined;
  /**
   * Submissions in an hour, 100 in the published description's plan `free`; default: none, because the published
   * source looks none up.
   */
  readonly perHour?: number | undefined;
}

export const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How much of a window was used, and when it ends, in seconds since the epoch as in answers. */
export interface Counted {
  readonly used: number;
  readonly reset: number;
}

/** What the service counts of one caller. Times in milliseconds since the epoch, on the service's clock. */
export class Traffic {
  /** Milliseconds between requests; 0: the caller has no such limit. */
  readonly delay: number;
  #rule: RateRule | undefined;
  #minute = { endsAt: 0, used: 0 };
  #hour = { endsAt: 0, used: 0 };
  nextRequest = 0;

  constructor(rule: RateRule | undefined, delay = 0) {
    this.#rule = rule;
    this.delay = delay;
  }

  get rule(): RateRule | undefined {
    return this.#rule;
  }

  /** Changes the rule, or with undefined lifts it. */
  set rule(rule: RateRule | undefined) {
    this.#rule = rule;
    this.#minute = { endsAt: 0, used: 0 };
  }

  minute(now: number): Counted {
    const { window = MINUTE } = this.#rule ?? {};
    if (now >= this.#minute.endsAt) this.#minute = { endsAt: now + window, used: 0 };
    return counted(this.#minute);
  }

  hour(now: number): Counted {
    if (now >= this.#hour.endsAt) this.#hour = { endsAt: (Math.floor(now / HOUR) + 1) * HOUR, used: 0 };
    return counted(this.#hour);
  }

  count(now: number): void {
    this.minute(now);
    this.hour(now);
    this.#minute.used++;
    this.#hour.used++;
    if (this.delay > 0) this.nextRequest = Math.max(now, this.nextRequest) + this.delay;
  }
}

function counted({ endsAt, used }: { endsAt: number; used: number }): Counted {
  return { used, reset: Math.ceil(endsAt / 1000) };
}

/** `globalPerMinuteInitMiddleware`: looks up the rate limit and sends it in headers. */
export function lookUpRate(visit: Visit): void {
  const { traffic, now, headers } = visit;
  if (!traffic.rule) return;
  const { limit } = traffic.rule;
  visit.maxPerMinute = limit;
  visit.minute = traffic.minute(now);
  visit.hour = traffic.hour(now);
  visit.maxPerHour = traffic.rule.perHour ?? 0;
  const { used, reset } = visit.minute;
  headers['x-ratelimit-limit'] = `${limit}`;
  headers['x-ratelimit-remaining'] = `${limit - used}`;
  headers['x-ratelimit-reset'] = `${reset}`;
  if (used >= limit) visit.nextRequest = Math.max(visit.nextRequest, reset * 1000, now);
  if (isHourSpent(visit)) visit.nextRequest = Math.max(visit.nextRequest, visit.hour.reset * 1000);
}

function isHourSpent({ hour, maxPerHour }: Visit): boolean {
  return maxPerHour > 0 && hour !== undefined && hour.used >= maxPerHour;
}

/** `globalDelayInitMiddleware` */
export function lookUpDelay(visit: Visit): void {
  const { traffic, headers } = visit;
  if (traffic.delay === 0) return;
  visit.nextRequest = Math.max(visit.nextRequest, traffic.nextRequest);
  visit.minDelay = traffic.delay;
  headers['x-ratelimit-delay'] = `${visit.minDelay}`;
  headers['x-ratelimit-nextrequest'] = `${visit.nextRequest}`;
}

/**
 * `globalPerMinuteRateLimitMiddleware`: refuses if the flag is set, one request later than announced, and in any case
 * once the hourly quota is used up.
 */
export function blockRate(visit: Visit, flags: HostedFlags): void {
  const { minute, maxPerMinute, hour, maxPerHour } = visit;
  if (minute && flags.blockPerMinute && minute.used > maxPerMinute) refuseRate(visit, minute, maxPerMinute);
  if (hour && isHourSpent(visit)) refuseRate(visit, hour, maxPerHour);
}

function refuseRate({ now, headers }: Visit, { used, reset }: Counted, most: number): never {
  headers['retry-after'] = `${Math.ceil(reset - now / 1000)}`;
  throw new HostedRefusal(429, 'rate_limit', `rate limit exceeded, ${used} > ${most}`);
}

/** `globalDelayRateLimitMiddleware` */
export function blockDelay({ nextRequest, traffic, now, headers }: Visit): void {
  if (traffic.delay === 0 || nextRequest <= now) return;
  const wait = nextRequest - now;
  headers['retry-after'] = `${Math.round(wait / 1000)}`;
  throw new HostedRefusal(429, 'rate_limit', `request too soon, next request in ${wait}ms`);
}

/** `globalConcurrencyLimitMiddleware` */
export function blockConcurrency(concurrent: number, most: number, flags: HostedFlags): void {
  if (!flags.blockConcurrency || concurrent < most) return;
  const message = `concurrency limit exceeded, ${concurrent} > ${most}`;
  throw new HostedRefusal(429, 'concurrency_limit', message);
}

/** Counts a submission towards the rate limits, whatever its outcome: `v2SubmitGeneratorJob`. */
export function countSubmission(visit: Visit): void {
  const { traffic, now } = visit;
  traffic.count(now);
  if (traffic.delay > 0) visit.nextRequest = traffic.nextRequest;
  if (traffic.rule) visit.minute = traffic.minute(now);
  if (traffic.rule?.perHour) visit.hour = traffic.hour(now);
}

/**
 * `V2GenerateHandler.makeRateLimitInfo`: the hour's limit is 0 unless the options have one; the top of `limit`
 * repeats the minute. Tells the same in headers, and in a `Retry-After` where nothing remains of a 429.
 */
export function makeRateLimitInfo(visit: Visit, status: number): RateLimit {
  const { now, headers, minDelay } = visit;
  const minute = toldOfRateLimits(visit.minute, visit.maxPerMinute, now);
  if (minute.remaining <= 0)
    visit.nextRequest = Math.max(visit.nextRequest, (visit.minute?.reset ?? 0) * 1000, now);
  const absolute = visit.nextRequest || now;
  const relative = Math.max(0, absolute - now);
  headers['x-ratelimit-limit'] = `${minute.limit}`;
  headers['x-ratelimit-remaining'] = `${minute.remaining}`;
  headers['x-ratelimit-reset'] = `${minute.reset}`;
  headers['x-ratelimit-delay'] = `${minDelay}`;
  headers['x-ratelimit-nextrequest'] = `${absolute}`;
  if (minute.remaining <= 0 && status === 429) headers['retry-after'] = `${Math.ceil(relative / 1000)}`;
  return {
    next: { absolute, relative },
    delay: { millis: minDelay, seconds: minDelay / 1000 },
    limit: { ...minute, minute, hour: toldOfRateLimits(visit.hour, visit.maxPerHour, now) },
  };
}

function toldOfRateLimits(counted: Counted | undefined, limit: number, now: number): RateLimitWindow {
  const { used, reset } = counted ?? { used: 0, reset: Math.floor(now / 1000) };
  return { used, limit, remaining: Math.max(0, limit - used), reset };
}
