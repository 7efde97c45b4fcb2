import { z } from 'zod';
import type { Note } from '../../../../protocol/envelope.ts';
import { MAX_WAIT_SECONDS } from '../../../../protocol/generate.ts';
import {
  v1CompatSchema,
  v1ErrorAnswerSchema,
  v1GenerateAnswerSchema,
  v1OptionsSchema,
  v1SourceSchema,
} from '../../../../protocol/v1.ts';
import { awaitSkin, DEFAULT_PATIENCE } from '../../../service/jobs/await-skin.ts';
import type { JobPatience } from '../../../service/jobs/jobs.ts';
import { readRateLimit } from '../../../service/limits/rate-limit.ts';
import { refusalWithPace, viaFor, waitAfterNew } from '../../../service/limits/version-1.ts';
import { asRefusal } from '../../../service/refusal.ts';
import { submit } from '../../../service/submitting/submit.ts';
import type { Source } from '../../../sources/source.ts';
import { pngFile } from '../../generate-schemas.ts';
import { type Answer, type Call, type Route, route } from '../../route.ts';
import { versionHeader } from '../../v1/error-answers.ts';
import { readV1Request } from '../../v1/generate-request.ts';
import { delayHeaders, v1SkinView, waitView } from '../../v1/views.ts';
import { rateLimitHeaders } from '../../views.ts';

const DEPRECATED: Note = {
  code: 'deprecated',
  message: 'This is version 1 of the service: use POST /v2/generate or POST /v2/queue.',
};

/** The clients of version 1 read for half a minute at least. */
const PATIENCE: JobPatience = { ...DEFAULT_PATIENCE, atWork: MAX_WAIT_SECONDS * 1000 };

const ANSWERS = {
  200: v1GenerateAnswerSchema,
  400: v1ErrorAnswerSchema,
  403: v1ErrorAnswerSchema,
  429: v1ErrorAnswerSchema,
  500: v1ErrorAnswerSchema,
};

const { url, uuid, user } = v1SourceSchema.shape;
const fromFile = v1OptionsSchema.extend({ file: pngFile });
const fromUrl = v1OptionsSchema.extend({ url });
const fromPlayer = v1OptionsSchema.extend({ uuid, user });

export const v1UploadRoute = generating('upload', {
  summary: 'Generate a skin from a file (version 1)',
  query: v1OptionsSchema,
  bodies: { 'multipart/form-data': fromFile },
});

export const v1UrlRoute = generating('url', {
  summary: 'Generate a skin from a URL (version 1)',
  query: fromUrl,
  bodies: inEveryWay(fromUrl),
});

export const v1UserRoute = generating('user', {
  summary: "Generate a player's skin (version 1)",
  query: fromPlayer,
  bodies: inEveryWay(fromPlayer),
});

export const v1GetUserRoute = route({
  method: 'GET',
  changes: true,
  scopes: ['generate'],
  paths: ['/generate/user/:uuid'],
  summary: "Generate a player's skin (version 1, as the oldest clients ask)",
  deprecated: true,
  isLimited: true,
  cache: 'none',
  params: z.object({ uuid: z.string() }),
  query: v1OptionsSchema.extend({ v2: v1CompatSchema }),
  answers: ANSWERS,
  handle: async (call) => await answer(call, 'user'),
});

function inEveryWay(schema: z.ZodObject): Record<string, z.ZodType> {
  return {
    'application/json': schema,
    'application/x-www-form-urlencoded': schema,
    'multipart/form-data': schema,
  };
}

function generating(
  kind: Source['kind'],
  { query, ...spec }: { summary: string; query: z.ZodObject; bodies: Record<string, z.ZodType> },
): Route {
  return route({
    ...spec,
    method: 'POST',
    scopes: ['generate'],
    paths: [`/generate/${kind}`],
    deprecated: true,
    isLimited: true,
    query: query.extend({ v2: v1CompatSchema }),
    answers: ANSWERS,
    handle: async (call) => await answer(call, kind),
  });
}

async function answer(
  call: Call<unknown, { v2?: boolean | undefined }>,
  kind: Source['kind'],
): Promise<Answer> {
  const { context, caller, query } = call;
  const via = viaFor(caller, query.v2 ?? false);
  const headers = versionHeader(via);
  try {
    const input = await readV1Request(call.request, kind);
    const submitted = await submit(context, { caller, via, ...input });
    const isKnown = submitted.kind === 'known';
    const { job } = submitted;
    const skin = isKnown ? submitted.skin : await awaitSkin(context, { caller, job }, PATIENCE);
    const rateLimit = await readRateLimit(context.db, caller, context.clock.now(), via);
    const wait = waitView(isKnown ? rateLimit.next.relative : waitAfterNew(rateLimit));
    const warnings = [...call.warnings, ...submitted.warnings, DEPRECATED];
    const body = {
      ...v1SkinView(skin, isKnown),
      ...wait,
      nextRequest: wait.delay,
      warnings,
      usage: {},
      rateLimit,
    };
    return {
      status: 200,
      body,
      headers: { ...headers, ...delayHeaders(rateLimit), ...rateLimitHeaders(rateLimit, { retry: false }) },
    };
  } catch (error) {
    throw await refusalWithPace(context, asRefusal(error), { caller, via, headers });
  }
}
