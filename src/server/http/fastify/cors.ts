import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { ANSWER_HEADERS } from '../described-answers.ts';
import { commonHeaders } from './write-answer.ts';

/** Web pages of any origin may call the service: with an API key in a header, never with a cookie. */
const ORIGIN = '*';
const EXPOSED = Object.keys(ANSWER_HEADERS).join(', ');

/** What pages send to the hosted service, and what only this one has. */
const ALLOWED = [
  ...[
    'Authorization',
    'Content-Type',
    'Accept',
    'User-Agent',
    'MineSkin-User-Agent',
    'Origin',
    'X-Requested-With',
  ],
  ...['Turnstile-Token', 'Baggage', 'Sentry-Trace', 'Idempotency-Key'],
];

/** What tells browsers so, on each answer of the API. */
export const CORS_HEADERS = {
  'access-control-allow-origin': ORIGIN,
  'access-control-expose-headers': EXPOSED,
} as const;

/** Answers OPTIONS, by which browsers ask before they send a request of another page. */
export async function addPreflight(
  app: FastifyInstance,
  common: Readonly<Record<string, string>>,
): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRequest', (request, reply, done) => {
      reply.headers(commonHeaders(common, request.id));
      done();
    });
    await scope.register(cors, {
      origin: ORIGIN,
      methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
      allowedHeaders: ALLOWED,
      exposedHeaders: EXPOSED,
      maxAge: 24 * 3600,
      strictPreflight: false,
    });
  });
}
