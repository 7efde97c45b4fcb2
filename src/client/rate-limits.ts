/**
 * Interprets the service's `rateLimit`. A part that is missing, null, impossible, or a limit of zero is
 * ignored; the other parts still count.
 */

type Maybe<T> = T | null | undefined;

/** One window of `rateLimit.limit`. */
interface ToldWindow {
  readonly limit?: Maybe<number>;
  readonly remaining?: Maybe<number>;
  /** Seconds since the epoch, by the service's clock. */
  readonly reset?: Maybe<number>;
}

/** The parts of `rateLimit` that are read here. */
export interface ToldLimits {
  /** When the next request may be sent, milliseconds; `absolute` is by the service's clock. */
  readonly next?: Maybe<{ readonly absolute?: Maybe<number>; readonly relative?: Maybe<number> }>;
  readonly limit?: Maybe<
    ToldWindow & { readonly minute?: Maybe<ToldWindow>; readonly hour?: Maybe<ToldWindow> }
  >;
}

/** What an answer says about when to try again. */
export interface Told {
  /** Milliseconds, from `Retry-After`. */
  readonly retryAfter?: number | undefined;
  readonly rateLimit?: ToldLimits | undefined;
}

/** A time window that allows a limited number of submissions. */
export interface LimitWindow {
  /** Length in milliseconds. */
  readonly span: number;
  readonly limit: number;
  /** Never below 0. */
  readonly remaining: number;
  /** Milliseconds until it ends; undefined if missing or impossible. */
  readonly endsIn: number | undefined;
}

const MINUTE = 60_000;
const HOUR = 3_600_000;
/** Milliseconds by which the end of a window may seem too late: it is told in whole seconds, and so is the clock. */
const ROUNDING = 2_000;
/** Epoch times below this are in seconds, those above in milliseconds. */
const MILLISECONDS_FROM = 1e11;

/** The windows the answer names. A limit that is missing, null, 0 or less means no window. `now`: the service's clock. */
export function limitWindows(told: ToldLimits | undefined, now: number): LimitWindow[] {
  const { limit } = told ?? {};
  const windows = [readWindow(limit?.minute ?? limit, MINUTE, now), readWindow(limit?.hour, HOUR, now)];
  return windows.filter((window) => window !== undefined);
}

function readWindow(window: Maybe<ToldWindow>, span: number, now: number): LimitWindow | undefined {
  const { limit, remaining, reset } = window ?? {};
  if (!isNumber(limit) || limit <= 0 || !isNumber(remaining)) return undefined;
  const endsAt = isNumber(reset) ? reset * (reset < MILLISECONDS_FROM ? 1000 : 1) : Number.NaN;
  return { span, limit, remaining: Math.max(0, remaining), endsIn: possible(endsAt - now, span + ROUNDING) };
}

/**
 * Milliseconds before a refused request may be sent again; undefined if the answer does not say. In order:
 * `Retry-After`; `next.relative`, which needs no synchronized clocks; `next.absolute` if nothing else is
 * there; the end of an exhausted window. `now`: the service's clock.
 */
export function refusedWait({ retryAfter, rateLimit }: Told, now: number): number | undefined {
  if (retryAfter !== undefined && retryAfter > 0) return retryAfter;
  const { relative, absolute } = rateLimit?.next ?? {};
  if (isNumber(relative) && relative > 0) return relative;
  const byMoment = isNumber(absolute) && !isNumber(relative) ? possible(absolute - now, HOUR) : undefined;
  const ends = limitWindows(rateLimit, now).map(({ remaining, endsIn }) =>
    remaining === 0 ? endsIn : undefined,
  );
  const waits = [byMoment, ...ends].filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function possible(wait: number, longest: number): number | undefined {
  return wait > 0 && wait <= longest ? wait : undefined;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
