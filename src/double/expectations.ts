import { z } from 'zod';
import { durationSchema } from './clock.ts';
import { type DoubleRequest, isSubmission, type RequestKind, routePattern } from './requests.ts';

/** One request and its answer, without keys. */
export interface Exchange {
  /** 1 for the first request. */
  readonly number: number;
  /** When it came in: milliseconds since the epoch, by the double's clock. */
  readonly at: number;
  /** When it was answered, or its connection broke, by the same clock. */
  readonly answered: number;
  readonly method: string;
  /** Path and query, without keys. */
  readonly address: string;
  readonly kind: RequestKind;
  /** `query`: in the address, where logs keep it. */
  readonly key: 'valid' | 'unknown' | 'none' | 'query';
  /** Bytes of its body. */
  readonly bytes: number;
  /** What two submissions of the same have in common. */
  readonly submits?: string;
  /** HTTP status; 0: the connection broke before an answer. */
  readonly status: number;
  /** Error code of a refusal. */
  readonly code?: string;
  /** The job that the answer is about. */
  readonly job?: string;
  readonly jobStatus?: string;
  /** A job was accepted, and the caller got no answer that says so. */
  readonly lost?: true;
  /** Until when a 429 asks the caller to wait, milliseconds since the epoch. */
  readonly retryAt?: number;
  /** Jobs of the caller that had not ended when it was answered. */
  readonly pending: number;
  /** What a scenario did to it. */
  readonly effect?: string;
}

export const expectationsSchema = z
  .strictObject({
    polite: z
      .literal(true)
      .describe('All of the following except requests, with 5 jobs and a second between polls.'),
    maxPending: z
      .int()
      .positive()
      .describe('Maximum number of unfinished jobs; nothing may be submitted to a full queue.'),
    pollGap: durationSchema.describe(
      'Shortest time between two polls of an unfinished job, and for three reads of the list during which nothing is submitted and no job ends.',
    ),
    keyOnApi: z.literal(true).describe('The API key is sent to the interface only, never with a texture.'),
    onceEach: z
      .literal(true)
      .describe(
        'Nothing is submitted again while its job may still succeed, nor after a lost answer without a look at the list.',
      ),
    accepted: z
      .boolean()
      .describe(
        'Submissions carry the key, which is never in an address, and no request is refused for its key or its form.',
      ),
    waits: z.literal(true).describe('After a 429, nothing is submitted before the time that it names.'),
    requests: z
      .array(
        z.strictObject({
          route: z.string().max(200),
          min: z.int().min(0).optional(),
          max: z.int().min(0).optional(),
        }),
      )
      .max(100)
      .describe('How many requests a route gets.'),
  })
  .partial();
export type Expectations = z.output<typeof expectationsSchema>;

/** An expectation that was not met. */
export interface Violation {
  readonly expectation: keyof Expectations;
  readonly message: string;
  /** Numbers of the requests that show it, at most ten. */
  readonly requests: readonly number[];
}

/** Timers of callers and of the double may differ a little, milliseconds. */
const TOLERANCE = 50;
/** Looks at the list that a client may take in the time between two polls of a job. */
const LOOKS = 3;
/** A submission that comes within this many milliseconds after an answer may have been sent before that arrived. */
const ON_THE_WAY = 250;

const POLITE: Required<Omit<Expectations, 'polite' | 'requests'>> = {
  maxPending: 5,
  pollGap: 1_000,
  keyOnApi: true,
  onceEach: true,
  accepted: true,
  waits: true,
};

interface Rule<Value> {
  /** Those of the exchanges, in their order, that break it. */
  readonly broken: (exchanges: readonly Exchange[], value: Value) => readonly Exchange[];
  /** What the message says of so many of them. */
  readonly says: (value: Value) => string;
}

const RULES: { readonly [Name in keyof typeof POLITE]: Rule<(typeof POLITE)[Name]> } = {
  maxPending: {
    broken: (exchanges, most) => exchanges.filter((one) => isSubmission(one) && isOver(one, most)),
    says: (most) => `submissions came when the queue was full, or left more than ${most} jobs unfinished`,
  },
  pollGap: {
    broken: tooFast,
    says: (gap) =>
      `polls came less than ${gap} ms after another of the same unfinished job, or after ${LOOKS} looks at the list without news`,
  },
  // Textures are on other hosts, to which a key must not go.
  keyOnApi: {
    broken: (exchanges) => exchanges.filter(({ key, kind }) => key !== 'none' && kind === 'texture'),
    says: () => 'requests for textures carried the API key',
  },
  onceEach: {
    broken: submittedAgain,
    says: () =>
      'submissions repeat one whose job may still succeed, or whose answer was lost, without a look at the list',
  },
  accepted: {
    broken: (exchanges) => exchanges.filter(isNotAccepted),
    says: () => 'requests had no key, a wrong one or one in the address, or a form that is refused',
  },
  waits: {
    broken: impatient,
    says: () => 'submissions came before the time that a 429 had named',
  },
};

/** The expectations that callers did not meet. `exchanges`: in their order. */
export function violationsOf(expected: Expectations, exchanges: readonly Exchange[]): Violation[] {
  const all = { ...(expected.polite && POLITE), ...expected };
  const broken = (Object.keys(RULES) as (keyof typeof RULES)[]).flatMap((name) => {
    const { broken, says } = RULES[name] as Rule<unknown>;
    const found = all[name] === undefined || all[name] === false ? [] : broken(exchanges, all[name]);
    return found.length > 0 ? violation(name, `${found.length} ${says(all[name])}.`, found) : [];
  });
  return [...broken, ...(all.requests ?? []).flatMap((count) => miscounted(exchanges, count))];
}

function isOver({ code, pending, effect }: Exchange, most: number): boolean {
  const isRefused = effect === undefined && (code === 'job_limit' || code === 'concurrency_limit');
  return isRefused || pending > most;
}

function tooFast(exchanges: readonly Exchange[], gap: number): Exchange[] {
  /** When each unfinished job was polled last. */
  const last = new Map<string, number>();
  /** When the list was looked at since there were news. */
  let looks: number[] = [];
  return exchanges.filter((exchange) => {
    const { kind, job, at, pending } = exchange;
    if (isSubmission(exchange) || hasEnded(exchange)) looks = [];
    if (kind === 'list' && pending > 0) {
      looks = [...looks, at].slice(-LOOKS - 1);
      return looks.length > LOOKS && at - looks[0]! < gap - TOLERANCE;
    }
    // A caller that saw the end in a list reads the result at once.
    if (kind !== 'job' || job === undefined || hasEnded(exchange)) return false;
    const before = last.get(job);
    last.set(job, at);
    return before !== undefined && at - before < gap - TOLERANCE;
  });
}

function hasEnded({ jobStatus }: Exchange): boolean {
  return jobStatus === 'completed' || jobStatus === 'failed';
}

function submittedAgain(exchanges: readonly Exchange[]): Exchange[] {
  const jobs = new Map<string, string>();
  /** Jobs whose end the caller saw. */
  const ended = new Set<string>();
  /** What was submitted, and whose answer was lost since the last look at the list. */
  const lost = new Set<string>();
  const again: Exchange[] = [];
  for (const exchange of exchanges) {
    const { kind, job, code, submits } = exchange;
    if (kind === 'list' || kind === 'own-skins') lost.clear();
    if (job !== undefined && (hasEnded(exchange) || code === 'job_not_found')) ended.add(job);
    if (submits === undefined) continue;
    const before = jobs.get(submits);
    const isNew = job !== undefined && before !== job && startsJob(exchange);
    if (lost.has(submits) || (isNew && before !== undefined && !ended.has(before))) again.push(exchange);
    if (isNew) jobs.set(submits, job);
    // Version 1 has no list to look at.
    if (exchange.lost && kind !== 'v1-generate') lost.add(submits);
  }
  return again;
}

function startsJob({ status, lost }: Exchange): boolean {
  return status === 202 || lost === true;
}

/** Codes of refusals for what a client got wrong, whatever it wanted. */
const OWN_FAULTS: ReadonlySet<string> = new Set([
  'invalid_api_key',
  'unauthorized',
  'invalid_content_type',
  'invalid_request',
  'missing_file',
  'upload_error',
]);

function isNotAccepted({ kind, key, code, effect }: Exchange): boolean {
  if (key === 'query') return true;
  // Plugins of version 1 have no key.
  if (key === 'none' && (kind === 'submit' || kind === 'generate')) return true;
  return effect === undefined && code !== undefined && OWN_FAULTS.has(code);
}

/**
 * A caller that sends the same again has read the refusal. Other submissions count from when the answer must have
 * arrived: those sent together were already on their way.
 */
function impatient(exchanges: readonly Exchange[]): Exchange[] {
  let limits: readonly { readonly notBefore: number; readonly refused: Exchange }[] = [];
  return exchanges.filter((exchange) => {
    if (!isSubmission(exchange)) return false;
    const { at, submits, status, retryAt } = exchange;
    limits = limits.filter(({ notBefore }) => at < notBefore - TOLERANCE);
    const isEarly = limits.some(
      ({ refused }) =>
        at > refused.answered + ON_THE_WAY || (submits !== undefined && submits === refused.submits),
    );
    if (status === 429 && retryAt !== undefined)
      limits = [...limits, { notBefore: retryAt, refused: exchange }];
    return isEarly;
  });
}

function miscounted(
  exchanges: readonly Exchange[],
  { route, min = 0, max = Number.POSITIVE_INFINITY }: NonNullable<Expectations['requests']>[number],
): Violation[] {
  const isIt = routePattern(route);
  const found = exchanges.filter((exchange) => isIt(exchange as Pick<DoubleRequest, 'method' | 'address'>));
  if (found.length >= min && found.length <= max) return [];
  const wanted = found.length < min ? `at least ${min}` : `at most ${max}`;
  return [violation('requests', `${found.length} requests for ${route}, not ${wanted}`, found)];
}

function violation(expectation: keyof Expectations, message: string, found: readonly Exchange[]): Violation {
  return { expectation, message, requests: found.slice(0, 10).map(({ number }) => number) };
}
