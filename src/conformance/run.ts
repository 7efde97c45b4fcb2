import { refusal } from '../client/http.ts';
import { v1DelayAnswerSchema, v1PlayerSchema, v1SkinSchema } from '../protocol/v1.ts';
import { EVERY_ANSWER } from './answers.ts';
import {
  codeOf,
  contentOf,
  type Difference,
  expect,
  expectStatus,
  Finding,
  notTried,
  shaped,
  type Verdict,
} from './finding.ts';
import { V1_LIST, V1_REFUSAL } from './published.ts';
import { has, NO_SKIN, READING, READING_SKINS } from './reading.ts';
import { RESULTS } from './results.ts';
import { Session, type SessionOptions } from './session.ts';
import { REFUSALS, SUBMITTING } from './submitting.ts';
import { type Check, Making, type Target } from './target.ts';
import { expectTimes } from './times.ts';

/** A player that will always exist: one of those who made the game. */
const PLAYER = { name: 'jeb_', uuid: '853c80ef3c3749fdaa49938b674adae6' };

/** GET of version 1. */
const READING_V1: readonly Check[] = [
  {
    id: 'v1-delay',
    judges: 'GET /get/delay says when the next request may come, in seconds and milliseconds.',
    statements: ['1.5a', '9.2'],
    endpoints: ['GET /get/delay'],
    run: async ({ session }) => {
      const answer = await session.get('/get/delay');
      contentOf(answer, v1DelayAnswerSchema);
      expectTimes(answer);
    },
  },
  has(V1_LIST, '/get/list', {
    id: 'v1-list',
    judges: 'GET /get/list is a page of public skins.',
    statements: ['1.4d', '1.5a'],
    endpoints: ['GET /get/list'],
  }),
  {
    id: 'v1-random',
    judges: 'GET /get/random has a public skin.',
    statements: ['1.5a'],
    endpoints: ['GET /get/random'],
    run: async ({ session }) => {
      const answer = await session.get('/get/random');
      if (answer.status === 404 && V1_REFUSAL.safeParse(answer.json).success)
        throw notTried('The server has no public skin.');
      contentOf(answer, v1SkinSchema);
    },
  },
  {
    id: 'v1-refusal',
    judges: 'Errors of version 1 have the format of version 1: a text at error.',
    statements: ['1.5a', '7.3'],
    run: async ({ session }) => {
      const answer = await session.get(`/get/uuid/${NO_SKIN}`);
      if (!V1_REFUSAL.safeParse(answer.json).success) expectStatus(answer, 400);
      shaped(answer, V1_REFUSAL);
      expect(answer, answer.status >= 400, 'a status of 400 or above', answer.status);
    },
  },
  ...(['name', 'user'] as const).map((by) => validating(by, 'name', PLAYER.name)),
  ...(['uuid', 'currentUsername'] as const).map((by) => validating(by, 'uuid', PLAYER.uuid)),
];

function validating(by: string, place: 'name' | 'uuid', value: string): Check {
  return {
    id: `v1-validate-${by === 'currentUsername' ? 'current' : by}`,
    judges: `GET /validate/${by}/{${place}} says whether a player exists.`,
    statements: ['1.5a'],
    endpoints: [`GET /validate/${by}/{${place}}`],
    run: async ({ session }) => {
      const answer = await session.get(`/validate/${by}/${value}`);
      const { valid } = contentOf(answer, v1PlayerSchema);
      expect(answer, valid, `valid, because ${PLAYER.name} exists`, 'not valid');
    },
  };
}

/** `read`: by GET only. `write`: makes skins, and judges what becomes of them. */
export type Part = 'read' | 'write';

/** All checks, in the order in which they run. */
export const CHECKS: Readonly<Record<Part | 'always', readonly Check[]>> = {
  read: [...READING, ...READING_SKINS, ...READING_V1],
  write: [...REFUSALS, ...SUBMITTING, ...READING_SKINS, ...RESULTS],
  always: EVERY_ANSWER,
};

/** What a run judges, and what it does before, so that there is something to judge. */
export interface Plan {
  readonly before: readonly Check[];
  readonly judged: readonly Check[];
  /** Whether it makes skins. */
  readonly writes: boolean;
}

/** Submissions that the later checks need. */
const MAKING = ['queue-file', 'jobs-end'];

/** `only`: a part, or the name of a check; undefined: there is no such check. */
export function planOf(only: string): Plan | undefined {
  if (only === 'read' || only === 'write')
    return { before: [], judged: [...CHECKS[only], ...CHECKS.always], writes: only === 'write' };
  const named = (checks: readonly Check[]) => checks.filter(({ id }) => id === only).slice(0, 1);
  const [read, always, refusal] = [CHECKS.read, CHECKS.always, REFUSALS].map(named);
  if (read?.[0]) return { before: [], judged: read, writes: false };
  if (always?.[0]) return { before: CHECKS.read, judged: always, writes: false };
  if (refusal?.[0]) return { before: [], judged: refusal, writes: true };
  const making = [...SUBMITTING, ...RESULTS];
  const at = making.findIndex(({ id }) => id === only);
  if (at === -1) return undefined;
  const before = making.slice(0, at).filter(({ id }) => MAKING.includes(id));
  return { before, judged: making.slice(at, at + 1), writes: true };
}

/** The verdict on one sentence. */
export interface Judgement extends Difference {
  readonly check: Check;
  readonly verdict: Verdict;
  /** Why it was not tried, or is not there; a remark on what passed. */
  readonly reason?: string | undefined;
}

interface ConformanceOptions extends SessionOptions {
  readonly plan: Plan;
  /** New skins that the run may make. */
  readonly generations: number;
}

/** A run, while it lasts. */
export interface Conformance {
  readonly session: Session;
  readonly making: Making;
  /** Yields each verdict as it is reached. @throws NetworkError if there is no answer at all; the signal's reason when aborted */
  judge(): AsyncGenerator<Judgement, void, void>;
}

/** @throws TypeError for an unusable address; InsecureHttpError */
export function openConformance({ plan, generations, ...options }: ConformanceOptions): Conformance {
  const session = new Session(options);
  const making = new Making(session, generations);
  const target = { session, making };
  return { session, making, judge: () => judge(target, plan) };
}

async function* judge(target: Target, { before, judged }: Plan): AsyncGenerator<Judgement, void, void> {
  await greet(target.session);
  for (const check of before) await judgementOf(check, target);
  for (const check of judged) yield await judgementOf(check, target);
}

/** @throws NetworkError if there is nobody; ServiceError if the key is refused: nothing could be judged with it */
async function greet(session: Session): Promise<void> {
  const answer = await session.get('/v2/queue');
  if (!session.hasKey || codeOf(answer) !== 'invalid_api_key') return;
  throw refusal({ method: 'GET', path: '/v2/queue' }, answer, session.clock.now());
}

async function judgementOf(check: Check, target: Target): Promise<Judgement> {
  const { session } = target;
  session.signal.throwIfAborted();
  if (check.needsKey && !session.hasKey) return { check, verdict: 'untried', reason: 'It needs an API key.' };
  try {
    await check.run(target);
    return { check, verdict: 'pass', reason: check.remark?.(target) };
  } catch (error) {
    if (session.signal.aborted) throw session.signal.reason;
    if (!(error instanceof Finding)) throw error;
    const { verdict, message, difference } = error;
    if (verdict === 'differs') return { check, verdict, ...difference };
    if (verdict === 'absent' && check.isRequired)
      return { check, verdict: 'differs', expected: check.judges, seen: message };
    return { check, verdict, reason: message };
  }
}
