import { Refusal } from '../refusal.ts';
import { type LimitedRequest, rateLimitOf } from './rate-limit.ts';

interface Wait extends Pick<LimitedRequest, 'caller'> {
  readonly message: string;
  /** Milliseconds until the request would pass. */
  readonly wait: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The refusal of a request that exceeds a limit kept in memory. The store is not asked: refusing must cost little. */
export function waitRefusal(
  code: 'rate_limit' | 'concurrency_limit',
  { caller, message, wait, now }: Wait,
): Refusal {
  const nothing = { owner: caller.owner, turn: 0, spentAt: 0, generatedAt: 0, minute: [], hour: [] };
  const next = { absolute: now + wait, relative: wait };
  return new Refusal(code, { message, rateLimit: { ...rateLimitOf(nothing, caller, now), next } });
}
