import { z } from 'zod';
import { uuidSchema } from '../../../../protocol/skin.ts';
import { v1ErrorAnswerSchema, v1ListSchema } from '../../../../protocol/v1.ts';
import { readPublicPage } from '../../../service/skins/skin-picks.ts';
import { readPublicSkins } from '../../../service/skins/skins.ts';
import type { SkinWithData } from '../../../store/skins.ts';
import { type Answer, type Call, route } from '../../route.ts';
import { versionHeader } from '../../v1/error-answers.ts';

const USUAL_SIZE = 16;
const MAX_SIZE = 64;
/** Used instead of the UUID of a skin: the list from its beginning. */
const START = 'start';

const numberSchema = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform((text) => Math.max(1, Number(text)));
const placeSchema = z.union(
  [numberSchema, z.literal(START), uuidSchema],
  'a page from 1, or the UUID of a skin',
);

/** An invalid size is ignored, and one that is too large is reduced, as clients of version 1 expect. */
const sizeSchema = z
  .string()
  .optional()
  .transform((text) => Math.min(MAX_SIZE, Number.parseInt(text ?? '', 10) || USUAL_SIZE))
  .transform((size) => (size < 1 ? USUAL_SIZE : size));

interface ListQuery {
  readonly size: number;
  readonly filter?: string | undefined;
}

const listing = {
  method: 'GET',
  deprecated: true,
  query: z.object({
    size: sizeSchema,
    filter: z
      .string()
      .transform((text) => text.slice(0, 32))
      .optional(),
  }),
  answers: { 200: v1ListSchema, 400: v1ErrorAnswerSchema },
  cache: 'public',
} as const;

export const v1FirstListRoute = route({
  ...listing,
  paths: ['/get/list'],
  summary: 'Public skins, newest first: the first page (version 1)',
  handle: async (call) => await numberedPage(call, 1),
});

export const v1ListRoute = route({
  ...listing,
  paths: ['/get/list/:page'],
  summary: 'Public skins, newest first, in pages from 1 or after a skin (version 1)',
  params: z.object({ page: placeSchema }),
  handle: async (call) => {
    const { page } = call.params;
    return typeof page === 'number' ? await numberedPage(call, page) : await pageAfter(call, page);
  },
});

async function numberedPage(
  { context, caller, query }: Call<unknown, ListQuery>,
  page: number,
): Promise<Answer> {
  const { skins, total } = await readPublicPage(context, caller, { page, ...query });
  const counted = total !== undefined && { amount: Math.ceil(total / query.size), total };
  return listAnswer(skins, { index: page, ...counted }, query);
}

async function pageAfter(
  { context, caller, query }: Call<unknown, ListQuery>,
  anchor: string,
): Promise<Answer> {
  const after = anchor === START ? undefined : anchor;
  const { skins } = await readPublicSkins(context, caller, { ...query, after });
  return listAnswer(skins, { anchor }, query);
}

function listAnswer(skins: readonly SkinWithData[], page: object, { filter }: ListQuery): Answer {
  const body = { skins: skins.map(v1ListItem), page, ...(filter !== undefined && { filter }) };
  return { status: 200, body, headers: versionHeader('v1') };
}

function v1ListItem({ id, uuid, name, url, variant, data_created_at }: SkinWithData) {
  return { id, uuid, name: name ?? '', url, time: Math.floor(data_created_at / 1000), variant };
}
