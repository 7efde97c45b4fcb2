import { z } from 'zod';
import { errorAnswerSchema } from '../../../protocol/envelope.ts';
import { Refusal } from '../../service/refusal.ts';
import { EVERYWHERE } from '../picture-answer.ts';
import { route } from '../route.ts';

/** Seconds. The bytes under a hash never change. */
const CACHE_AGE = 30 * 24 * 3600;

export const textureRoute = route({
  method: 'GET',
  paths: ['/textures/:hash', '/v2/images/:hash'],
  summary: 'A texture by its hash, as the game fetches it',
  params: z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/, 'not a texture hash') }),
  answers: { 200: 'image/png', 404: errorAnswerSchema },
  authenticated: false,
  handle: async ({ context, params, request }) => {
    const headers = {
      ...EVERYWHERE,
      'Cache-Control': `public, max-age=${CACHE_AGE}, immutable`,
      ETag: `"${params.hash}"`,
    };
    const texture = await context.servedTextures.find(params.hash);
    if (!texture) throw new Refusal('not_found', 'No such texture.');
    if (request.headers['if-none-match'] === headers.ETag) return { status: 304, body: undefined, headers };
    return {
      status: 200,
      body: Buffer.from(texture.png),
      headers: { ...headers, 'Content-Type': 'image/png' },
    };
  },
});
