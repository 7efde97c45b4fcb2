import { z } from 'zod';
import { envelopeSchema, errorAnswerSchema } from '../../../../protocol/envelope.ts';
import { reportBodySchema } from '../../../../protocol/moderation.ts';
import { uuidSchema } from '../../../../protocol/skin.ts';
import { reportSkin } from '../../../service/moderation/reports.ts';
import { route } from '../../route.ts';
import { envelope } from '../../views.ts';

export const reportSkinRoute = route({
  method: 'POST',
  paths: ['/v2/skins/:uuid/report'],
  summary: 'Report a skin to the operators',
  verifyCaller: (caller, { webPages }) => webPages.verifyMay('report', caller),
  params: z.object({ uuid: uuidSchema }),
  bodies: { 'application/json': reportBodySchema },
  answers: { 200: envelopeSchema, 400: errorAnswerSchema, 404: errorAnswerSchema, 429: errorAnswerSchema },
  handle: async ({ context, caller, params, request, warnings }) => {
    await reportSkin(context, caller, { ...reportBodySchema.parse(request.body ?? {}), ...params });
    const messages = [{ code: 'skin_reported', message: 'Report sent.' }];
    return {
      status: 200,
      body: envelope({ warnings, messages, links: { skin: `/v2/skins/${params.uuid}` } }),
    };
  },
});
