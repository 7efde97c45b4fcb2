import {
  v1DelayAnswerSchema,
  v1ErrorAnswerSchema,
  v1ListSchema,
  v1PlayerSchema,
  v1SkinSchema,
} from '../protocol/v1.ts';
import { contentOf, expect, expectStatus, notTried, shaped } from './finding.ts';
import { NO_SKIN } from './reading.ts';
import type { Check } from './target.ts';

/** A player that will always exist: one of those who made the game. */
const PLAYER = { name: 'jeb_', uuid: '853c80ef3c3749fdaa49938b674adae6' };

/** GET of version 1. */
export const READING_V1: readonly Check[] = [
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
