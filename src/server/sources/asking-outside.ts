import type { ServiceContext } from '../service/context.ts';
import { rateLimitOf } from '../service/rate-limit.ts';
import { Refusal } from '../service/refusal.ts';
import { recallCaller } from '../store/callers.ts';
import type { Asking } from './source.ts';

/**
 * Does something that asks servers of others for a caller, within what the caller may have of that.
 * @throws Refusal `concurrency_limit`, `rate_limit`, `service_unavailable`; what `ask` throws
 */
export async function askingOutside<T>(
  context: ServiceContext,
  { caller, via }: Asking,
  ask: () => Promise<T>,
): Promise<T> {
  const now = context.clock.now();
  const { owner, plan } = caller;
  const entered = context.fetches.enter({ owner, perMinute: plan.perMinute, now });
  if (entered.kind === 'entered') {
    try {
      return await ask();
    } finally {
      entered.leave();
    }
  }
  if (entered.kind === 'crowded') {
    throw new Refusal(
      'service_unavailable',
      'Too many pictures are being fetched now: try again in a moment.',
    );
  }
  const rateLimit = rateLimitOf(await recallCaller(context.db, owner, now), caller, now, via);
  if (entered.kind === 'too_fast') {
    const next = { absolute: entered.at, relative: entered.at - now };
    const message = `${plan.perMinute} URLs and players in a minute is the most you may have fetched.`;
    throw new Refusal('rate_limit', { message, rateLimit: { ...rateLimit, next } });
  }
  const message = 'Too many of your pictures and players are being fetched at the same time.';
  throw new Refusal('concurrency_limit', { message, rateLimit });
}
