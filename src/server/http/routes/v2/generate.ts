import { errorAnswerSchema } from '../../../../protocol/envelope.ts';
import { type ErrorCode, isErrorCode } from '../../../../protocol/errors.ts';
import { generateQuerySchema } from '../../../../protocol/generate.ts';
import { generateAnswerSchema } from '../../../../protocol/job.ts';
import { waitForEnd } from '../../../service/jobs.ts';
import { readRateLimit } from '../../../service/rate-limit.ts';
import { Refusal } from '../../../service/refusal.ts';
import { submit } from '../../../service/submit.ts';
import { findSkin, type SkinWithData } from '../../../store/skins.ts';
import type { JobRow } from '../../../store/tables.ts';
import { generateBodies, generateHeaders } from '../../generate-bodies.ts';
import { readGenerateRequest } from '../../generate-request.ts';
import { EVENTS_LINK } from '../../job-answers.ts';
import { type Call, route } from '../../route.ts';
import { envelope, rateLimitHeaders, skinView } from '../../views.ts';

export const generateRoute = route({
  method: 'POST',
  paths: ['/v2/generate'],
  summary: 'Generate a skin from a file, a URL or a player, and wait for it',
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
    const { wish, warnings } = await readGenerateRequest(call.request, call);
    const submitted = await submit(context, { caller, ...wish });
    const isKnown = submitted.kind === 'known';
    const skin = isKnown ? submitted.skin : await awaitSkin(call, submitted.job, query.timeout * 1000);
    const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
    const talk = {
      warnings: [...call.warnings, ...warnings, ...submitted.warnings],
      messages: isKnown
        ? [{ code: 'skin_found', message: 'Found an existing skin.' }]
        : [{ code: 'skin_generated', message: 'The skin was generated.' }],
      links: {
        self: `/v2/skins/${skin.uuid}`,
        skin: `/v2/skins/${skin.uuid}`,
        job: `/v2/queue/${submitted.job.uuid}`,
        ...EVENTS_LINK,
      },
    };
    const duplicate = submitted.kind === 'ended' ? undefined : isKnown;
    const body = { ...envelope(talk), skin: skinView(skin, duplicate), rateLimit, usage: {} };
    return { status: 200, body, headers: rateLimitHeaders(rateLimit, { retry: false }) };
  },
});

async function awaitSkin({ context }: Call, job: JobRow, ms: number): Promise<SkinWithData> {
  const ended = await waitForEnd(context, job.uuid, ms);
  const links = { job: `/v2/queue/${job.uuid}` };
  if (ended.status === 'failed') throw failure(ended, links);
  if (ended.status !== 'completed' || ended.skin_uuid === null)
    throw new Refusal('generator_timeout', { links });
  const skin = await findSkin(context.db, ended.skin_uuid);
  if (!skin) throw new Refusal('skin_not_found', { links });
  return skin;
}

function failure(job: JobRow, links: Record<string, string>): Refusal {
  const code: ErrorCode =
    job.error_code !== null && isErrorCode(job.error_code) ? job.error_code : 'job_failed';
  return new Refusal(code, { links, ...(job.error_message !== null && { message: job.error_message }) });
}
