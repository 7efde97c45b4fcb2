import type { z } from 'zod';
import { errorAnswerSchema, type Note } from '../../../protocol/envelope.ts';
import {
  MAX_PACKED,
  ownSkinListQuerySchema,
  skinListAnswerSchema,
  skinListQuerySchema,
  skinPackQuerySchema,
} from '../../../protocol/skin.ts';
import { MAX_EXPORTED } from '../../service/skins/export.ts';
import { readOwnSkins, readPublicSkins, readRandomSkins, type SkinList } from '../../service/skins/skins.ts';
import { EXPORTS, exportAnswer, skinPackAnswer } from '../downloads.ts';
import { type Call, type Route, route } from '../route.ts';
import { v2Routes } from '../v2-routes.ts';
import { pageLinks, skinListItem } from '../views.ts';

/** As on the hosted service: the skin whose UUID a client sends may have been deleted. */
const startsOver = true;
const STARTED_OVER: Note = {
  code: 'anchor_not_found',
  message: 'No skin with that UUID to continue after; this is the first page.',
};

type SkinListParams = z.output<typeof skinListQuerySchema> &
  Pick<Partial<z.output<typeof ownSkinListQuerySchema>>, 'visibility'>;

const forEveryone = v2Routes();

export const SKIN_LIST_ROUTES: readonly Route[] = [
  forEveryone('GET /v2/skins', {
    alsoAt: ['/v2/skins/latest'],
    summary: 'Public skins, newest first; a page may be short, so follow links.next to the end',
    query: skinListQuerySchema,
    answers: { 200: skinListAnswerSchema },
    cache: 'public',
    handle: async (call) => await publicList(call, call.query),
  }),
  forEveryone('GET /v2/skins/popular', {
    summary: 'Public skins, those with the most views first',
    query: skinListQuerySchema.omit({ sort: true }),
    answers: { 200: skinListAnswerSchema },
    cache: 'public',
    handle: async (call) => await publicList(call, { ...call.query, sort: 'popular' }),
  }),
  forEveryone('GET /v2/skins/random', {
    summary: 'Random public skins',
    query: skinListQuerySchema.pick({ size: true }),
    answers: { 200: skinListAnswerSchema },
    cache: 'none',
    handle: async ({ context, query }) => {
      const skins = await readRandomSkins(context, query.size);
      return { skins: skins.map(skinListItem), pagination: { current: {} } };
    },
  }),
  route('GET /v2/skins/pack.zip', {
    summary: `A resource pack of up to ${MAX_PACKED} skins, for Minecraft 1.21.9 and later; its entity tag is its SHA-1`,
    query: skinPackQuerySchema,
    isStrict: true,
    answers: { 200: 'application/zip', 404: errorAnswerSchema },
    handle: async (call) => await skinPackAnswer(call, call.query),
  }),
];

/** Which of the caller's skins are exported. */
const exportQuerySchema = ownSkinListQuerySchema.omit({ size: true, sort: true });

const SUMMARIES: Readonly<Record<keyof typeof EXPORTS, string>> = {
  zip: `Up to ${MAX_EXPORTED} of the caller's own skins as a zip: pictures, and skins.lock with the data`,
  lock: `Up to ${MAX_EXPORTED} of the caller's own skins as skins.lock, newest first; more with after: the last UUID`,
};

const exportRoutes: readonly Route[] = (['zip', 'lock'] as const).map((kind) => {
  const path = `/v2/me/skins.${kind}` as const;
  return route(`GET ${path}`, {
    scopes: ['read'],
    needsKey: true,
    summary: SUMMARIES[kind],
    query: exportQuerySchema,
    isStrict: true,
    answers: { 200: EXPORTS[kind].type },
    isStreamed: true,
    cache: 'none',
    handle: async (call) => await exportAnswer(kind, path, call),
  });
});

export const OWN_SKIN_LIST_ROUTES: readonly Route[] = [
  forEveryone('GET /v2/me/skins', {
    scopes: ['read'],
    needsKey: true,
    summary: "The caller's own skins of every visibility, newest first",
    query: ownSkinListQuerySchema,
    isStrict: true,
    answers: { 200: skinListAnswerSchema },
    handle: async (call) => {
      const { context, caller, query } = call;
      return listContent('/v2/me/skins', call, await readOwnSkins(context, caller, { ...query, startsOver }));
    },
  }),
  ...exportRoutes,
];

async function publicList(call: Call, query: SkinListParams) {
  const list = await readPublicSkins(call.context, call.caller, { ...query, startsOver });
  return listContent('/v2/skins', { ...call, query }, list);
}

function listContent(
  path: string,
  { query, warnings: common }: Pick<Call<unknown, SkinListParams>, 'query' | 'warnings'>,
  { skins, next, total, hasStartedOver }: SkinList,
) {
  const { size, after, filter, visibility, variant, tag, cape, signer, sort } = query;
  const warnings = hasStartedOver ? [...common, STARTED_OVER] : common;
  const links = pageLinks(path, { size, after, filter, visibility, variant, tag, cape, signer, sort }, next);
  // By this field, clients see whether there is another page.
  const pagination = { current: { after }, ...(next !== undefined && { next: { after: next } }) };
  const extra = { ...(filter !== undefined && { search: filter }), ...(total !== undefined && { total }) };
  return { warnings, links, skins: skins.map(skinListItem), pagination, ...extra };
}
