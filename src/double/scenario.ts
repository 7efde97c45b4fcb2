import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../protocol/errors.ts';
import { DURATION_FORM, durationSchema } from './clock.ts';
import { expectationsSchema } from './expectations.ts';
import { ALL_FAULT_KINDS, FAULT_KINDS, WAIT_WORDS } from './faults.ts';
import { ALWAYS, type Effect, type Fate, type JobPlan } from './plans.ts';
import { type DoubleRequest, routePattern } from './requests.ts';

const CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

const serviceSchema = z
  .strictObject({
    time: z
      .union([durationSchema, z.array(durationSchema).min(1).max(1_000)], { error: DURATION_FORM })
      .describe('How long jobs take; a list is used job by job, again and again.'),
    workers: z.int().min(0).max(1_000).describe('Jobs processed at the same time; 0: none ever ends.'),
    slots: z.int().min(1).max(10_000).describe('Unfinished jobs that a user may have.'),
    perMinute: z.int().positive().describe('Submissions a minute; more are refused.'),
    delay: durationSchema.describe('Pause between two requests that wait for their skin.'),
    eta: z.boolean().describe('Whether accepted jobs say when they will probably end.'),
    listLag: durationSchema.describe('How long the job list and the jobs are behind.'),
    pollGap: durationSchema.describe('Shortest time between two polls of a job before a 429.'),
    known: z.enum(['made', 'nothing', 'everything']).describe('Which pictures are answered as duplicates.'),
    latency: durationSchema.describe('How long a request takes, each way.'),
  })
  .partial();

const jobSchema = z
  .strictObject({
    fails: z.enum(CODES).describe('The job fails with this error code.'),
    refused: z.enum(CODES).describe('The submission is refused with this error code.'),
    times: z
      .int()
      .positive()
      .describe('How many submissions of the same picture are affected; default: all.'),
    time: durationSchema.describe('How long the job takes.'),
    never: z.literal(true).describe('The job never ends.'),
    polls: z.int().positive().max(10_000).describe('The job ends when it has been polled so many times.'),
    wrong: z.literal(true).describe('The job completes with the texture of another picture.'),
    forgottenAfter: durationSchema.describe('The finished job and its skin are gone after so long.'),
    known: z.literal(true).describe('The submission is answered at once, as if the picture were known.'),
  })
  .partial();

const answerSchema = z.strictObject({
  status: z.int().min(200).max(599),
  code: z.string().max(64).optional().describe('Error code; without a body the answer is a refusal in JSON.'),
  message: z.string().max(1_000).optional(),
  headers: z.record(z.string().max(64), z.string().max(1_000)).optional(),
  body: z
    .union([z.string().max(100_000), z.record(z.string(), z.unknown())])
    .optional()
    .describe('A text is sent as HTML, an object as JSON.'),
  processed: z.boolean().optional().describe('Whether the request is processed before this answer.'),
});
export type PlannedAnswer = z.output<typeof answerSchema>;

const effectSchema = z.strictObject({
  delay: durationSchema.optional().describe('Delay before the request is processed.'),
  fault: z.enum(ALL_FAULT_KINDS).optional(),
  wait: durationSchema
    .optional()
    .describe('How late a slow answer is, or when a rate limit says to come back.'),
  says: z.enum(WAIT_WORDS).optional().describe('How a rate limit says it.'),
  answer: answerSchema.optional().describe('Is sent in place of the real answer.'),
  alter: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Merged into the JSON of the real answer; "(absent)" takes a field away.'),
  job: jobSchema.optional().describe('What happens to the submitted job.'),
});

const ruleSchema = z.strictObject({
  on: z
    .strictObject({
      route: z
        .string()
        .max(200)
        .describe('Method and path, for example POST /v2/queue or GET /v2/queue/:id.'),
      nth: z.int().positive().describe('Only the nth request that matches the rest, from 1.'),
      every: z.int().positive().describe('Only every nth request that matches the rest.'),
      key: z.enum(['valid', 'unknown', 'none']).describe("The caller's API key."),
      name: z.string().max(100).describe('Name or file of the submission; * stands for any text.'),
    })
    .partial()
    .optional(),
  times: z.int().positive().optional().describe('How often the rule applies; always unless given.'),
  do: effectSchema,
});

/** What happens at a double: how its service behaves, faults by chance, rules, and what callers must keep to. */
export const scenarioSchema = z.strictObject({
  service: serviceSchema.optional(),
  faults: z
    .strictObject({
      share: z.number().min(0).max(1).describe('Share of the requests that fail, from 0 to 1.'),
      kinds: z.array(z.enum(FAULT_KINDS)).min(1).optional(),
      longestWait: durationSchema.optional(),
    })
    .optional()
    .describe('By chance, the same for the same seed and order of requests.'),
  rules: z.array(ruleSchema).max(1_000).optional().describe('The first that matches a request is applied.'),
  expect: expectationsSchema.optional(),
});
export type Scenario = z.output<typeof scenarioSchema>;
export type ScenarioInput = z.input<typeof scenarioSchema>;

/** Scenarios that come with the program, by name. */
export const SCENARIOS: Readonly<
  Record<string, { readonly meaning: string; readonly scenario: ScenarioInput }>
> = {
  calm: { meaning: 'everything works; jobs take 200 ms', scenario: { service: { time: '200ms' } } },
  uneven: {
    meaning: 'jobs take 0.3 to 1.8 s, and no estimates are given',
    scenario: { service: { time: ['300ms', '1.8s', '900ms', '600ms', '1.4s'], eta: false } },
  },
  busy: {
    meaning: 'jobs take a second, and only 20 submissions a minute are accepted',
    scenario: { service: { time: '1s', perMinute: 20 } },
  },
  lossy: {
    meaning: 'every fifth answer to a submission is lost after the job was accepted',
    scenario: {
      service: { time: '300ms' },
      rules: [{ on: { route: 'POST /v2/queue', every: 5 }, do: { fault: 'reset-after' } }],
    },
  },
  lagging: {
    meaning: 'lists and jobs are two seconds behind',
    scenario: { service: { time: '500ms', listLag: '2s' } },
  },
  unwell: {
    meaning: 'one request in five meets a fault of any kind',
    scenario: { service: { time: '300ms' }, faults: { share: 0.2 } },
  },
  maintenance: {
    meaning: 'the first ten requests get a page with a 503',
    scenario: {
      rules: [{ times: 10, do: { answer: { status: 503, body: '<h1>We are back soon</h1>' } } }],
    },
  },
};

/** A scenario that cannot be used. `message` says where and why. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
  readonly code = 'invalid_scenario';
}

/** @throws ScenarioError */
export function parseScenario(input: unknown): Scenario {
  const { data, error } = scenarioSchema.safeParse(input ?? {});
  if (error) throw new ScenarioError(`The scenario cannot be used:\n${z.prettifyError(error)}`);
  for (const { do: effect } of data.rules ?? []) {
    const kinds = (['fault', 'answer', 'alter', 'job'] as const).filter((kind) => effect[kind] !== undefined);
    if (kinds.length > 1) throw new ScenarioError(`A rule can have only one of ${kinds.join(' and ')}.`);
  }
  return data;
}

/** @throws ScenarioError */
export function readScenario(given: string | ScenarioInput | undefined): Scenario {
  if (typeof given !== 'string') return parseScenario(given);
  const named = SCENARIOS[given];
  if (named) return parseScenario(named.scenario);
  throw new ScenarioError(`Unknown scenario ${given}. Scenarios: ${Object.keys(SCENARIOS).join(', ')}.`);
}

/** @returns the JSON Schema of scenarios, in which editors find mistakes */
export function scenarioJsonSchema(): object {
  return {
    ...z.toJSONSchema(scenarioSchema, { io: 'input' }),
    title: 'A scenario of skinsmith serve --double',
  };
}

/** What a rule sees of a request. */
export interface RuledRequest {
  readonly request: DoubleRequest;
  readonly key: 'valid' | 'unknown' | 'none';
  /** Names that a submission has: its name, and its file without the extension. */
  readonly names: readonly string[];
}

export interface RuleEffect extends Effect {
  readonly answer?: PlannedAnswer | undefined;
  readonly alter?: Readonly<Record<string, unknown>> | undefined;
}

type Rule = z.output<typeof ruleSchema>;

/** The rules of a scenario, with how often each has matched. */
export class Rules {
  readonly #rules: readonly { rule: Rule; matched: number; applied: number }[];

  constructor(rules: readonly Rule[] = []) {
    this.#rules = rules.map((rule) => ({ rule, matched: 0, applied: 0 }));
  }

  /** What happens to this request; every rule counts it. */
  next(seen: RuledRequest): RuleEffect | undefined {
    let effect: RuleEffect | undefined;
    for (const state of this.#rules) {
      if (!matches(state.rule, seen)) continue;
      state.matched++;
      if (effect || !isDue(state.rule, state)) continue;
      state.applied++;
      effect = effectOf(state.rule.do);
    }
    return effect;
  }
}

function matches({ on = {} }: Rule, { request, key, names }: RuledRequest): boolean {
  if (on.key !== undefined && on.key !== key) return false;
  if (on.route !== undefined && !routePattern(on.route)(request)) return false;
  if (on.name === undefined) return true;
  const pattern = on.name.split('*');
  return names.some((name) => matchesPattern(name, pattern));
}

/** Whether the texts between the stars occur in their order, the first at the start and the last at the end. */
function matchesPattern(name: string, [first = '', ...rest]: readonly string[]): boolean {
  if (rest.length === 0) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const text of rest.slice(0, -1)) {
    const found = name.indexOf(text, at);
    if (found < 0) return false;
    at = found + text.length;
  }
  const last = rest.at(-1) ?? '';
  return name.length - last.length >= at && name.endsWith(last);
}

function isDue(
  { on = {}, times }: Rule,
  { matched, applied }: { matched: number; applied: number },
): boolean {
  if (times !== undefined && applied >= times) return false;
  if (on.nth !== undefined && matched !== on.nth) return false;
  return on.every === undefined || matched % on.every === 0;
}

function effectOf({ delay, fault, wait, says, answer, alter, job }: Rule['do']): RuleEffect {
  return {
    delay,
    answer,
    alter,
    fault: fault && { kind: fault, ...(wait !== undefined && { wait }), ...(says && { says }) },
    job: job && jobPlan(job),
  };
}

type JobEffect = z.output<typeof jobSchema>;

function fateIn({
  fails,
  refused,
  wrong,
  forgottenAfter: after,
  times = ALWAYS,
}: JobEffect): Fate | undefined {
  if (fails) return { kind: 'fails', times, code: fails };
  if (refused) return { kind: 'refused', times, code: refused };
  if (wrong) return { kind: 'wrong', times };
  return after === undefined ? undefined : { kind: 'forgotten', times, after, keepsSkin: false };
}

function jobPlan(job: JobEffect): JobPlan {
  const { time, never, polls, known } = job;
  const fate = fateIn(job);
  const serviceTime = never ? ALWAYS : time;
  return {
    ...(fate && { fate }),
    ...(serviceTime !== undefined && { serviceTime }),
    ...(polls !== undefined && { polls }),
    ...(known && { isKnown: known }),
  };
}
