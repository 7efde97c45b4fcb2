import { statsAnswerSchema } from '../../../../protocol/service.ts';
import { route } from '../../route.ts';
import { envelope } from '../../views.ts';

export const statsRoute = route({
  method: 'GET',
  paths: ['/v2/stats'],
  summary: 'Figures of the service as a whole, at most a minute old',
  answers: { 200: statsAnswerSchema },
  cache: 'public',
  handle: async ({ context, warnings }) => ({
    status: 200,
    body: { ...envelope({ warnings, links: { self: '/v2/stats' } }), stats: await context.stats.read() },
  }),
});
