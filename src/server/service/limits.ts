import type { RateLimit, RateLimitWindow } from '../../protocol/envelope.ts';
import type { ErrorCode } from '../../protocol/errors.ts';
import { isPending } from '../../protocol/job.ts';
import { emptyAt, HOUR, MINUTE, type Spent, totalOf, type WindowShape } from '../fairness.ts';
import { afterGeneration, opensAt, sharedOpensAt, spendShared, VIA_RULES } from '../queue/enqueue.ts';
import { listJobs } from '../queue/lists.ts';
import type { OverLimit } from '../queue/port.ts';
import { type CallerMemory, currentMemory, recallCaller, rememberCaller } from '../store/callers.ts';
import { type Db, inTransaction } from '../store/db.ts';
import { lockOwner } from '../store/locks.ts';
import type { JobRow, Via } from '../store/schema/tables.ts';
import type { Caller, StoreContext } from './callers.ts';
import { expectedEnd, type ForecastContext } from './forecast.ts';
import { Refusal } from './refusal.ts';

/** A request to which a caller's limits apply. */
export interface LimitedRequest {
  readonly caller: Caller;
  /** The route by which it came; the rules depend on it. */
  readonly via: Via;
}

/** The caller's current rate limit for another request by `via`. */
export async function readRateLimit(
  db: Db,
  caller: Caller,
  now: number,
  via: Via = 'queue',
): Promise<RateLimit> {
  return rateLimitOf(await recallCaller(db, caller.owner, now), caller, now, via);
}

export function rateLimitOf(
  remembered: CallerMemory,
  { plan }: Caller,
  now: number,
  via: Via = 'queue',
): RateLimit {
  const memory = currentMemory(remembered, now);
  const next = opensAt(memory, plan, { via, now });
  const delay = VIA_RULES[via].delay(plan);
  const minute = windowOf(memory.minute, MINUTE, { limit: plan.perMinute, now });
  return {
    next: { absolute: next, relative: next - now },
    delay: { millis: delay, seconds: Math.ceil(delay / 1000) },
    limit: { ...minute, minute, hour: windowOf(memory.hour, HOUR, { limit: plan.perHour, now }) },
  };
}

/** The same limit, where the next request may come after `wait` milliseconds. */
export function withWait(rateLimit: RateLimit, wait: number, now: number): RateLimit {
  return { ...rateLimit, next: { absolute: now + wait, relative: wait } };
}

/** `reset`: when the whole limit is available again. */
function windowOf(
  spent: Spent,
  shape: WindowShape,
  { limit, now }: { limit: number; now: number },
): RateLimitWindow {
  const used = totalOf(spent);
  const reset = Math.ceil(emptyAt(spent, shape, now) / 1000);
  return { limit, remaining: Math.max(0, limit - used), used, reset };
}

/**
 * Errors without a rate limit: the request is malformed, the caller is no longer known, or the store should not be
 * queried again.
 */
const UNTOLD: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'validation_error',
  'invalid_api_key',
  'internal_error',
  'service_unavailable',
  'store_unreachable',
]);

/**
 * The same error with the caller's rate limit, as clients of version 2 expect. A 429 stays as it is, because it has
 * its own wait.
 */
export async function withLimits(context: StoreContext, error: unknown, caller: Caller): Promise<unknown> {
  if (!(error instanceof Refusal) || !lacksLimits(error)) return error;
  try {
    return error.with({ rateLimit: await readRateLimit(context.db, caller, context.clock.now()) });
  } catch {
    return error; // why the request was refused matters more
  }
}

function lacksLimits({ code, status, details }: Refusal): boolean {
  return details.rateLimit === undefined && status !== 429 && !UNTOLD.has(code);
}

/**
 * Decides whether the request goes through the queue: the caller's key may require it for all requests, and each
 * request may ask for it.
 */
export function viaFor(caller: Caller, isAskedFor: boolean): Via {
  const isSetting = caller.kind === 'user' && caller.key?.v2Compat === true;
  return isAskedFor || isSetting ? 'queue' : 'v1';
}

/**
 * The wait after a new skin in an answer, in milliseconds: the whole delay, although it started when the request was
 * accepted. Old clients measure it from different moments, and none of them may retry too early.
 */
export function waitAfterNew({ next, delay }: RateLimit): number {
  return Math.max(next.relative, delay.millis);
}

/** Errors after which the store should not be queried again. */
const OURS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['internal_error', 'service_unavailable']);

/** The same refusal, with the time at which the next request may come and the rules that applied to it. */
export async function refusalWithPace(
  context: StoreContext,
  refusal: Refusal,
  { caller, via, headers }: LimitedRequest & { readonly headers: Readonly<Record<string, string>> },
): Promise<Refusal> {
  const { code, details } = refusal;
  const isTold = OURS.has(code) || details.rateLimit !== undefined;
  if (isTold) return refusal.with({ headers: { ...details.headers, ...headers } });
  const rateLimit = await readRateLimit(context.db, caller, context.clock.now(), via);
  return refusal.with({ headers, rateLimit });
}

/** Bytes: enough for weeks of a busy public service. */
export const MAX_STORE_BYTES = 10 * 1024 ** 3;

/** The size limit of the store. At the limit the service accepts nothing new, but still serves what it has. */
export class StoreCeiling {
  readonly #usedBytes: () => number;
  readonly #maxBytes: number;

  constructor(usedBytes: () => number, maxBytes: number) {
    this.#usedBytes = usedBytes;
    this.#maxBytes = maxBytes;
  }

  get isReached(): boolean {
    return Number.isFinite(this.#maxBytes) && this.#usedBytes() >= this.#maxBytes;
  }

  /** Bytes in use now, and their maximum; undefined: no limit. */
  get use(): { readonly used: number; readonly most: number | undefined } {
    return { used: this.#usedBytes(), most: Number.isFinite(this.#maxBytes) ? this.#maxBytes : undefined };
  }

  /** Call before anything new is stored. @throws Refusal `store_full` */
  verifyRoom(): void {
    if (this.isReached) throw new Refusal('store_full');
  }
}

/** What it takes to store something new. */
export interface CeilingContext extends StoreContext {
  readonly ceiling: StoreCeiling;
}

/** Checks whether the caller may have another generation now. @throws Refusal `rate_limit` */
export async function requireRoom(context: ForecastContext, request: LimitedRequest): Promise<void> {
  const { over } = await findSpending(context.db, request, context.clock.now());
  if (over) throw await overLimitRefusal(context, over, request);
}

/** What the caller has spent, and the limit that refuses another generation now, if there is one. */
async function findSpending(
  db: Db,
  { caller: { owner, plan }, via }: LimitedRequest,
  now: number,
): Promise<{ readonly memory: CallerMemory; readonly over?: OverLimit }> {
  const memory = await recallCaller(db, owner, now);
  if (opensAt(memory, plan, { via, now }) > now) return { memory, over: { kind: 'too_fast', memory } };
  const sharedAt = plan.together ? await sharedOpensAt(db, plan.together, now) : now;
  return sharedAt > now ? { memory, over: { kind: 'crowded', opensAt: sharedAt, memory } } : { memory };
}

/**
 * Charges the caller the cost of a generation for something that was not a job in the queue. Checks the limit in the
 * same step, because other requests of the caller may have used it up in the meantime. @throws Refusal `rate_limit`
 */
export async function spendGeneration(context: ForecastContext, request: LimitedRequest): Promise<void> {
  const now = context.clock.now();
  const { owner, plan } = request.caller;
  const over = await inTransaction(context.db, async (tx) => {
    await lockOwner(tx, owner);
    if (plan.together) await lockOwner(tx, plan.together.owner);
    const spending = await findSpending(tx, request, now);
    if (spending.over) return spending.over;
    if (plan.together) await spendShared(tx, plan.together, now);
    await rememberCaller(tx, afterGeneration(spending.memory, request.via, now));
    return undefined;
  });
  if (over) throw await overLimitRefusal(context, over, request);
}

/** Shortest wait for a job whose end is overdue or unknown, in milliseconds. */
const LEAST_WAIT = 1_000;
/** Added to an expected end, so that the slot is free by then: a share of the remaining time, and milliseconds. */
const MARGIN = { share: 0.1, ms: 100 } as const;

/** The refusal for a caller over a limit: the reason, and when to retry. */
export async function overLimitRefusal(
  context: ForecastContext,
  over: OverLimit,
  { caller, via }: LimitedRequest,
): Promise<Refusal> {
  const now = context.clock.now();
  const rateLimit = rateLimitOf(over.memory, caller, now, via);
  if (over.kind === 'too_fast') return new Refusal('rate_limit', { rateLimit });
  if (over.kind === 'crowded') {
    const relative = over.opensAt - now;
    const headers = { 'Retry-After': String(Math.ceil(relative / 1000)) };
    return new Refusal('anonymous_limit', { headers, rateLimit: withWait(rateLimit, relative, now) });
  }
  const blocking = over.kind === 'busy' ? (job: JobRow) => job.via === via : undefined;
  const relative = Math.max(rateLimit.next.relative, await untilOneEnds(context, caller, blocking));
  const details = { rateLimit: withWait(rateLimit, relative, now) };
  if (over.kind === 'full') {
    const message = `All ${over.pending} of your slots in the queue are taken; send more as jobs finish.`;
    return new Refusal('job_limit', { ...details, message });
  }
  const message = `Wait for your ${over.running === 1 ? 'generation' : `${over.running} generations`} under way to end, or use the queue.`;
  return new Refusal('concurrency_limit', { ...details, message });
}

/** Milliseconds until the first of the caller's pending jobs of this kind ends, as far as is known. */
export async function untilOneEnds(
  context: ForecastContext,
  { owner }: Caller,
  isBlocking: (job: JobRow) => boolean = () => true,
): Promise<number> {
  const jobs = await listJobs(context.db, owner, 1);
  const oldest = jobs.findLast((job) => isPending(job.status) && isBlocking(job));
  if (!oldest) return LEAST_WAIT;
  const now = context.clock.now();
  const expected = ((await expectedEnd(context, oldest)) ?? now) - now;
  if (expected > 0) return Math.ceil(expected * (1 + MARGIN.share)) + MARGIN.ms;
  // A job that has taken some time may well take as much again.
  return Math.max(LEAST_WAIT, now - oldest.created_at);
}

/**
 * The refusal in the form of POST /v2/generate. Its clients wait and retry if the first code is `rate_limit`, and give
 * up on any other. Some take the wait from the message.
 */
export function asRateLimitRefusal(refusal: Refusal): Refusal {
  const { code, cause, details } = refusal;
  if (code !== 'job_limit' && code !== 'rate_limit') return refusal;
  const { notes = [] } = details;
  const first = code === 'job_limit' ? [{ code, message: refusal.message }] : [];
  return new Refusal('rate_limit', {
    ...details,
    message: messageWithWait(refusal),
    cause,
    notes: [...first, ...notes],
  });
}

/** As the hosted service words it. */
function messageWithWait({ message, details: { rateLimit } }: Refusal): string {
  if (!rateLimit) return message;
  return `${message.replace(/\.$/, '')}, next request in ${Math.ceil(rateLimit.next.relative)}ms`;
}
