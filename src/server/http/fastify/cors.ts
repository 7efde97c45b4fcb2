import type { FastifyCorsOptions } from '@fastify/cors';
import { ANSWER_HEADERS } from '../described-answers.ts';

/** Web pages of any origin may call the service: with an API key in a header, never with a cookie. */
export const CORS: FastifyCorsOptions = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
  allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'MineSkin-User-Agent'],
  exposedHeaders: Object.keys(ANSWER_HEADERS),
  maxAge: 24 * 3600,
  strictPreflight: false,
};
