import type { Clock } from '../../../base/clock.ts';
import { HOUR, MINUTE, roomAt } from '../../fairness/sliding-window.ts';
import { recallCaller } from '../../store/callers.ts';
import type { Db } from '../../store/db.ts';
import type { Caller } from '../callers/caller.ts';
import { rateLimitOf } from '../limits/rate-limit.ts';
import { Refusal } from '../refusals/refusal.ts';

/**
 * Whether the caller may send `size` generations in one request now. All count as new; those whose skins exist are
 * free in the end.
 * @throws Refusal `insufficient_grants`; `rate_limit` with the time from which they fit into its windows
 */
export async function verifyBatchAllowed(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  caller: Caller,
  size: number,
): Promise<void> {
  const { plan } = caller;
  if (!plan.batchGeneration) {
    throw new Refusal(
      'insufficient_grants',
      `The plan ${plan.name} does not include batches: send one at a time.`,
    );
  }
  const now = clock.now();
  const memory = await recallCaller(db, caller.owner, now);
  const absolute = Math.max(
    roomAt(memory.minute, MINUTE, plan.perMinute - size + 1, now),
    roomAt(memory.hour, HOUR, plan.perHour - size + 1, now),
  );
  if (absolute <= now) return;
  const rateLimit = { ...rateLimitOf(memory, caller, now), next: { absolute, relative: absolute - now } };
  const message = `${size} generations exceed your remaining limit: send fewer, or wait.`;
  throw new Refusal('rate_limit', { message, rateLimit });
}

/**
 * The idempotency key of one item of a batch with a key. It contains a line break, which no header can, so no other
 * request has it.
 */
export function itemKey(batchKey: string | undefined, index: number): string | undefined {
  return batchKey === undefined ? undefined : `${batchKey}\n${index}`;
}
