import { z } from 'zod';
import {
  blockBodySchema,
  blockedImageListQuerySchema,
  imageHashSchema,
  logQuerySchema,
  reportListQuerySchema,
  reportNumberSchema,
} from '../../../../../protocol/moderation.ts';
import { uuidSchema } from '../../../../../protocol/skin.ts';
import { imagesPage } from '../../../../pages/views/operator/images.ts';
import { logPage } from '../../../../pages/views/operator/log.ts';
import { reportsPage } from '../../../../pages/views/operator/reports.ts';
import {
  blockImage,
  readBlockedImages,
  unblockImage,
  whichAreBlocked,
} from '../../../../service/moderation/blocked-images.ts';
import { readActs } from '../../../../service/moderation/log.ts';
import { dismissReport, readReports } from '../../../../service/moderation/reports.ts';
import { deleteAnySkin, setHidden } from '../../../../service/moderation/skins.ts';
import { placeAfter } from '../../../list-pages.ts';
import { type PageCall, type PageRoute, pageRoute, seeOther } from '../../../pages/page-route.ts';
import type { Answer } from '../../../route.ts';

const isFor = 'users' as const;
const scopes = ['operator'] as const;

/** Reports that the person has decided about: they keep their places, so that no other one gets under the pointer. */
const decidedSchema = z
  .string()
  .regex(/^(?:\d{1,15}(?:\.\d{1,15}){0,99})?$/)
  .default('')
  .transform((text) => text.split('.').filter((id) => id !== ''));

const REPORTS = '/ui/operator/reports';

/** Back to the list of reports that the form was in, or to where other forms of the kind stand. */
function toReports({ request }: PageCall, otherwise: `/ui${string}` = REPORTS): Answer {
  const sent = z.object({ decided: z.string().optional() }).safeParse(request.body ?? {});
  const { decided } = sent.data ?? {};
  return seeOther(decided ? `${REPORTS}?${new URLSearchParams({ decided })}` : otherwise);
}

const reportsRoute = pageRoute({
  method: 'GET',
  path: REPORTS,
  isFor,
  scopes,
  query: reportListQuerySchema.extend({ decided: decidedSchema }),
  handle: async ({ context, caller, query }) => {
    const { decided, ...page } = query;
    const reports = await readReports(context, caller, { ...page, kept: decided.map(Number) });
    const next = placeAfter(reports, query.size, ({ id }) => id);
    const images = reports.filter(({ id }) => decided.includes(id)).flatMap(({ texture }) => texture ?? []);
    const blocked = await whichAreBlocked(context, caller, images);
    return reportsPage({ reports, decided, blocked, state: query.state, next, origin: context.publicUrl() });
  },
});

const closeReportFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/operator/reports/:id/close',
  isFor,
  scopes,
  params: z.object({ id: reportNumberSchema }),
  handle: async (call) => {
    await dismissReport(call.context, call.caller, { ...call.params, note: '' });
    return toReports(call);
  },
});

const skinParams = z.object({ uuid: uuidSchema });

const hideFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/operator/skins/:uuid/hidden',
  isFor,
  scopes,
  params: skinParams,
  handle: async (call) => {
    const { context, caller, params, request } = call;
    const { hidden } = z.object({ hidden: z.enum(['yes', 'no']) }).parse(request.body ?? {});
    await setHidden(context, caller, { ...params, hidden: hidden === 'yes', note: '' });
    return toReports(call);
  },
});

const deleteFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/operator/skins/:uuid/delete',
  isFor,
  scopes,
  params: skinParams,
  handle: async (call) => {
    await deleteAnySkin(call.context, call.caller, { ...call.params, note: '' });
    return toReports(call);
  },
});

const imagesRoute = pageRoute({
  method: 'GET',
  path: '/ui/operator/images',
  isFor,
  scopes,
  query: blockedImageListQuerySchema,
  handle: async ({ context, caller, query }) => {
    const images = await readBlockedImages(context, caller, query);
    const next = placeAfter(images, query.size, ({ hash }) => hash);
    return imagesPage({ images, next, origin: context.publicUrl() });
  },
});

const blockFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/operator/images',
  isFor,
  scopes,
  handle: async (call) => {
    const { decided: _, ...input } = z.looseObject({}).parse(call.request.body ?? {});
    await blockImage(call.context, call.caller, blockBodySchema.parse(input));
    return toReports(call, '/ui/operator/images');
  },
});

const unblockFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/operator/images/:hash/unblock',
  isFor,
  scopes,
  params: z.object({ hash: imageHashSchema }),
  handle: async (call) => {
    await unblockImage(call.context, call.caller, { ...call.params, note: '' });
    return toReports(call, '/ui/operator/images');
  },
});

const logPageRoute = pageRoute({
  method: 'GET',
  path: '/ui/operator/log',
  isFor,
  scopes,
  query: logQuerySchema,
  handle: async ({ context, caller, query }) => {
    const entries = await readActs(context, caller, query);
    const next = placeAfter(entries, query.size, ({ id }) => id);
    return logPage({ entries, next, origin: context.publicUrl() });
  },
});

export const MODERATION_PAGES: readonly PageRoute[] = [
  reportsRoute,
  closeReportFormRoute,
  hideFormRoute,
  deleteFormRoute,
  imagesRoute,
  blockFormRoute,
  unblockFormRoute,
  logPageRoute,
];
