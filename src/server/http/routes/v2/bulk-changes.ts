import { errorAnswerSchema } from '../../../../protocol/envelope.ts';
import {
  skinsDeletedAnswerSchema,
  skinsDeleteSchema,
  skinsEditedAnswerSchema,
  skinsEditSchema,
} from '../../../../protocol/skin-edit.ts';
import { editSkins, removeSkins } from '../../../service/skins/changes.ts';
import { route } from '../../route.ts';
import { envelope, skinListItem } from '../../views.ts';

const links = { list: '/v2/me/skins' };
const refusals = { 400: errorAnswerSchema, 401: errorAnswerSchema, 403: errorAnswerSchema };

export const editSkinsRoute = route({
  method: 'PATCH',
  scopes: ['skins'],
  needsKey: true,
  paths: ['/v2/me/skins'],
  summary: 'Change the name or visibility of up to 128 skins of the caller at once',
  bodies: { 'application/json': skinsEditSchema },
  answers: { ...refusals, 200: skinsEditedAnswerSchema },
  handle: async ({ context, caller, request, warnings }) => {
    const edit = skinsEditSchema.parse(request.body ?? {});
    const { done, missing } = await editSkins(context, caller, edit);
    const body = { ...envelope({ warnings, links }), skins: done.map(skinListItem), missing };
    return { status: 200, body };
  },
});

export const removeSkinsRoute = route({
  method: 'POST',
  scopes: ['skins'],
  needsKey: true,
  paths: ['/v2/me/skins/delete'],
  summary: 'Delete up to 128 skins of the caller at once',
  bodies: { 'application/json': skinsDeleteSchema },
  answers: { ...refusals, 200: skinsDeletedAnswerSchema },
  handle: async ({ context, caller, request, warnings }) => {
    const { skins } = skinsDeleteSchema.parse(request.body ?? {});
    const { done, missing } = await removeSkins(context, caller, skins);
    return { status: 200, body: { ...envelope({ warnings, links }), deleted: done, missing } };
  },
});
