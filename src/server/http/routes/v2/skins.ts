import { z } from 'zod';
import { envelopeSchema, errorAnswerSchema, type Note } from '../../../../protocol/envelope.ts';
import {
  SHORT_ID_LENGTH,
  similarSkinsAnswerSchema,
  skinAnswerSchema,
  skinSchema,
  uuidOrShortIdSchema,
  uuidSchema,
} from '../../../../protocol/skin.ts';
import { skinEditSchema } from '../../../../protocol/skin-edit.ts';
import type { Caller } from '../../../service/callers/caller.ts';
import type { ServiceContext } from '../../../service/context.ts';
import { editSkin, removeSkin } from '../../../service/skins/skin-changes.ts';
import { uuidOfShortId } from '../../../service/skins/skin-picks.ts';
import { readSkin, viewSkin } from '../../../service/skins/skins.ts';
import { similarSkins } from '../../../store/similar-skins.ts';
import type { SkinWithData } from '../../../store/skins.ts';
import { type Answer, route } from '../../route.ts';
import { envelope, similarSkinView, skinView } from '../../views.ts';

const params = z.object({ uuid: uuidSchema });
const skinAnswer = skinAnswerSchema.extend(skinSchema.shape);

export const skinRoute = route({
  method: 'GET',
  paths: ['/v2/skins/:uuid'],
  summary:
    'A skin with its value and signature; public ones and your own also by the first eight digits of the UUID',
  params: z.object({ uuid: uuidOrShortIdSchema }),
  answers: { 200: skinAnswer, 404: errorAnswerSchema },
  handle: async ({ context, caller, params, warnings }) =>
    answerWith(await readSkin(context, caller, await wholeUuid(context, caller, params.uuid)), warnings),
});

async function wholeUuid(context: ServiceContext, caller: Caller, id: string): Promise<string> {
  return id.length === SHORT_ID_LENGTH ? await uuidOfShortId(context, caller, id) : id;
}

export const editSkinRoute = route({
  method: 'PATCH',
  scopes: ['skins'],
  needsKey: true,
  paths: ['/v2/skins/:uuid'],
  summary: "Change a skin's name or visibility (its owner only); an empty name, or null, takes the name away",
  params,
  bodies: { 'application/json': skinEditSchema },
  answers: {
    200: skinAnswer,
    400: errorAnswerSchema,
    401: errorAnswerSchema,
    403: errorAnswerSchema,
    404: errorAnswerSchema,
  },
  handle: async ({ context, caller, params, request, warnings }) => {
    const edit = skinEditSchema.parse(request.body ?? {});
    return answerWith(await editSkin(context, caller, { ...edit, uuid: params.uuid }), warnings);
  },
});

export const removeSkinRoute = route({
  method: 'DELETE',
  scopes: ['skins'],
  needsKey: true,
  paths: ['/v2/skins/:uuid'],
  summary: 'Delete a skin (its owner only); its texture stays while another skin needs it',
  params,
  answers: { 200: envelopeSchema, 401: errorAnswerSchema, 404: errorAnswerSchema },
  handle: async ({ context, caller, params, warnings }) => {
    await removeSkin(context, caller, params.uuid);
    const messages = [{ code: 'skin_deleted', message: 'The skin is deleted.' }];
    return { status: 200, body: envelope({ warnings, messages, links: { list: '/v2/me/skins' } }) };
  },
});

export const skinTextureRoute = route({
  method: 'GET',
  paths: ['/v2/skins/:uuid/texture'],
  summary: "Leads to a skin's texture",
  params,
  answers: { 302: null, 404: errorAnswerSchema },
  handle: async ({ context, caller, params }) => {
    const { texture_hash } = await readSkin(context, caller, params.uuid);
    // A relative address: the caller may have reached this service at another one than the signed data names.
    return { status: 302, body: undefined, headers: { Location: `/textures/${texture_hash}` } };
  },
});

export const similarSkinsRoute = route({
  method: 'GET',
  paths: ['/v2/skins/:uuid/similar'],
  summary: 'Public skins with the same pixels, but other arms or another cape: at most one of each',
  params,
  answers: { 200: similarSkinsAnswerSchema, 404: errorAnswerSchema },
  handle: async ({ context, caller, params, warnings }) => {
    const skin = await readSkin(context, caller, params.uuid);
    const links = { skin: `/v2/skins/${skin.uuid}` };
    const skins = (await similarSkins(context.db, skin)).map(similarSkinView);
    return { status: 200, body: { ...envelope({ warnings, links }), skins } };
  },
});

export const viewSkinRoute = route({
  method: 'POST',
  paths: ['/v2/skins/:uuid/interactions/views'],
  summary: 'Count a view of a skin, once an hour for each caller',
  params,
  answers: { 204: null, 404: errorAnswerSchema },
  handle: async ({ context, caller, params }) => {
    await viewSkin(context, caller, params.uuid);
    return { status: 204, body: undefined };
  },
});

function answerWith(row: SkinWithData, warnings: readonly Note[]): Answer {
  const skin = skinView(row);
  const links = { self: `/v2/skins/${skin.uuid}` };
  // The published contract has the fields at the top level, the service's clients read `skin`: send both.
  return { status: 200, body: { ...skin, ...envelope({ warnings, links }), skin } };
}
