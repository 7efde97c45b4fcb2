import { z } from 'zod';
import { envelopeSchema, errorAnswerSchema } from '../../../protocol/envelope.ts';
import { reportBodySchema } from '../../../protocol/moderation.ts';
import {
  similarSkinsAnswerSchema,
  skinAnswerSchema,
  skinEditSchema,
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
import { fullUuid } from '../../service/skins/identity.ts';
import { readSimilarSkins, readSkin, viewSkin } from '../../service/skins/skins.ts';
import { type SkinWithData, tagsOf } from '../../store/skins.ts';
import { type Answer, type Call, type Route, route } from '../route.ts';
import {
  envelope,
  hashesOf,
  type Notes,
  similarSkinView,
  skinListItem,
  skinView,
  v2Answer,
} from '../views.ts';
import { CROSS_ORIGIN, PRIVATE_ANSWER } from './pictures.ts';

const params = z.object({ uuid: uuidOrShortIdSchema });
const skinAnswer = skinAnswerSchema.extend(skinSchema.shape);

const MAX_SIMILAR = 12;

const LIKES = '/v2/skins/:uuid/interactions/likes';

const links = { list: '/v2/me/skins' };

export const OWN_SKIN_ROUTES: readonly Route[] = [
  route({
    method: 'PATCH',
    scopes: ['skins'],
    needsKey: true,
    paths: ['/v2/me/skins'],
    summary: "Change the name or visibility of up to 128 of the caller's skins at once",
    body: skinsEditSchema,
    answers: { 200: skinsEditedAnswerSchema },
    handle: async ({ context, caller, body, warnings }) => {
      const { skins, ...edit } = body;
      const edits = skins.map((uuid) => ({ ...edit, uuid }));
      const { done, missing } = await editSkins(context, caller, edits);
      return v2Answer({ warnings, links }, { skins: done.map(skinListItem), missing });
    },
  }),
  route({
    method: 'POST',
    scopes: ['skins'],
    needsKey: true,
    paths: ['/v2/me/skins/delete'],
    summary: "Delete up to 128 of the caller's skins at once",
    body: skinsDeleteSchema,
    answers: { 200: skinsDeletedAnswerSchema },
    handle: async ({ context, caller, body, warnings }) => {
      const { skins, ...options } = body;
      const { done, missing } = await deleteSkins(context, caller, skins, options);
      return v2Answer({ warnings, links }, { deleted: done, missing });
    },
  }),
];

export const SKIN_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v2/skins/:uuid'],
    summary:
      'A skin with its value and signature; for public ones and your own, eight digits of the UUID suffice',
    params,
    answers: { 200: skinAnswer, 404: errorAnswerSchema },
    handle: async (call) => answerWith(await skinOf(call), { warnings: call.warnings }),
  }),
  route({
    method: 'PATCH',
    scopes: ['skins'],
    needsKey: true,
    paths: ['/v2/skins/:uuid'],
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
  route({
    method: 'DELETE',
    scopes: ['skins'],
    needsKey: true,
    paths: ['/v2/skins/:uuid'],
    summary: 'Delete a skin (its owner only); its texture stays while another skin or a player name uses it',
    params,
    // Whether to take it off the caller's player names, too; otherwise they go on wearing it.
    query: z.object({ undress: z.enum(['true', 'false']).default('false') }),
    answers: { 200: envelopeSchema, 404: errorAnswerSchema },
    handle: async (call) => {
      const { context, caller, query, warnings } = call;
      await deleteSkin(context, caller, await uuidOf(call), { undress: query.undress === 'true' });
      const messages = [{ code: 'deleted', message: 'The skin was deleted.' }];
      return v2Answer({ warnings, messages, links });
    },
  }),
  route({
    method: 'GET',
    paths: ['/v2/skins/:uuid/texture'],
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
  route({
    method: 'GET',
    paths: ['/v2/skins/:uuid/similar'],
    summary:
      'Skins that look alike, public or your own: those with the same pixels first, then the most similar',
    params,
    answers: { 200: similarSkinsAnswerSchema, 404: errorAnswerSchema },
    handle: async (call) => {
      const { context, caller, warnings } = call;
      const skin = await skinOf(call);
      const links = { skin: `/v2/skins/${skin.uuid}` };
      const similar = await readSimilarSkins(context, caller, { skin, size: MAX_SIMILAR });
      return v2Answer({ warnings, links }, { skins: similar.map(similarSkinView) });
    },
  }),
  route({
    method: 'POST',
    paths: ['/v2/skins/:uuid/interactions/views'],
    summary: 'Count a view of a skin, once an hour per caller; does not reveal whether the skin exists',
    params: z.object({ uuid: uuidSchema }),
    answers: { 204: null },
    handle: async ({ context, caller, params }) => {
      await viewSkin(context, caller, params.uuid);
      return { status: 204, body: undefined };
    },
  }),
  route({
    method: 'POST',
    scopes: ['skins'],
    needsKey: true,
    paths: [LIKES],
    summary: 'Like a skin, once',
    params: z.object({ uuid: uuidSchema }),
    answers: { 204: null, 409: errorAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params }) => {
      await likeSkin(context, caller, params.uuid);
      return { status: 204, body: undefined };
    },
  }),
  route({
    method: 'DELETE',
    scopes: ['skins'],
    needsKey: true,
    paths: [LIKES],
    summary: 'Remove a like',
    params: z.object({ uuid: uuidSchema }),
    answers: { 204: null, 404: errorAnswerSchema },
    handle: async ({ context, caller, params }) => {
      await unlikeSkin(context, caller, params.uuid);
      return { status: 204, body: undefined };
    },
  }),
  route({
    method: 'GET',
    paths: ['/v2/skins/:uuid/tags'],
    summary: 'The tags of a skin; its owner sets them',
    params,
    answers: { 200: tagsAnswerSchema, 404: errorAnswerSchema },
    handle: async (call) => {
      const skin = await skinOf(call);
      const vote = skin.owner === call.caller.owner ? 'up' : null;
      const tags = tagsOf(skin).map((tag) => ({ tag, vote, suggested: false }));
      return v2Answer({ warnings: call.warnings }, { tags });
    },
  }),
  route({
    method: 'POST',
    scopes: ['skins'],
    needsKey: true,
    paths: ['/v2/skins/:uuid/tags'],
    summary: 'Add a tag (vote up) or remove it (vote down): for the owner only, but operators can remove any',
    params,
    body: tagVoteSchema,
    answers: { 200: envelopeSchema, 404: errorAnswerSchema },
    handle: async (call) => {
      const { context, caller, body, warnings } = call;
      const isChanged = await voteOnTag(context, caller, { ...body, uuid: await uuidOf(call) });
      const message = isChanged
        ? { code: 'vote_added', message: 'The tags were changed.' }
        : { code: 'already_voted', message: 'The skin already has these tags.' };
      return v2Answer({ warnings, messages: [message] });
    },
  }),
  route({
    method: 'POST',
    paths: ['/v2/skins/:uuid/report'],
    summary: 'Report a skin to the operators',
    verifyCaller: (caller, { webPages }) => webPages.verifyMay('report', caller),
    params: z.object({ uuid: uuidSchema }),
    body: reportBodySchema,
    answers: { 200: envelopeSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params, body, warnings }) => {
      await reportSkin(context, caller, { ...body, ...params });
      const messages = [{ code: 'skin_reported', message: 'Report sent.' }];
      return v2Answer({ warnings, messages, links: { skin: `/v2/skins/${params.uuid}` } });
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
