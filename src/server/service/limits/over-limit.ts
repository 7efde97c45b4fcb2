import { isPending } from '../../../protocol/job.ts';
import { HOUR, MINUTE, spendOne } from '../../fairness.ts';
import { opensAt, sharedOpensAt, spendShared } from '../../queue/enqueue.ts';
import { listJobs } from '../../queue/lists.ts';
import type { OverLimit } from '../../queue/port.ts';
import { recallCaller, rememberCaller } from '../../store/callers.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import { lockOwner } from '../../store/locks.ts';
import type { JobRow } from '../../store/schema/tables.ts';
import type { Caller } from '../callers/caller.ts';
import { expectedEnd, type ForecastContext } from '../forecast.ts';
import { Refusal } from '../refusal.ts';
import { type LimitedRequest, rateLimitOf } from './rate-limit.ts';

/** Bytes: enough for weeks of a busy public service. */
export const MAX_STORE_BYTES = 10 * 1024 ** 3;

export interface StoreCeilingOptions {
  /** Bytes in use now. */
  readonly usedBytes: () => number;
  readonly maxBytes: number;
}

/** The size limit of the store. At the limit the service accepts nothing new, but still serves what it has. */
export class StoreCeiling {
  readonly #options: StoreCeilingOptions;

  constructor(options: StoreCeilingOptions) {
    this.#options = options;
  }

  get isReached(): boolean {
    const { usedBytes, maxBytes } = this.#options;
    return Number.isFinite(maxBytes) && usedBytes() >= maxBytes;
  }

  /** Bytes in use now, and their maximum; undefined: no limit. */
  get use(): { readonly used: number; readonly most: number | undefined } {
    const { usedBytes, maxBytes } = this.#options;
    return { used: usedBytes(), most: Number.isFinite(maxBytes) ? maxBytes : undefined };
  }

  /** Call before anything new is stored. @throws Refusal `store_full` */
  verifyRoom(): void {
    if (this.isReached) throw new Refusal('store_full');
  }
}

export interface SpendingContext extends ForecastContext {
  readonly db: Db;
}

/** Checks whether the caller may have another generation now. @throws Refusal `rate_limit` */
export async function requireRoom(context: SpendingContext, { caller, via }: LimitedRequest): Promise<void> {
  const now = context.clock.now();
  const { owner, plan } = caller;
  const memory = await recallCaller(context.db, owner, now);
  if (opensAt(memory, plan, { via, now }) > now) {
    throw await overLimitRefusal(context, { kind: 'too_fast', memory }, { caller, via });
  }
  const sharedAt = plan.together ? await sharedOpensAt(context.db, plan.together, now) : now;
  if (sharedAt <= now) return;
  throw await overLimitRefusal(context, { kind: 'crowded', opensAt: sharedAt, memory }, { caller, via });
}

/**
 * Charges the caller the cost of a generation for something that was not a job in the queue. Checks the limit in the
 * same step, because other requests of the caller may have used it up in the meantime. @throws Refusal `rate_limit`
 */
export async function spendGeneration(
  context: SpendingContext,
  { caller, via }: LimitedRequest,
): Promise<void> {
  const { db, clock } = context;
  const now = clock.now();
  const { owner, plan } = caller;
  const over = await inTransaction(db, async (tx): Promise<OverLimit | undefined> => {
    await lockOwner(tx, owner);
    if (plan.together) await lockOwner(tx, plan.together.owner);
    const memory = await recallCaller(tx, owner, now);
    if (opensAt(memory, plan, { via, now }) > now) return { kind: 'too_fast', memory };
    const sharedAt = plan.together ? await sharedOpensAt(tx, plan.together, now) : now;
    if (sharedAt > now) return { kind: 'crowded', opensAt: sharedAt, memory };
    if (plan.together) await spendShared(tx, plan.together, now);
    await rememberCaller(tx, {
      ...memory,
      minute: spendOne(memory.minute, MINUTE, now),
      hour: spendOne(memory.hour, HOUR, now),
      spentAt: now,
      ...(via === 'v1' && { generatedAt: now }),
    });
    return undefined;
  });
  if (over) throw await overLimitRefusal(context, over, { caller, via });
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
    const next = { absolute: over.opensAt, relative };
    return new Refusal('anonymous_limit', { headers, rateLimit: { ...rateLimit, next } });
  }
  const blocking = over.kind === 'busy' ? (job: JobRow) => job.via === via : undefined;
  const relative = Math.max(rateLimit.next.relative, await untilOneEnds(context, caller, blocking));
  const details = { rateLimit: { ...rateLimit, next: { absolute: now + relative, relative } } };
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
