import { z } from 'zod';
import { reportBodySchema } from '../../../../protocol/moderation.ts';
import { uuidSchema } from '../../../../protocol/skin.ts';
import { skinEditSchema } from '../../../../protocol/skin-edit.ts';
import { MAX_SIZE, MIN_SIZE, VIEWS } from '../../../../skin/render/render.ts';
import { skinPage } from '../../../pages/views/skin.ts';
import { skinInput } from '../../../pictures/texture-renders.ts';
import { reportSkin } from '../../../service/moderation/reports.ts';
import { editSkin, removeSkin } from '../../../service/skins/changes.ts';
import { readSkin, signedBy, viewSkin } from '../../../service/skins/skins.ts';
import { similarSkins } from '../../../store/skins.ts';
import { pageRoute, seeOther } from '../../pages/page-route.ts';
import { renderAnswer } from '../../picture-answer.ts';

const params = z.object({ uuid: uuidSchema });

export const skinPageRoute = pageRoute({
  method: 'GET',
  path: '/ui/skins/:uuid',
  isFor: 'callers',
  params,
  query: z.object({ reported: z.literal('yes').optional().catch(undefined) }),
  handle: async ({ context, caller, session, params, query }) => {
    const skin = await readSkin(context, caller, params.uuid);
    await viewSkin(context, caller, params.uuid);
    const isOwn = session !== undefined && skin.owner === caller.owner;
    const view = {
      isOwn,
      isReported: query.reported !== undefined,
      similar: await similarSkins(context.db, skin),
      signer: signedBy(context, skin),
    };
    return skinPage(skin, { ...view, origin: context.publicUrl() });
  },
});

/** For private skins: their owner is known by the session here, which does not count for the API. */
export const skinPictureRoute = pageRoute({
  method: 'GET',
  path: '/ui/skins/:uuid/pictures/:view',
  isFor: 'callers',
  params: z.object({ uuid: uuidSchema, view: z.enum(VIEWS) }),
  query: z.object({ size: z.coerce.number().int().min(MIN_SIZE).max(MAX_SIZE) }),
  handle: async (call) => {
    const { view, uuid } = call.params;
    const choice = { view, size: call.query.size, overlay: true };
    const { input } = await skinInput(call.context, call.caller, uuid, choice);
    return await renderAnswer(call, input, {
      'Cache-Control': 'private, no-store',
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
  },
});

export const editSkinFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/skins/:uuid',
  isFor: 'users',
  scopes: ['skins'],
  params,
  handle: async ({ context, caller, params, request }) => {
    const edit = skinEditSchema.parse(request.body ?? {});
    const { uuid } = await editSkin(context, caller, { ...edit, uuid: params.uuid });
    return seeOther(`/ui/skins/${uuid}`);
  },
});

export const deleteSkinFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/skins/:uuid/delete',
  isFor: 'users',
  scopes: ['skins'],
  params,
  handle: async ({ context, caller, params }) => {
    await removeSkin(context, caller, params.uuid);
    return seeOther('/ui/');
  },
});

export const reportSkinFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/skins/:uuid/report',
  isFor: 'callers',
  params,
  handle: async ({ context, caller, params, request }) => {
    const report = reportBodySchema.parse(request.body ?? {});
    await reportSkin(context, caller, { ...report, ...params });
    return seeOther(`/ui/skins/${params.uuid}?reported=yes`);
  },
});
