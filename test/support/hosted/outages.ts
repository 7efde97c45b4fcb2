import { pageReply, type Reply, refusalReply } from '../../../src/double/replies.ts';
import type { RequestKind } from '../../../src/double/requests.ts';
import { cutOff, type Disturb } from './hosted-in-memory.ts';
/** The answer to a request that the service, or a proxy in front of it, cannot handle at the moment. */
export const OUTAGES = {
  'a 500 in JSON': () => refusalReply(500, { code: 'internal_error', message: 'An internal error occurred' }),
  'a 502 in HTML': () => pageReply(502, 'Bad Gateway'),
  'a 503 in HTML': () => pageReply(503, 'Service Unavailable'),
  'a page with a 200': () => pageReply(200, 'We are back soon'),
  'a redirect to a page': () => pageReply(302, 'Found', { location: 'https://status.example/' }),
  'a check of who is asking': () => pageReply(403, 'Just a moment...'),
  'a refusal without a time': () => tooFast(),
  'a 404 in JSON': () =>
    refusalReply(404, { code: 'not_found', message: 'no Route matched with those values' }),
  'a 404 in HTML': () => pageReply(404, 'Not Found'),
  'a reset connection': () => {
    throw cutOff();
  },
} as const satisfies Record<string, () => Reply>;

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

function tooFast(): Reply {
  return refusalReply(429, { code: 'rate_limit', message: 'Too many requests' });
}
