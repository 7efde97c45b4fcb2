import { z } from 'zod';
import { galleryPage } from '../../../pages/views/gallery.ts';
import { readPublicSkins } from '../../../service/skins/skins.ts';
import { pageRoute } from '../../pages/page-route.ts';

/** Skins on one page: it weighs less than 60 KB with all their pictures. */
const SIZE = 20;

const text = (max: number) => z.string().max(max).optional();

export const galleryRoute = pageRoute({
  method: 'GET',
  path: '/ui/gallery',
  isFor: 'callers',
  query: z.object({
    sort: z.enum(['newest', 'popular']).default('newest'),
    filter: text(48),
    variant: z.enum(['', 'classic', 'slim']).default(''),
    after: text(64),
  }),
  handle: async ({ context, caller, query }) => {
    const { sort, filter, variant, after } = query;
    const { skins, next } = await readPublicSkins(context, caller, {
      size: SIZE,
      after,
      filter: filter || undefined,
      variant: variant || undefined,
      sort: sort === 'popular' ? sort : undefined,
    });
    return galleryPage({ skins, next, sort, filter: filter ?? '', variant, origin: context.publicUrl() });
  },
});
