import { z } from 'zod';
import { errorAnswerSchema, pageQuerySchema } from '../../../protocol/envelope.ts';
import {
  blockBodySchema,
  blockedImageAnswerSchema,
  blockedImageListAnswerSchema,
  blockedImageListQuerySchema,
  decisionSchema,
  imageHashSchema,
  logAnswerSchema,
  moderatedSkinAnswerSchema,
  reportAnswerSchema,
  reportListAnswerSchema,
  reportListQuerySchema,
  reportNumberSchema,
  skinDecisionSchema,
} from '../../../protocol/moderation.ts';
import { uuidSchema } from '../../../protocol/skin.ts';
import {
  blockImage,
  deleteAnySkin,
  dismissReport,
  readBlockedImages,
  readOperatorLog,
  readReports,
  setHidden,
  unblockImage,
} from '../../service/moderation.ts';
import type { Route } from '../route.ts';
import { v2Routes } from '../v2-routes.ts';
import { pageLinks, placeAfter } from '../views.ts';

const skinParams = z.object({ uuid: uuidSchema });
const REPORTS = '/v2/account/reports';
const SKIN = '/v2/account/skins/:uuid';
const IMAGES = '/v2/account/blocked-images';
const LOG = '/v2/account/log';
const forOperators = v2Routes({ scopes: ['operator'] });

export const MODERATION_ROUTES: readonly Route[] = [
  forOperators(`GET ${REPORTS}`, {
    summary: 'Reports of skins and sets, newest first (operator only)',
    query: reportListQuerySchema,
    answers: { 200: reportListAnswerSchema },
    handle: async ({ context, caller, query }) => {
      const reports = await readReports(context, caller, query);
      const next = placeAfter(reports, query.size, ({ id }) => id);
      return { links: pageLinks(REPORTS, query, next), reports };
    },
  }),
  forOperators(`POST ${REPORTS}/:id/close`, {
    summary: 'Close a report without changing what it is about (operator only)',
    params: z.object({ id: reportNumberSchema }),
    body: decisionSchema,
    answers: { 200: reportAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params, body }) => ({
      links: { list: REPORTS },
      report: await dismissReport(context, caller, { ...params, ...body }),
    }),
  }),
  forOperators(`PATCH ${SKIN}`, {
    summary: "Hide any user's skin or show it again; hiding closes its reports (operator only)",
    params: skinParams,
    body: skinDecisionSchema,
    answers: { 200: moderatedSkinAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params, body }) => ({
      links: { self: `/v2/account/skins/${params.uuid}` },
      skin: await setHidden(context, caller, { ...params, ...body }),
    }),
  }),
  forOperators(`DELETE ${SKIN}`, {
    summary: "Delete any user's skin and close its reports (operator only)",
    params: skinParams,
    query: decisionSchema,
    links: { log: LOG },
    done: { code: 'skin_deleted', message: 'The skin was deleted.' },
    handle: async ({ context, caller, params, query }) =>
      await deleteAnySkin(context, caller, { ...params, ...query }),
  }),
  forOperators(`GET ${IMAGES}`, {
    summary: 'Pictures that the service refuses, by hash (operator only)',
    query: blockedImageListQuerySchema,
    answers: { 200: blockedImageListAnswerSchema },
    handle: async ({ context, caller, query }) => {
      const images = await readBlockedImages(context, caller, query);
      const next = placeAfter(images, query.size, ({ hash }) => hash);
      return { links: pageLinks(IMAGES, query, next), images };
    },
  }),
  forOperators(`POST ${IMAGES}`, {
    summary: 'Block a picture and hide all skins that use it (operator only)',
    body: blockBodySchema,
    answers: { 200: blockedImageAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, body }) => ({
      links: { list: IMAGES },
      ...(await blockImage(context, caller, body)),
    }),
  }),
  forOperators(`DELETE ${IMAGES}/:hash`, {
    summary: 'Unblock a picture; hidden skins stay hidden (operator only)',
    params: z.object({ hash: imageHashSchema }),
    query: decisionSchema,
    links: { list: IMAGES },
    done: { code: 'image_unblocked', message: 'The picture is accepted again.' },
    handle: async ({ context, caller, params, query }) =>
      await unblockImage(context, caller, { ...params, ...query }),
  }),
  forOperators(`GET ${LOG}`, {
    summary: 'The log of operators, newest first (operator only)',
    query: pageQuerySchema,
    answers: { 200: logAnswerSchema },
    handle: async ({ context, caller, query }) => {
      const entries = await readOperatorLog(context, caller, query);
      const next = placeAfter(entries, query.size, ({ id }) => id);
      return { links: pageLinks(LOG, query, next), entries };
    },
  }),
];
