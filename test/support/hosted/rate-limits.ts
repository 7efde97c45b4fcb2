import type { HostedFlags } from './options.ts';
import { HostedRefusal } from './refusals.ts';
import type { Counted } from './traffic.ts';
import type { Visit } from './visit.ts';

/** `globalPerMinuteInitMiddleware`: looks the rate limit up and tells it in headers. */
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

/** `globalPerMinuteRateLimitMiddleware`: refuses when the flag says so, one request later than told. */
export function blockRate({ minute, maxPerMinute, now, headers }: Visit, flags: HostedFlags): void {
  if (!minute || !flags.blockPerMinute || minute.used <= maxPerMinute) return;
  headers['retry-after'] = `${Math.ceil(minute.reset - now / 1000)}`;
  throw new HostedRefusal(429, 'rate_limit', `rate limit exceeded, ${minute.used} > ${maxPerMinute}`);
}

/** As the service answers once the quota of the hour is used up. */
export function blockHour(visit: Visit): void {
  const { hour, maxPerHour, now, headers } = visit;
  if (!hour || !isHourSpent(visit)) return;
  headers['retry-after'] = `${Math.ceil(hour.reset - now / 1000)}`;
  throw new HostedRefusal(429, 'rate_limit', `rate limit exceeded, ${hour.used} > ${maxPerHour}`);
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

/** The rate limiting that a submission counts for, whatever becomes of it: `v2SubmitGeneratorJob`. */
export function countSubmission(visit: Visit): void {
  const { traffic, now } = visit;
  traffic.count(now);
  if (traffic.delay > 0) visit.nextRequest = traffic.nextRequest;
  if (traffic.rule) visit.minute = traffic.minute(now);
  if (traffic.rule?.perHour) visit.hour = traffic.hour(now);
}

interface ToldWindow extends Counted {
  readonly limit: number;
  readonly remaining: number;
}

/** `rateLimit` as answers to POSTs and refusals carry it. */
interface ToldRateLimit {
  readonly next: { readonly absolute: number; readonly relative: number };
  readonly delay: { readonly millis: number; readonly seconds: number };
  readonly limit: ToldWindow & { readonly minute: ToldWindow; readonly hour: ToldWindow };
}

/**
 * `V2GenerateHandler.makeRateLimitInfo`: the hour's limit is 0 unless the options have one; the top of `limit`
 * repeats the minute. Tells the same in headers, and in a `Retry-After` where nothing remains of a 429.
 */
export function makeRateLimitInfo(visit: Visit, status: number): ToldRateLimit {
  const { now, headers, minDelay } = visit;
  const minute = told(visit.minute, visit.maxPerMinute, now);
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
    limit: { ...minute, minute, hour: told(visit.hour, visit.maxPerHour, now) },
  };
}

function told(counted: Counted | undefined, limit: number, now: number): ToldWindow {
  const { used, reset } = counted ?? { used: 0, reset: Math.floor(now / 1000) };
  return { used, limit, remaining: Math.max(0, limit - used), reset };
}
