import { z } from 'zod';
import { readAsset } from '../../../pages/assets/assets.ts';
import { Refusal } from '../../../service/refusal.ts';
import { encodedFor } from '../../answers.ts';
import { pageRoute } from '../../pages/page-route.ts';

/** Seconds. The name of an asset changes with its content. */
const FOREVER = 365 * 24 * 3600;

export const assetRoute = pageRoute({
  method: 'GET',
  path: '/ui/assets/:name',
  isFor: 'everyone',
  params: z.object({ name: z.string() }),
  handle: async ({ params, request }) => {
    const asset = await readAsset(params.name);
    if (!asset) throw new Refusal('not_found');
    const { body, headers } = encodedFor(request, asset);
    const kept = { 'Cache-Control': `public, max-age=${FOREVER}, immutable` };
    return { status: 200, body, headers: { 'Content-Type': asset.type, ...kept, ...headers } };
  },
});
