import { errorAnswerSchema } from '../../../../protocol/envelope.ts';
import { ownSkinListQuerySchema } from '../../../../protocol/skin.ts';
import { MAX_EXPORTED } from '../../../service/skins/export.ts';
import { EXPORTS, exportAnswer } from '../../downloads/download.ts';
import { type Route, route } from '../../route.ts';

/** Which of the caller's skins are exported. */
export const exportQuerySchema = ownSkinListQuerySchema.omit({ size: true, sort: true });

const SUMMARIES: Readonly<Record<keyof typeof EXPORTS, string>> = {
  zip: `Up to ${MAX_EXPORTED} of the caller's own skins as a zip: pictures, and skins.lock with the data`,
  lock: `Up to ${MAX_EXPORTED} of the caller's own skins as skins.lock, newest first; more with after: the last UUID`,
};

export const exportRoutes: readonly Route[] = (['zip', 'lock'] as const).map((kind) => {
  const path = `/v2/me/skins.${kind}`;
  return route({
    method: 'GET',
    scopes: ['read'],
    needsKey: true,
    paths: [path],
    summary: SUMMARIES[kind],
    query: exportQuerySchema,
    isStrict: true,
    answers: {
      200: EXPORTS[kind].type,
      400: errorAnswerSchema,
      401: errorAnswerSchema,
      403: errorAnswerSchema,
      429: errorAnswerSchema,
      503: errorAnswerSchema,
    },
    isStreamed: true,
    cache: 'none',
    handle: async (call) => await exportAnswer(kind, path, call),
  });
});
