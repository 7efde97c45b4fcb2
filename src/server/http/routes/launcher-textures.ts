import { z } from 'zod';
import { errorAnswerSchema } from '../../../protocol/envelope.ts';
import { requireScope } from '../../service/callers.ts';
import { takeOff, wearPicture, wearPicturedCape } from '../../service/players/launcher-textures.ts';
import { Refusal } from '../../service/refusal.ts';
import { pngFile, readBody } from '../bodies.ts';
import { type Route, route } from '../route.ts';

const params = z.object({ uuid: z.string().max(64), type: z.enum(['skin', 'cape']) });
const modelSchema = z.enum(['', 'slim']);

const TEXTURES = '/api/user/profile/:uuid/:type';
const common = { needsKey: true, scopes: ['skins'] } as const;

/** How launchers change textures, in authlib-injector's specification. The access token is a key of this service. */
export const LAUNCHER_TEXTURE_ROUTES: readonly Route[] = [
  route(`PUT ${TEXTURES}`, {
    ...common,
    summary: "Let a name of the caller wear a picture, from launchers (authlib-injector's texture upload)",
    verifyCaller: (caller) => requireScope(caller, 'generate'),
    params,
    bodies: { 'multipart/form-data': z.object({ model: modelSchema.optional(), file: pngFile }) },
    answers: { 204: null, 404: errorAnswerSchema },
    handle: async ({ context, caller, request, params: { uuid, type } }) => {
      const { fields, file, fileName } = await readBody(request);
      if (!file) throw new Refusal('missing_file');
      if (type === 'cape') await wearPicturedCape(context, { caller, uuid }, file);
      else {
        const variant = modelSchema.parse(fields['model'] ?? '') || 'classic';
        await wearPicture(context, { caller, uuid }, { bytes: file, fileName, variant });
      }
      return { status: 204, body: undefined };
    },
  }),
  route(`DELETE ${TEXTURES}`, {
    ...common,
    summary: 'Take the cape, or skin and cape, off a name of the caller, from launchers (authlib-injector)',
    params,
    answers: { 204: null, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { uuid, type } }) => {
      await takeOff(context, { caller, uuid }, type);
      return { status: 204, body: undefined };
    },
  }),
];
