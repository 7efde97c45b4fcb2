import { errorAnswerSchema } from '../../../../protocol/envelope.ts';
import { diagnosisAnswerSchema } from '../../../../protocol/service.ts';
import { diagnose } from '../../../service/status/health.ts';
import { route } from '../../route.ts';
import { envelope } from '../../views.ts';

export const doctorRoute = route({
  method: 'GET',
  scopes: ['operator'],
  paths: ['/v2/account/doctor'],
  summary: 'Health of the store and of the generator (operator only)',
  answers: { 200: diagnosisAnswerSchema, 401: errorAnswerSchema, 403: errorAnswerSchema },
  cache: 'none',
  handle: async ({ context, caller, warnings }) => {
    const links = { self: '/v2/account/doctor' };
    return { status: 200, body: { ...envelope({ warnings, links }), ...(await diagnose(context, caller)) } };
  },
});
