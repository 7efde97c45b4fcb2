import { z } from 'zod';
import { uuidSchema } from '../../../../protocol/skin.ts';
import {
  v1DelayAnswerSchema,
  v1ErrorAnswerSchema,
  v1SkinIdSchema,
  v1SkinSchema,
} from '../../../../protocol/v1.ts';
import { readRateLimit } from '../../../service/limits/rate-limit.ts';
import { viaFor } from '../../../service/limits/version-1.ts';
import { Refusal } from '../../../service/refusal.ts';
import { readRandomSkins } from '../../../service/skins/skin-picks.ts';
import { readSkin, readSkinByNumber } from '../../../service/skins/skins.ts';
import type { SkinWithData } from '../../../store/skins.ts';
import { type Answer, route } from '../../route.ts';
import { versionHeader } from '../../v1/error-answers.ts';
import { v1SkinView, waitView } from '../../v1/views.ts';

export const v1SkinRoute = route({
  method: 'GET',
  paths: ['/get/uuid/:uuid'],
  summary: 'A skin (version 1)',
  deprecated: true,
  params: z.object({ uuid: uuidSchema }),
  answers: { 200: v1SkinSchema, 400: v1ErrorAnswerSchema, 404: v1ErrorAnswerSchema },
  handle: async ({ context, caller, params }) => skinAnswer(await readSkin(context, caller, params.uuid)),
});

export const v1SkinByNumberRoute = route({
  method: 'GET',
  paths: ['/get/id/:id'],
  summary: 'A skin by its number (version 1): public ones, and your own',
  deprecated: true,
  params: z.object({ id: v1SkinIdSchema }),
  answers: { 200: v1SkinSchema, 301: null, 400: v1ErrorAnswerSchema, 404: v1ErrorAnswerSchema },
  handle: async ({ context, caller, params }) =>
    typeof params.id === 'number'
      ? skinAnswer(await readSkinByNumber(context, caller, params.id))
      : {
          status: 301,
          body: undefined,
          headers: { ...versionHeader('v1'), Location: `/get/uuid/${params.id}` },
        },
});

export const v1RandomRoute = route({
  method: 'GET',
  paths: ['/get/random'],
  summary: 'A random public skin (version 1)',
  deprecated: true,
  answers: { 200: v1SkinSchema, 404: v1ErrorAnswerSchema },
  cache: 'none',
  handle: async ({ context }) => {
    const [skin] = await readRandomSkins(context, 1);
    if (!skin) throw new Refusal('skin_not_found');
    return skinAnswer(skin);
  },
});

function skinAnswer(skin: SkinWithData): Answer {
  return { status: 200, body: v1SkinView(skin), headers: versionHeader('v1') };
}

export const v1DelayRoute = route({
  method: 'GET',
  paths: ['/get/delay'],
  summary: 'The delay between requests, and when the next one may come (version 1)',
  deprecated: true,
  answers: { 200: v1DelayAnswerSchema },
  handle: async ({ context, caller }) => {
    const via = viaFor(caller, false);
    const { next, ...rateLimit } = await readRateLimit(context.db, caller, context.clock.now(), via);
    const { delay, delayInfo } = waitView(rateLimit.delay.millis);
    const body = {
      delay,
      ...delayInfo,
      next: Math.ceil(next.absolute / 1000),
      nextRelative: Math.ceil(next.relative / 1000),
      nextRequest: { time: next.absolute, relative: next.relative },
    };
    return { status: 200, body, headers: versionHeader(via) };
  },
});
