import { z } from 'zod';
import { errorAnswerSchema, type Note } from '../../../protocol/envelope.ts';
import { reportBodySchema } from '../../../protocol/moderation.ts';
import {
  MAX_PACKED,
  ownSkinListQuerySchema,
  similarSkinsAnswerSchema,
  skinAnswerSchema,
  skinEditSchema,
  skinListAnswerSchema,
  skinListQuerySchema,
  skinPackQuerySchema,
  skinSchema,
  skinsDeletedAnswerSchema,
  skinsDeleteSchema,
  skinsEditedAnswerSchema,
  skinsEditSchema,
  tagsAnswerSchema,
  tagVoteSchema,
  uuidOrShortIdSchema,
  uuidSchema,
} from '../../../protocol/skin.ts';
import { reportSkin } from '../../service/moderation.ts';
import {
  deleteSkin,
  deleteSkins,
  editSkin,
  editSkins,
  likeSkin,
  unlikeSkin,
  voteOnTag,
} from '../../service/skins/changes.ts';
import { MAX_EXPORTED } from '../../service/skins/export.ts';
import { fullUuid } from '../../service/skins/identity.ts';
import {
  readOwnSkins,
  readPublicSkins,
  readRandomSkins,
  readSimilarSkins,
  readSkin,
  type SkinList,
  viewSkin,
} from '../../service/skins/skins.ts';
import { type SkinWithData, tagsOf } from '../../store/skins.ts';
import { EXPORTS, exportAnswer, skinPackAnswer } from '../downloads.ts';
import { type Answer, type Call, type Route, route } from '../route.ts';
import { v2Routes } from '../v2-routes.ts';
import {
  envelope,
  hashesOf,
  type Notes,
  pageLinks,
  similarSkinView,
  skinListItem,
  skinView,
} from '../views.ts';
import { CROSS_ORIGIN, PRIVATE_ANSWER } from './pictures.ts';

const params = z.object({ uuid: uuidOrShortIdSchema });
const skinAnswer = skinAnswerSchema.extend(skinSchema.shape);

const MAX_SIMILAR = 12;

const LIKES = '/v2/skins/:uuid/interactions/likes';

const forOwners = v2Routes({ scopes: ['skins'], needsKey: true, links: { list: '/v2/me/skins' } });
const forEveryone = v2Routes();

export const OWN_SKIN_ROUTES: readonly Route[] = [
  forOwners('PATCH /v2/me/skins', {
    summary: "Change the name or visibility of up to 128 of the caller's skins at once",
    body: skinsEditSchema,
    answers: { 200: skinsEditedAnswerSchema },
    handle: async ({ context, caller, body }) => {
      const { skins, ...edit } = body;
      const edits = skins.map((uuid) => ({ ...edit, uuid }));
      const { done, missing } = await editSkins(context, caller, edits);
      return { skins: done.map(skinListItem), missing };
    },
  }),
  forOwners('POST /v2/me/skins/delete', {
    summary: "Delete up to 128 of the caller's skins at once",
    body: skinsDeleteSchema,
    answers: { 200: skinsDeletedAnswerSchema },
    handle: async ({ context, caller, body }) => {
      const { skins, ...options } = body;
      const { done, missing } = await deleteSkins(context, caller, skins, options);
      return { deleted: done, missing };
    },
  }),
];

export const SKIN_ROUTES: readonly Route[] = [
  route('GET /v2/skins/:uuid', {
    summary:
      'A skin with its value and signature; for public ones and your own, eight digits of the UUID suffice',
    params,
    answers: { 200: skinAnswer, 404: errorAnswerSchema },
    handle: async (call) => answerWith(await skinOf(call), { warnings: call.warnings }),
  }),
  route('PATCH /v2/skins/:uuid', {
    scopes: ['skins'],
    needsKey: true,
    summary: "Change a skin's name or visibility (its owner only); an empty name or null removes the name",
    params,
    body: skinEditSchema,
    answers: { 200: skinAnswer, 404: errorAnswerSchema },
    handle: async (call) => {
      const { context, caller, body, warnings } = call;
      const skin = await editSkin(context, caller, { ...body, uuid: await uuidOf(call) });
      const messages = [{ code: 'updated', message: 'The skin was changed.' }];
      return answerWith(skin, { warnings, messages });
    },
  }),
  forOwners('DELETE /v2/skins/:uuid', {
    summary: 'Delete a skin (its owner only); its texture stays while another skin or a player name uses it',
    params,
    // Whether to take it off the caller's player names, too; otherwise they go on wearing it.
    query: z.object({ undress: z.enum(['true', 'false']).default('false') }),
    done: { code: 'deleted', message: 'The skin was deleted.' },
    handle: async (call) => {
      const { context, caller, query } = call;
      await deleteSkin(context, caller, await uuidOf(call), { undress: query.undress === 'true' });
    },
  }),
  route('GET /v2/skins/:uuid/texture', {
    summary: "Redirects to a skin's texture",
    params,
    answers: { 302: null, 404: errorAnswerSchema },
    cache: 'public',
    handle: async (call) => {
      const skin = await skinOf(call);
      const { uuid, visibility } = skin;
      const isForAll = visibility === 'public' || (visibility === 'unlisted' && uuid === call.params.uuid);
      // A relative address, because the signed data may name another address than the caller's.
      const headers = {
        ...(isForAll ? CROSS_ORIGIN : PRIVATE_ANSWER),
        Location: `/textures/${hashesOf(skin).skin}`,
      };
      return { status: 302, body: undefined, headers };
    },
  }),
  forEveryone('GET /v2/skins/:uuid/similar', {
    summary:
      'Skins that look alike, public or your own: those with the same pixels first, then the most similar',
    params,
    answers: { 200: similarSkinsAnswerSchema, 404: errorAnswerSchema },
    handle: async (call) => {
      const { context, caller } = call;
      const skin = await skinOf(call);
      const similar = await readSimilarSkins(context, caller, { skin, size: MAX_SIMILAR });
      return { links: { skin: `/v2/skins/${skin.uuid}` }, skins: similar.map(similarSkinView) };
    },
  }),
  forEveryone('POST /v2/skins/:uuid/interactions/views', {
    summary: 'Count a view of a skin, once an hour per caller; does not reveal whether the skin exists',
    params: z.object({ uuid: uuidSchema }),
    answers: { 204: null },
    handle: async ({ context, caller, params }) => await viewSkin(context, caller, params.uuid),
  }),
  forOwners(`POST ${LIKES}`, {
    summary: 'Like a skin, once',
    params: z.object({ uuid: uuidSchema }),
    answers: { 204: null, 409: errorAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params }) => await likeSkin(context, caller, params.uuid),
  }),
  forOwners(`DELETE ${LIKES}`, {
    summary: 'Remove a like',
    params: z.object({ uuid: uuidSchema }),
    answers: { 204: null, 404: errorAnswerSchema },
    handle: async ({ context, caller, params }) => await unlikeSkin(context, caller, params.uuid),
  }),
  forEveryone('GET /v2/skins/:uuid/tags', {
    summary: 'The tags of a skin; its owner sets them',
    params,
    answers: { 200: tagsAnswerSchema, 404: errorAnswerSchema },
    handle: async (call) => {
      const skin = await skinOf(call);
      const vote = skin.owner === call.caller.owner ? 'up' : null;
      return { tags: tagsOf(skin).map((tag) => ({ tag, vote, suggested: false })) };
    },
  }),
  forOwners('POST /v2/skins/:uuid/tags', {
    summary: 'Add a tag (vote up) or remove it (vote down): for the owner only, but operators can remove any',
    params,
    body: tagVoteSchema,
    links: {},
    handle: async (call) => {
      const { context, caller, body } = call;
      const isChanged = await voteOnTag(context, caller, { ...body, uuid: await uuidOf(call) });
      const message = isChanged
        ? { code: 'vote_added', message: 'The tags were changed.' }
        : { code: 'already_voted', message: 'The skin already has these tags.' };
      return { messages: [message] };
    },
  }),
  forEveryone('POST /v2/skins/:uuid/report', {
    summary: 'Report a skin to the operators',
    verifyCaller: (caller, { webPages }) => webPages.verifyMay('report', caller),
    params: z.object({ uuid: uuidSchema }),
    body: reportBodySchema,
    done: { code: 'skin_reported', message: 'Report sent.' },
    handle: async ({ context, caller, params, body }) => {
      await reportSkin(context, caller, { ...body, ...params });
      return { links: { skin: `/v2/skins/${params.uuid}` } };
    },
  }),
];

type SkinCall = Pick<Call<z.output<typeof params>>, 'context' | 'caller' | 'params'>;

/** @throws Refusal `skin_not_found` */
async function skinOf(call: SkinCall): Promise<SkinWithData> {
  return await readSkin(call.context, call.caller, await uuidOf(call));
}

/** @throws Refusal `skin_not_found` for a short ID without a skin */
async function uuidOf({ context, caller, params }: SkinCall): Promise<string> {
  return await fullUuid(context, caller, params.uuid);
}

function answerWith(row: SkinWithData, notes: Pick<Notes, 'warnings' | 'messages'>): Answer {
  const skin = skinView(row);
  const links = { self: `/v2/skins/${skin.uuid}` };
  // The published contract has the fields at the top level, but the hosted service's clients read `skin`: send both.
  return { status: 200, body: { ...skin, ...envelope({ ...notes, links }), skin } };
}

/** As on the hosted service: the skin whose UUID a client sends may have been deleted. */
const startsOver = true;
const STARTED_OVER: Note = {
  code: 'anchor_not_found',
  message: 'No skin with that UUID to continue after; this is the first page.',
};

type SkinListParams = z.output<typeof skinListQuerySchema> &
  Pick<Partial<z.output<typeof ownSkinListQuerySchema>>, 'visibility'>;

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
