import { z } from 'zod';
import type { RateLimit } from '../../../src/protocol/envelope.ts';
import { type Answer, refusal, withLimits } from './answers.ts';

/** How a 429 says when to come back. `next`: in `rateLimit.next` alone, without a `Retry-After`. */
export const WAIT_WORDS = ['seconds', 'date', 'next'] as const;
export type WaitWord = (typeof WAIT_WORDS)[number];

export const rateRuleSchema = z.strictObject({
  /** Submissions in any window. */
  limit: z.int().positive(),
  /** Milliseconds. */
  window: z.number().positive(),
  says: z.enum(WAIT_WORDS).default('seconds'),
});
export type RateRule = z.input<typeof rateRuleSchema>;

/** What the numbers are when nothing limits. */
const PLENTY = 1000;

/** Counts submissions in a sliding window. Times in milliseconds since the epoch. */
export class RateWindow {
  #rule: RateRule | undefined;
  #sent: number[] = [];

  constructor(rule: RateRule | undefined) {
    this.#rule = rule;
  }

  get rule(): RateRule | undefined {
    return this.#rule;
  }

  /** Changes the rule, or with undefined lifts it. */
  set rule(rule: RateRule | undefined) {
    this.#rule = rule;
    this.#sent = [];
  }

  /** Milliseconds until the next submission is taken; 0: now. */
  wait(now: number): number {
    if (!this.#rule) return 0;
    const { limit, window } = this.#rule;
    this.#sent = this.#sent.filter((at) => at > now - window);
    const oldest = this.#sent.at(-limit);
    return oldest === undefined ? 0 : oldest + window - now;
  }

  count(now: number): void {
    if (this.#rule) this.#sent.push(now);
  }

  /** As answers carry it. What stands at the top of `limit` is deprecated and speaks of the hour. */
  report(now: number): RateLimit {
    const wait = this.wait(now);
    const { limit = PLENTY, window = 60_000 } = this.#rule ?? {};
    const used = this.#sent.length;
    const reset = Math.ceil((now + window) / 1000);
    const minute = { limit, remaining: Math.max(0, limit - used), used, reset };
    const hour = { limit: limit * 60, remaining: limit * 60 - used, used, reset: reset + 3_000 };
    return {
      next: { absolute: now + wait, relative: wait },
      delay: { millis: 0, seconds: 0 },
      limit: { ...hour, minute, hour },
    };
  }
}

/** 429 `rate_limit` that says when to come back, in the way asked for. */
export function rateRefusal(
  rate: RateWindow,
  { wait, says, now }: { wait: number; says: WaitWord; now: number },
): Answer {
  const next = { absolute: now + wait, relative: wait };
  const refused = withLimits(refusal('rate_limit'), { ...rate.report(now), next });
  return { ...refused, headers: { ...refused.headers, ...retryAfterHeaders(says, wait, now) } };
}

/** `Retry-After` for a wait in milliseconds, as the rule says it. */
function retryAfterHeaders(says: WaitWord, wait: number, now: number): Record<string, string> {
  if (says === 'next') return {};
  if (says === 'seconds') return { 'retry-after': String(Math.ceil(wait / 1000)) };
  return { 'retry-after': new Date(Math.ceil((now + wait) / 1000) * 1000).toUTCString() };
}
