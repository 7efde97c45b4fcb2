import { errorAnswerSchema } from '../../../../protocol/envelope.ts';
import { generateQuerySchema } from '../../../../protocol/generate.ts';
import { generateAnswerSchema } from '../../../../protocol/job.ts';
import { awaitSkin, DEFAULT_PATIENCE } from '../../../service/jobs/await-skin.ts';
import type { JobPatience } from '../../../service/jobs/jobs.ts';
import { toldAsRateLimit } from '../../../service/limits/over-limit.ts';
import { readRateLimit } from '../../../service/limits/rate-limit.ts';
import { asRefusal } from '../../../service/refusal.ts';
import { submit } from '../../../service/submitting/submit.ts';
import { readGenerateRequest } from '../../generate-request.ts';
import { generateBodies, generateHeaders } from '../../generate-schemas.ts';
import { EVENTS_LINK } from '../../job-answers.ts';
import { route } from '../../route.ts';
import { envelope, rateLimitHeaders, skinView } from '../../views.ts';

/**
 * A request without a time also waits for the job's turn: plugins send several at once to a queue that takes one after
 * the other.
 */
function patienceFor(seconds: number | undefined): JobPatience {
  return seconds === undefined ? DEFAULT_PATIENCE : { total: seconds * 1000 };
}

export const generateRoute = route({
  method: 'POST',
  scopes: ['generate'],
  paths: ['/v2/generate'],
  summary: 'Generate a skin from a file, a URL or a player, and wait for it',
  isLimited: true,
  query: generateQuerySchema,
  headers: generateHeaders,
  bodies: generateBodies,
  answers: {
    200: generateAnswerSchema,
    400: errorAnswerSchema,
    429: errorAnswerSchema,
    500: errorAnswerSchema,
  },
  handle: async (call) => {
    const { context, caller, query } = call;
    const { input, warnings } = await readGenerateRequest(call.request, call);
    const submitted = await submit(context, { caller, via: 'queue', ...input }).catch((error: unknown) => {
      throw toldAsRateLimit(asRefusal(error));
    });
    const isKnown = submitted.kind === 'known';
    const { job } = submitted;
    const skin = isKnown
      ? submitted.skin
      : await awaitSkin(context, { caller, job }, patienceFor(query.timeout));
    const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
    const notes = {
      warnings: [...call.warnings, ...warnings, ...submitted.warnings],
      messages: isKnown
        ? [{ code: 'skin_found', message: 'Found an existing skin.' }]
        : [{ code: 'skin_generated', message: 'The skin was generated.' }],
      links: {
        self: `/v2/skins/${skin.uuid}`,
        skin: `/v2/skins/${skin.uuid}`,
        job: `/v2/queue/${job.uuid}`,
        ...EVENTS_LINK,
      },
    };
    const duplicate = submitted.kind === 'ended' ? undefined : isKnown;
    const body = { ...envelope(notes), skin: skinView(skin, duplicate), rateLimit, usage: {} };
    return { status: 200, body, headers: rateLimitHeaders(rateLimit, { retry: false }) };
  },
});
