import { capeListAnswerSchema } from '../../../../protocol/cape.ts';
import { readPublicCapes } from '../../../service/skins/capes.ts';
import { route } from '../../route.ts';
import { capeView, envelope } from '../../views.ts';

export const capeListRoute = route({
  method: 'GET',
  paths: ['/v2/capes'],
  summary: 'The capes that skins can be made with',
  answers: { 200: capeListAnswerSchema },
  cache: 'public',
  handle: async ({ context, warnings }) => {
    const capes = (await readPublicCapes(context)).map((cape) => capeView(cape, context.textureUrl));
    return { status: 200, body: { ...envelope({ warnings, links: { self: '/v2/capes' } }), capes } };
  },
});
