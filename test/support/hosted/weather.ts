import { z } from 'zod';
import { seededRandom } from '../skin/png-writer.ts';
import type { HostedRequest, RequestKind } from './requests.ts';
import { WAIT_WORDS, type WaitWord } from './traffic.ts';

/** Everything that can go wrong between a request and its answer. `-after`: the request was processed all the same. */
export const TROUBLE_KINDS = [
  'reset',
  'reset-after',
  'internal-error',
  'bad-gateway',
  'bad-gateway-after',
  'unavailable',
  /** A whole answer whose JSON is cut; processed. */
  'truncated',
  /** A connection that ends in the middle of the answer; processed. */
  'cut',
  /** Processed at once, answered late. */
  'slow',
  'rate-limit',
  'job-limit',
  'concurrency-limit',
  /** Processed and answered, but without a word about limits. */
  'no-limits',
] as const;
/** `absent`, a proxy's page with a 404, is never by chance: it passes for an answer. */
export type TroubleKind = (typeof TROUBLE_KINDS)[number] | 'absent';

export interface Trouble {
  readonly kind: TroubleKind;
  /** Milliseconds: how late (`slow`), or when to come back (`rate-limit`). */
  readonly wait?: number;
  /** How a `rate-limit` says it; in seconds unless given. */
  readonly says?: WaitWord;
}

/** Decides what happens to each request. */
export type Weather = (request: HostedRequest) => Trouble | undefined;

export const weatherPlanSchema = z.strictObject({
  seed: z.int(),
  /** Part of the requests that meet trouble, 0 to 1. */
  share: z.number().min(0).max(1),
  /** All kinds unless given. */
  kinds: z.array(z.enum(TROUBLE_KINDS)).min(1).readonly().optional(),
  /** Longest wait of a slow answer and of a rate limit, milliseconds; 150 unless given. */
  longestWait: z.number().positive().optional(),
});
export type WeatherPlan = z.infer<typeof weatherPlanSchema>;

/** What makes sense for submissions only. */
const OF_SUBMISSIONS: ReadonlySet<TroubleKind> = new Set(['job-limit', 'concurrency-limit']);
/** What makes sense for JSON answers of the interface only. */
const OF_JSON: ReadonlySet<TroubleKind> = new Set(['truncated', 'rate-limit', 'internal-error', 'no-limits']);

/** Weather by chance, the same for the same seed and order of requests. */
export function seededWeather({
  seed,
  share,
  kinds = TROUBLE_KINDS,
  longestWait = 150,
}: WeatherPlan): Weather {
  const random = seededRandom(seed);
  return ({ kind: request }) => {
    if (random(10_000) >= share * 10_000) return undefined;
    const possible = kinds.filter((kind) => makesSense(kind, request));
    const kind = possible[random(Math.max(1, possible.length))];
    const details = { wait: 1 + random(longestWait), says: WAIT_WORDS[random(WAIT_WORDS.length)] };
    return kind && { kind, wait: details.wait, ...(details.says && { says: details.says }) };
  };
}

function makesSense(trouble: TroubleKind, request: RequestKind): boolean {
  if (OF_SUBMISSIONS.has(trouble)) return request === 'submit' || request === 'generate';
  return !OF_JSON.has(trouble) || request !== 'texture';
}
