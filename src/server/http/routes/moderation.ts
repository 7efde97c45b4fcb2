import { z } from 'zod';
import { envelopeSchema, errorAnswerSchema, pageQuerySchema } from '../../../protocol/envelope.ts';
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
import { type Route, route } from '../route.ts';
import { pageLinks, placeAfter, v2Answer } from '../views.ts';

const skinParams = z.object({ uuid: uuidSchema });

const REPORTS = '/v2/account/reports';
const SKIN = '/v2/account/skins/:uuid';
const IMAGES = '/v2/account/blocked-images';
const LOG = '/v2/account/log';

export const MODERATION_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    scopes: ['operator'],
    paths: [REPORTS],
    summary: 'Reports of skins and sets, newest first (operator only)',
    query: reportListQuerySchema,
    answers: { 200: reportListAnswerSchema },
    handle: async ({ context, caller, query, warnings }) => {
      const reports = await readReports(context, caller, query);
      const next = placeAfter(reports, query.size, ({ id }) => id);
      return v2Answer({ warnings, links: pageLinks(REPORTS, query, next) }, { reports });
    },
  }),
  route({
    method: 'POST',
    scopes: ['operator'],
    paths: [`${REPORTS}/:id/close`],
    summary: 'Close a report without changing what it is about (operator only)',
    params: z.object({ id: reportNumberSchema }),
    body: decisionSchema,
    answers: { 200: reportAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params, body, warnings }) => {
      const report = await dismissReport(context, caller, { ...params, ...body });
      return v2Answer({ warnings, links: { list: REPORTS } }, { report });
    },
  }),
  route({
    method: 'PATCH',
    scopes: ['operator'],
    paths: [SKIN],
    summary: "Hide any user's skin or show it again; hiding closes its reports (operator only)",
    params: skinParams,
    body: skinDecisionSchema,
    answers: { 200: moderatedSkinAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params, body, warnings }) => {
      const skin = await setHidden(context, caller, { ...params, ...body });
      return v2Answer({ warnings, links: { self: `/v2/account/skins/${skin.uuid}` } }, { skin });
    },
  }),
  route({
    method: 'DELETE',
    scopes: ['operator'],
    paths: [SKIN],
    summary: "Delete any user's skin and close its reports (operator only)",
    params: skinParams,
    query: decisionSchema,
    answers: { 200: envelopeSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params, query, warnings }) => {
      await deleteAnySkin(context, caller, { ...params, ...query });
      const messages = [{ code: 'skin_deleted', message: 'The skin was deleted.' }];
      return v2Answer({ warnings, messages, links: { log: LOG } });
    },
  }),
  route({
    method: 'GET',
    scopes: ['operator'],
    paths: [IMAGES],
    summary: 'Pictures that the service refuses, by hash (operator only)',
    query: blockedImageListQuerySchema,
    answers: { 200: blockedImageListAnswerSchema },
    handle: async ({ context, caller, query, warnings }) => {
      const images = await readBlockedImages(context, caller, query);
      const next = placeAfter(images, query.size, ({ hash }) => hash);
      return v2Answer({ warnings, links: pageLinks(IMAGES, query, next) }, { images });
    },
  }),
  route({
    method: 'POST',
    scopes: ['operator'],
    paths: [IMAGES],
    summary: 'Block a picture and hide all skins that use it (operator only)',
    body: blockBodySchema,
    answers: { 200: blockedImageAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, body, warnings }) => {
      const blocking = await blockImage(context, caller, body);
      return v2Answer({ warnings, links: { list: IMAGES } }, blocking);
    },
  }),
  route({
    method: 'DELETE',
    scopes: ['operator'],
    paths: [`${IMAGES}/:hash`],
    summary: 'Unblock a picture; hidden skins stay hidden (operator only)',
    params: z.object({ hash: imageHashSchema }),
    query: decisionSchema,
    answers: { 200: envelopeSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params, query, warnings }) => {
      await unblockImage(context, caller, { ...params, ...query });
      const messages = [{ code: 'image_unblocked', message: 'The picture is accepted again.' }];
      return v2Answer({ warnings, messages, links: { list: IMAGES } });
    },
  }),
  route({
    method: 'GET',
    scopes: ['operator'],
    paths: [LOG],
    summary: 'The log of operators, newest first (operator only)',
    query: pageQuerySchema,
    answers: { 200: logAnswerSchema },
    handle: async ({ context, caller, query, warnings }) => {
      const entries = await readOperatorLog(context, caller, query);
      const next = placeAfter(entries, query.size, ({ id }) => id);
      return v2Answer({ warnings, links: pageLinks(LOG, query, next) }, { entries });
    },
  }),
];
