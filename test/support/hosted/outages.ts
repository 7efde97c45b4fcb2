import { type Answer, page } from './answers.ts';
import { internalError } from './error-answers.ts';
import { cutOff, type Disturb } from './hosted-in-memory.ts';
import type { RequestKind } from './requests.ts';

/** What a request gets that the service, or what stands in front of it, cannot answer for now. */
export const OUTAGES = {
  'a 500 in JSON': internalError,
  'a 502 in HTML': () => page(502, 'Bad Gateway'),
  'a 503 in HTML': () => page(503, 'Service Unavailable'),
  'a page with a 200': () => page(200, 'We are back soon'),
  'a redirect to a page': () => ({ ...page(302, 'Found'), headers: { location: 'https://status.example/' } }),
  'a check of who is asking': () => page(403, 'Just a moment...'),
  'a refusal without a time': () => tooFast(),
  'a reset connection': () => {
    throw cutOff();
  },
} as const satisfies Record<string, () => Answer>;

export type Outage = keyof typeof OUTAGES;

interface When {
  /** The requests that fail; absent: all. */
  readonly kinds?: readonly RequestKind[];
  /** Milliseconds on the test's clock. */
  readonly from: number;
  readonly to: number;
}

/** Requests of some kinds fail for a time. `now`: the test's clock. */
export function outage(name: Outage, { kinds, from, to }: When, now: () => number): Disturb {
  return async ({ kind }, process) => {
    const isHit = (kinds === undefined || kinds.includes(kind)) && now() >= from && now() < to;
    return isHit ? OUTAGES[name]() : await process();
  };
}

function tooFast(): Answer {
  const errors = [{ code: 'rate_limit', message: 'Too many requests' }];
  return { status: 429, headers: {}, content: { success: false, errors } };
}
