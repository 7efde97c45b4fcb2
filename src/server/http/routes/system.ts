import { healthAnswerSchema, keyDocumentSchema } from '../../../protocol/account.ts';
import { VERSION } from '../../../version.ts';
import { route } from '../route.ts';

export const keyDocumentRoute = route({
  method: 'GET',
  paths: ['/'],
  summary: 'What authlib-injector needs to trust the signatures of this service',
  answers: { 200: keyDocumentSchema },
  authenticated: false,
  handle: async ({ context }) => ({ status: 200, body: await context.keyDocument() }),
});

export const healthRoute = route({
  method: 'GET',
  paths: ['/health'],
  summary: 'Whether the service is up',
  answers: { 200: healthAnswerSchema, 503: healthAnswerSchema },
  authenticated: false,
  handle: async ({ context }) =>
    context.trouble()
      ? { status: 503, body: { status: 'trouble', version: VERSION } }
      : { status: 200, body: { status: 'ok', version: VERSION } },
});
