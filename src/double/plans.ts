import { type ErrorCode, isErrorCode } from '../protocol/errors.ts';
import type { Fault } from './faults.ts';

/** What happens to the first `times` jobs of one picture; later ones succeed. */
export type Fate =
  /** No job at all: the submission itself is answered with this error. */
  | { readonly kind: 'refused'; readonly times: number; readonly code: ErrorCode }
  | { readonly kind: 'fails'; readonly times: number; readonly code: ErrorCode }
  /** Completed, with the texture of a picture that nobody submits. */
  | { readonly kind: 'wrong'; readonly times: number }
  /**
   * Made, but `after` milliseconds past its end the job is gone from the list and answers `job_not_found`.
   * `keepsSkin`: whether the skin is still there, so that the same picture is then a duplicate.
   */
  | {
      readonly kind: 'forgotten';
      readonly times: number;
      readonly after: number;
      readonly keepsSkin: boolean;
    };

/** The fate of the `attempt`th job of a picture, from 1. */
export function fateOf(fate: Fate | undefined, attempt: number): Fate | undefined {
  return fate && attempt <= fate.times ? fate : undefined;
}

/** What a scenario decides about one submission. */
export interface JobPlan {
  readonly fate?: Fate;
  /** Milliseconds; Infinity: the job never ends. */
  readonly serviceTime?: number;
  /** The job ends when it has been polled this many times. */
  readonly polls?: number;
  /** True: answered at once, as if the picture were known; false: a new job even if it is known. */
  readonly isKnown?: boolean;
  /** The name that asked for it: the jobs of a picture are counted for each name. */
  readonly name?: string;
}

/** Whether a plan makes this job of a picture, from 1, a new one, even if the service has the picture already. */
export function isNewJob(plan: JobPlan | undefined, attempt: number): boolean {
  if (!plan || plan.isKnown) return false;
  const { isKnown, serviceTime, polls, fate } = plan;
  return isKnown === false || (serviceTime ?? polls ?? fateOf(fate, attempt)) !== undefined;
}

/** What a scenario does to one request. */
export interface Effect {
  /** Milliseconds before the request is processed. */
  readonly delay?: number | undefined;
  readonly fault?: Fault | undefined;
  readonly job?: JobPlan | undefined;
}

/** Names that are scenarios, as the test cards of payment services are. `N`: only the first N times. */
export interface NamedInput {
  readonly form: string;
  readonly meaning: string;
  /** The effect on the `use`th submission of this name, from 1; undefined: none any more. */
  readonly effect: (parts: readonly string[], use: number) => Effect | undefined;
}

/** A number of times, or of milliseconds. */
export const ALWAYS = Number.POSITIVE_INFINITY;

/** The last part as a number of times. */
function times(part: string | undefined, usual: number): number {
  return part === undefined ? usual : Number(part);
}

function faulty(fault: Fault, [count]: readonly string[], use: number): Effect | undefined {
  return use <= times(count, 1) ? { fault } : undefined;
}

/** The answer is lost of a job that there is: a duplicate has none. */
function lost(fault: Fault, parts: readonly string[], use: number): Effect | undefined {
  const effect = faulty(fault, parts, use);
  return effect && { ...effect, job: { isKnown: false } };
}

function planned(job: JobPlan): Effect {
  return { job };
}

function coded(kind: 'fails' | 'refused', [code = '', count]: readonly string[]): Effect | undefined {
  return isErrorCode(code) ? planned({ fate: { kind, times: times(count, ALWAYS), code } }) : undefined;
}

/** By the word that a name begins with. */
export const NAMED_INPUTS = {
  fail: {
    form: 'fail-CODE[-N]',
    meaning: 'the job fails with this error code',
    effect: (parts) => coded('fails', parts),
  },
  refuse: {
    form: 'refuse-CODE[-N]',
    meaning: 'the submission is refused with this error code',
    effect: (parts) => coded('refused', parts),
  },
  'no-account': {
    form: 'no-account[-N]',
    meaning: 'the job fails because the service has no free account',
    effect: ([count]) => coded('fails', ['no_account_available', ...(count === undefined ? [] : [count])]),
  },
  'limit-429': {
    form: 'limit-429[-N]',
    meaning: 'the first submission (or N) is answered with 429 rate_limit and a Retry-After of one second',
    effect: (parts, use) => faulty({ kind: 'rate-limit', wait: 1_000 }, parts, use),
  },
  'limit-slots': {
    form: 'limit-slots[-N]',
    meaning: 'the first submission (or N) is answered with 429 job_limit',
    effect: (parts, use) => faulty({ kind: 'job-limit' }, parts, use),
  },
  slow: {
    form: 'slow-MS',
    meaning: 'the job takes MS milliseconds',
    effect: ([ms]) => planned({ serviceTime: Number(ms) }),
  },
  late: {
    form: 'late-MS',
    meaning: 'the submission is processed at once and answered MS milliseconds later',
    effect: ([ms]) => ({ fault: { kind: 'slow', wait: Number(ms) } }),
  },
  polls: {
    form: 'polls-N',
    meaning: 'the job ends when it has been polled N times',
    effect: ([count]) => planned({ polls: Number(count) }),
  },
  never: {
    form: 'never',
    meaning: 'the job never ends',
    effect: () => planned({ serviceTime: ALWAYS }),
  },
  drop: {
    form: 'drop[-N]',
    meaning: 'the connection of the first submission (or N) breaks before it is processed',
    effect: (parts, use) => faulty({ kind: 'reset' }, parts, use),
  },
  lose: {
    form: 'lose[-N]',
    meaning: 'the first submission (or N) is accepted, and its answer is lost',
    effect: (parts, use) => lost({ kind: 'reset-after' }, parts, use),
  },
  cut: {
    form: 'cut[-N]',
    meaning: 'the first submission (or N) is accepted, and the connection breaks in the middle of the answer',
    effect: (parts, use) => lost({ kind: 'cut' }, parts, use),
  },
  'html-502': {
    form: 'html-502[-N]',
    meaning: 'the first submission (or N) is answered with the 502 page of a proxy',
    effect: (parts, use) => faulty({ kind: 'bad-gateway' }, parts, use),
  },
  duplicate: {
    form: 'duplicate',
    meaning: 'the submission is answered at once with the existing skin, as if the picture were known',
    effect: () => planned({ isKnown: true }),
  },
  wrong: {
    form: 'wrong[-N]',
    meaning: 'the job completes with the texture of another picture',
    effect: ([count]) => planned({ fate: { kind: 'wrong', times: times(count, ALWAYS) } }),
  },
  forget: {
    form: 'forget[-N]',
    meaning: 'the job and its skin disappear as soon as the job is finished',
    effect: ([count]) =>
      planned({ fate: { kind: 'forgotten', times: times(count, 1), after: 0, keepsSkin: false } }),
  },
} as const satisfies Record<string, NamedInput>;

/**
 * The effect of a name of a submission (or of its file). Everything after the first dot is ignored, so several pictures
 * in one folder can have the same effect: `slow-5000.knight.png`.
 */
export function effectOfName(name: string, use: number): Effect | undefined {
  const [base = ''] = name.split('.', 1);
  for (const [word, input] of Object.entries<NamedInput>(NAMED_INPUTS)) {
    if (base !== word && !base.startsWith(`${word}-`)) continue;
    const rest = base.slice(word.length + 1);
    const parts = rest === '' ? [] : rest.split('-');
    return isComplete(input, parts) ? input.effect(parts, use) : undefined;
  }
  return undefined;
}

/** Whether the parts are those that the form names. */
function isComplete({ form }: NamedInput, parts: readonly string[]): boolean {
  const required = /-(CODE|MS|N)(?!\])/.exec(form)?.[1];
  const optional = form.includes('[-N]') ? 1 : 0;
  const least = required ? 1 : 0;
  if (parts.length < least || parts.length > least + optional) return false;
  return parts.every((part, at) => (at === 0 && required === 'CODE') || /^[0-9]{1,8}$/.test(part));
}
