import type { Clock } from '../base/clock.ts';
import {
  answered,
  type Outcome,
  pageReply,
  type Reply,
  refusalReply,
  withBody,
  withoutLimits,
} from './replies.ts';
import type { DoubleRequest, RequestKind } from './requests.ts';
import { seededRandom } from './seed.ts';

/** How a 429 states when to retry. The published server uses `seconds`; proxies in front of it use others. */
export const WAIT_WORDS = ['seconds', 'date', 'next'] as const;
export type WaitWord = (typeof WAIT_WORDS)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** Milliseconds of the delay (`slow`), or until a retry (`rate-limit`). */
  readonly wait?: number;
  /** How a `rate-limit` states it; default: in seconds. */
  readonly says?: WaitWord;
}

/** Decides what happens to each request. */
export type FaultSource = (request: DoubleRequest) => Fault | undefined;

export interface RandomFaults {
  readonly seed: number;
  /** Share of requests with faults, 0 to 1. */
  readonly share: number;
  /** Default: all kinds. */
  readonly kinds?: readonly Exclude<FaultKind, 'absent'>[] | undefined;
  /** Longest wait of a slow answer and of a rate limit, in milliseconds; default: 150. */
  readonly longestWait?: number | undefined;
}

/** Faults that only make sense for submissions. */
const OF_SUBMISSIONS: ReadonlySet<FaultKind> = new Set(['job-limit', 'concurrency-limit']);
/** Faults that only make sense for JSON answers of the interface. */
const OF_JSON: ReadonlySet<FaultKind> = new Set(['truncated', 'rate-limit', 'internal-error', 'no-limits']);

/** Random faults, the same for the same seed and order of requests. */
export function randomFaults({
  seed,
  share,
  kinds = FAULT_KINDS,
  longestWait = 150,
}: RandomFaults): FaultSource {
  const random = seededRandom(seed);
  return ({ kind: request }) => {
    if (random(10_000) >= share * 10_000) return undefined;
    const possible = kinds.filter((kind) => makesSense(kind, request));
    const kind = possible[random(Math.max(1, possible.length))];
    const details = { wait: 1 + random(longestWait), says: WAIT_WORDS[random(WAIT_WORDS.length)] };
    return kind && { kind, wait: details.wait, ...(details.says && { says: details.says }) };
  };
}

function makesSense(fault: FaultKind, request: RequestKind): boolean {
  if (OF_SUBMISSIONS.has(fault)) return request === 'submit' || request === 'generate';
  return !OF_JSON.has(fault) || request !== 'texture';
}

/** Error codes of faults. */
export type Refused = 'rate_limit' | 'job_limit' | 'concurrency_limit' | 'service_unavailable';

/** A request with a fault. */
export interface FaultyRequest {
  /** Processes the request, and returns the answer to send. */
  readonly process: () => Promise<Reply>;
  /** A refusal with the current limits. */
  readonly refuse: (code: Refused) => Reply;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Aborts when the double stops. */
  readonly closing: AbortSignal;
}

type Strike = (request: FaultyRequest, fault: Fault) => Promise<Outcome> | Outcome;

/** Everything that can go wrong between a request and its answer. `-after`: the request was still processed. */
const STRIKES = {
  reset: () => ({ kind: 'cut' }),
  'reset-after': async ({ process }) => {
    await process();
    return { kind: 'cut' };
  },
  'internal-error': () =>
    answered(refusalReply(500, { code: 'internal_error', message: 'An internal error occurred' })),
  'bad-gateway': () => answered(pageReply(502, 'Bad Gateway')),
  'bad-gateway-after': async ({ process }) => {
    await process();
    return answered(pageReply(502, 'Bad Gateway'));
  },
  unavailable: ({ refuse }) => answered(refuse('service_unavailable')),
  /** A whole answer whose JSON is cut; processed. */
  truncated: async ({ process }) => {
    const reply = await process();
    if (!Buffer.isBuffer(reply.body)) return { kind: 'cut' };
    return answered(withBody(reply, reply.body.subarray(0, reply.body.length / 2)));
  },
  /** A connection that ends in the middle of the answer; processed. */
  cut: async ({ process }) => ({ kind: 'cut', half: await process() }),
  /** Processed at once, answered late. */
  slow: async ({ process, clock, closing }, { wait = 0 }) => {
    const reply = await process();
    await clock.sleep(wait, closing);
    return answered(reply);
  },
  'rate-limit': ({ refuse }) => answered(refuse('rate_limit')),
  'job-limit': ({ refuse }) => answered(refuse('job_limit')),
  'concurrency-limit': ({ refuse }) => answered(refuse('concurrency_limit')),
  /** Processed and answered, but without limits. */
  'no-limits': async ({ process }) => answered(withoutLimits(await process())),
} as const satisfies Record<string, Strike>;
const ABSENT: Strike = () => answered(pageReply(404, 'Not Found'));

export const FAULT_KINDS = Object.keys(STRIKES) as (keyof typeof STRIKES)[];
export type FaultKind = keyof typeof STRIKES | 'absent';
/** `absent`, a proxy's page with a 404, never occurs at random, because it looks like an answer. */
export const ALL_FAULT_KINDS: readonly FaultKind[] = [...FAULT_KINDS, 'absent'];

/** The outcome of a request with a fault. */
export async function strike(request: FaultyRequest, fault: Fault): Promise<Outcome> {
  const how: Strike = fault.kind === 'absent' ? ABSENT : STRIKES[fault.kind];
  return await how(request, fault);
}
