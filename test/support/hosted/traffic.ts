import { z } from 'zod';

/** How a 429 says when to come back. The published server says `seconds`; proxies in front of it say others. */
export const WAIT_WORDS = ['seconds', 'date', 'next'] as const;
export type WaitWord = (typeof WAIT_WORDS)[number];

export const rateRuleSchema = z.strictObject({
  /** Submissions in a window. */
  limit: z.int().positive(),
  /** Milliseconds; a minute unless given. What the server counts in seconds is a sixtieth of it. */
  window: z.number().positive().default(60_000),
  /**
   * Submissions in an hour, 100 in the published description's plan `free`; told and kept to only if given, because the
   * published source looks none up.
   */
  perHour: z.int().positive().optional(),
});
export type RateRule = z.input<typeof rateRuleSchema>;

export const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How much was used of a window, and when it ends: in seconds since the epoch, as answers tell it. */
export interface Counted {
  readonly used: number;
  readonly reset: number;
}

/** What the service counts of one caller. Times in milliseconds since the epoch, on the service's clock. */
export class Traffic {
  #rule: RateRule | undefined;
  readonly #delay: number | undefined;
  #minute = { endsAt: 0, used: 0 };
  #hour = { endsAt: 0, used: 0 };
  #nextRequest = 0;

  constructor(rule: RateRule | undefined, delay: number | undefined) {
    this.#rule = rule;
    this.#delay = delay;
  }

  get rule(): RateRule | undefined {
    return this.#rule;
  }

  /** Changes the rule, or with undefined lifts it. */
  set rule(rule: RateRule | undefined) {
    this.#rule = rule;
    this.#minute = { endsAt: 0, used: 0 };
  }

  /** Milliseconds between requests; 0: the caller has no such limit. */
  get delay(): number {
    return this.#delay ?? 0;
  }

  get nextRequest(): number {
    return this.#nextRequest;
  }

  minute(now: number): Counted {
    const { window = MINUTE } = this.#rule ?? {};
    if (now >= this.#minute.endsAt) this.#minute = { endsAt: now + window, used: 0 };
    return told(this.#minute);
  }

  hour(now: number): Counted {
    if (now >= this.#hour.endsAt) this.#hour = { endsAt: (Math.floor(now / HOUR) + 1) * HOUR, used: 0 };
    return told(this.#hour);
  }

  count(now: number): void {
    this.minute(now);
    this.hour(now);
    this.#minute.used++;
    this.#hour.used++;
    if (this.#delay !== undefined) this.#nextRequest = Math.max(now, this.#nextRequest) + this.#delay;
  }
}

function told({ endsAt, used }: { endsAt: number; used: number }): Counted {
  return { used, reset: Math.ceil(endsAt / 1000) };
}
