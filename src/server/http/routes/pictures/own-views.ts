import { z } from 'zod';
import { errorAnswerSchema } from '../../../../protocol/envelope.ts';
import { uuidSchema } from '../../../../protocol/skin.ts';
import { MAX_SIZE, MIN_SIZE, VIEWS, type View } from '../../../../skin/render/render.ts';
import { skinInput, textureInput } from '../../../pictures/texture-renders.ts';
import { PRIVATE, renderAnswer } from '../../picture-answer.ts';
import { type Route, route } from '../../route.ts';

const DEFAULT_SIZE = 256;
/** Seconds. The pixels under a hash never change, and the name of a picture includes the version that drew it. */
const CACHE_AGE = 30 * 24 * 3600;

/** Pages add parameters of their own against caches, so unknown ones are ignored. */
const query = z.object({
  size: z.coerce.number().int().min(MIN_SIZE).max(MAX_SIZE).default(DEFAULT_SIZE),
  overlay: z
    .enum(['true', 'false', '1', '0'])
    .default('true')
    .transform((text) => text === 'true' || text === '1'),
});
const textureQuery = query.extend({ variant: z.enum(['auto', 'classic', 'slim']).default('auto') });
const answers = { 200: 'image/png', 400: errorAnswerSchema, 404: errorAnswerSchema } as const;

export const SKIN_VIEW_ROUTES: readonly Route[] = VIEWS.map(skinViewRoute);
export const TEXTURE_VIEW_ROUTES: readonly Route[] = VIEWS.map(textureViewRoute);

function skinViewRoute(view: View): Route {
  return route({
    method: 'GET',
    paths: [`/v2/skins/:uuid/${view}.png`],
    summary: `A picture of a skin: ${view}`,
    params: z.object({ uuid: uuidSchema }),
    query,
    answers,
    cache: 'public',
    handle: async (call) => {
      const { context, caller, params } = call;
      const { input, visibility } = await skinInput(context, caller, params.uuid, { view, ...call.query });
      return await renderAnswer(call, input, visibility === 'private' ? PRIVATE : {});
    },
  });
}

function textureViewRoute(view: View): Route {
  return route({
    method: 'GET',
    paths: [`/textures/:hash/${view}.png`],
    summary: `A picture of a texture: ${view}`,
    params: z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/, 'not a texture hash') }),
    query: textureQuery,
    answers,
    authenticated: false,
    handle: async (call) => {
      const input = await textureInput(call.context, call.params.hash, { view, ...call.query });
      return await renderAnswer(call, input, { 'Cache-Control': `public, max-age=${CACHE_AGE}, immutable` });
    },
  });
}
