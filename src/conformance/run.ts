import { refusal } from '../client/http.ts';
import {
  v1DelayAnswerSchema,
  v1ErrorAnswerSchema,
  v1ListSchema,
  v1PlayerSchema,
  v1SkinSchema,
} from '../protocol/v1.ts';
import { EVERY_ANSWER } from './answers.ts';
import {
  codeOf,
  contentOf,
  expect,
  expectStatus,
  Finding,
  notTried,
  shaped,
  type Verdict,
} from './finding.ts';
import { NO_SKIN, READING, READING_SKINS } from './reading.ts';
import { RESULTS } from './results.ts';
import { Session, type SessionOptions } from './session.ts';
import { REFUSALS, SUBMITTING } from './submitting.ts';
import { type Check, Making, type Target } from './target.ts';

/** A player that will always exist: one of those who made the game. */
const PLAYER = { name: 'jeb_', uuid: '853c80ef3c3749fdaa49938b674adae6' };

/** GET of version 1. */
const READING_V1: readonly Check[] = [
  {
    id: 'v1-delay',
    judges: 'GET /get/delay says when the next request may come, in seconds and milliseconds.',
    statements: ['1.5a', '9.2'],
    endpoints: ['GET /get/delay'],
    run: async ({ session }) => void contentOf(await session.get('/get/delay'), v1DelayAnswerSchema),
  },
  {
    id: 'v1-list',
    judges: 'GET /get/list is a page of public skins.',
    statements: ['1.4d', '1.5a'],
    endpoints: ['GET /get/list'],
    run: async ({ session }) => void contentOf(await session.get('/get/list'), v1ListSchema),
  },
  {
    id: 'v1-random',
    judges: 'GET /get/random has a public skin.',
    statements: ['1.5a'],
    endpoints: ['GET /get/random'],
    run: async ({ session }) => {
      const answer = await session.get('/get/random');
      if (answer.status === 404 && v1ErrorAnswerSchema.safeParse(answer.json).success)
        throw notTried('The server has no public skin.');
      contentOf(answer, v1SkinSchema);
    },
  },
  {
    id: 'v1-refusal',
    judges: 'Errors of version 1 have the format of version 1: error, errorCode, delay.',
    statements: ['1.5a', '7.3'],
    run: async ({ session }) => {
      const answer = await session.get(`/get/uuid/${NO_SKIN}`);
      if ((answer.json as { errorCode?: unknown } | undefined)?.errorCode === undefined)
        expectStatus(answer, 400);
      shaped(answer, v1ErrorAnswerSchema);
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

/** The verdict on one sentence. */
export interface Judgement {
  readonly check: Check;
  readonly verdict: Verdict;
  /** Why it was not tried, or is not there. */
  readonly reason?: string | undefined;
  readonly expected?: string | undefined;
  readonly seen?: string | undefined;
}

interface ConformanceOptions extends SessionOptions {
  readonly only: Part;
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
export function openConformance({ only, generations, ...options }: ConformanceOptions): Conformance {
  const session = new Session(options);
  const making = new Making(session, generations);
  const target = { session, making };
  return { session, making, judge: () => judge(target, only) };
}

async function* judge(target: Target, only: Part): AsyncGenerator<Judgement, void, void> {
  const { session } = target;
  await greet(session);
  for (const check of [...CHECKS[only], ...CHECKS.always]) yield await judged(check, target);
}

/** @throws NetworkError if there is nobody; ServiceError if the key is refused: nothing could be judged with it */
async function greet(session: Session): Promise<void> {
  const answer = await session.get('/v2/queue');
  if (!session.hasKey || codeOf(answer) !== 'invalid_api_key') return;
  throw refusal({ method: 'GET', path: '/v2/queue' }, answer, session.clock.now());
}

async function judged(check: Check, target: Target): Promise<Judgement> {
  const { session } = target;
  session.signal.throwIfAborted();
  if (check.needsKey && !session.hasKey)
    return { check, verdict: 'not_tried', reason: 'It needs an API key.' };
  try {
    await check.run(target);
    return { check, verdict: 'pass' };
  } catch (error) {
    if (session.signal.aborted) throw session.signal.reason;
    if (!(error instanceof Finding)) throw error;
    const { verdict, message, expected, seen } = error;
    if (verdict === 'differs') return { check, verdict, expected, seen };
    if (verdict === 'not_there' && check.isRequired)
      return { check, verdict: 'differs', expected: check.judges, seen: message };
    return { check, verdict, reason: message };
  }
}
