import type { OverLimit } from '../queue/port.ts';
import type { Via } from '../store/tables.ts';
import type { Caller } from './caller.ts';
import { rateLimitOf } from './rate-limit.ts';
import { Refusal } from './refusal.ts';

/**
 * What a caller is told that a limit stands against. When a spot opens nobody knows, so there `next` says when the
 * windows and the delay allow another request.
 */
export function overLimitRefusal(
  over: OverLimit,
  { caller, via, now }: { caller: Caller; via: Via; now: number },
): Refusal {
  const rateLimit = rateLimitOf(over.memory, caller, now, via);
  switch (over.kind) {
    case 'too_fast':
      return new Refusal('rate_limit', { rateLimit });
    case 'busy': {
      const message = `Wait for your ${over.running === 1 ? 'generation' : `${over.running} generations`} under way to end, or use the queue.`;
      return new Refusal('concurrency_limit', { message, rateLimit });
    }
    case 'full': {
      const message = `All ${over.pending} of your spots in the queue are taken; send more as jobs finish.`;
      return new Refusal('job_limit', { message, rateLimit });
    }
  }
}
