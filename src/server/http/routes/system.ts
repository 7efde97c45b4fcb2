import { z } from 'zod';
import { VERSION } from '../../../base/version.ts';
import { healthAnswerSchema, keyDocumentSchema, readyAnswerSchema } from '../../../protocol/account.ts';
import { errorAnswerSchema } from '../../../protocol/envelope.ts';
import { requireOperator } from '../../service/callers.ts';
import { Refusal } from '../../service/refusal.ts';
import { encodedFor } from '../answers.ts';
import { type Route, route } from '../route.ts';

export const SYSTEM_ROUTES: readonly Route[] = [
  route('GET /', {
    summary: "What authlib-injector needs to trust this service's signatures",
    answers: { 200: keyDocumentSchema },
    cache: 'public',
    authenticated: false,
    handle: async ({ context }) => ({
      status: 200,
      body: await context.keyDocument(),
      // People get the start page at the same address.
      headers: { Vary: 'Accept, Authorization, Origin, User-Agent' },
    }),
  }),
  route('GET /health', {
    isVital: true,
    summary: 'Whether the process is alive; 503 if a restart may fix a problem',
    answers: { 200: healthAnswerSchema, 503: healthAnswerSchema },
    cache: 'none',
    authenticated: false,
    handle: async ({ context }) =>
      context.health.isAlive
        ? { status: 200, body: { status: 'ok', version: VERSION } }
        : { status: 503, body: { status: 'trouble', version: VERSION } },
  }),
  route('GET /ready', {
    isVital: true,
    summary: 'Whether the service accepts work, and if not, why',
    answers: { 200: readyAnswerSchema, 503: readyAnswerSchema },
    cache: 'none',
    authenticated: false,
    handle: async ({ context }) => {
      const reasons = await context.health.unreadiness();
      const isReady = reasons.length === 0;
      const { warnings } = context.health;
      const body = { status: isReady ? 'ready' : 'not_ready', reasons, warnings, version: VERSION };
      return { status: isReady ? 200 : 503, body };
    },
  }),
  route('GET /metrics', {
    summary: "Metrics for Prometheus; needs an operator's key unless the operator made them public",
    answers: { 200: 'text/plain', 404: errorAnswerSchema },
    cache: 'none',
    handle: async ({ context: { metrics }, caller }) => {
      if (!metrics) throw new Refusal('not_found');
      if (!metrics.isOpen) requireOperator(caller);
      return { status: 200, body: await metrics.read(), headers: { 'Content-Type': metrics.contentType } };
    },
  }),
  route('GET /openapi.json', {
    alsoAt: ['/v2/openapi.json'],
    summary: 'This description',
    answers: { 200: z.looseObject({ openapi: z.string() }) },
    cache: 'public',
    authenticated: false,
    handle: async ({ context, request }) => {
      const description = await context.description();
      const { body, headers } = encodedFor(request, description, ['Authorization', 'Origin']);
      const own = { 'Content-Type': 'application/json; charset=utf-8', ETag: `W/"${description.digest}"` };
      return { status: 200, body, headers: { ...own, ...headers } };
    },
  }),
];
