import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { z } from 'zod';
import { readAsset } from '../../../pages/assets/assets.ts';
import { Refusal } from '../../../service/refusals/refusal.ts';
import { pageRoute } from '../../pages/page-route.ts';

/** Seconds. The name of an asset changes with its content. */
const FOREVER = 365 * 24 * 3600;

export const assetRoute = pageRoute({
  method: 'GET',
  path: '/ui/assets/:name',
  isFor: 'everyone',
  params: z.object({ name: z.string() }),
  handle: async ({ params, request }) => {
    const asset = readAsset(params.name);
    if (!asset) throw new Refusal('not_found');
    const isZipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    return {
      status: 200,
      body: isZipped ? asset.gzipped : await promisify(gunzip)(asset.gzipped),
      headers: {
        'Content-Type': asset.type,
        ...(isZipped && { 'Content-Encoding': 'gzip' }),
        'Cache-Control': `public, max-age=${FOREVER}, immutable`,
        Vary: 'Accept-Encoding',
      },
    };
  },
});
