import type { FastifyCorsOptions } from '@fastify/cors';

/** Web pages of any origin may call the service: with an API key in a header, never with a cookie. */
export const CORS: FastifyCorsOptions = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
  allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'MineSkin-User-Agent'],
  exposedHeaders: [
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'X-RateLimit-Delay',
    'X-RateLimit-NextRequest',
    'Retry-After',
    'X-Request-Id',
    'MineSkin-Api-Version',
    'ETag',
  ],
  maxAge: 24 * 3600,
  strictPreflight: false,
};
