import { z } from 'zod';
import { type Route, route } from './route.ts';
import { createKeyRoute, listKeysRoute, revokeKeyRoute } from './routes/account/keys.ts';
import { healthRoute, keyDocumentRoute } from './routes/system.ts';
import { textureRoute } from './routes/textures.ts';
import { generateRoute } from './routes/v2/generate.ts';
import { delayRoute, meRoute } from './routes/v2/me.ts';
import { jobListRoute, jobRoute, submitRoute } from './routes/v2/queue.ts';
import { queueEventsRoute } from './routes/v2/queue-events.ts';
import { ownSkinsRoute, publicSkinsRoute, skinRoute } from './routes/v2/skins.ts';

const openapiRoute = route({
  method: 'GET',
  paths: ['/openapi.json'],
  summary: 'This description',
  answers: { 200: z.looseObject({ openapi: z.string() }) },
  authenticated: false,
  handle: async () => {
    // Loaded when asked for: no command waits for it.
    const { describeApi } = await import('./openapi.ts');
    return { status: 200, body: describeApi(ROUTES) };
  },
});

/** Every endpoint of the service. */
export const ROUTES: readonly Route[] = [
  generateRoute,
  submitRoute,
  jobListRoute,
  queueEventsRoute,
  jobRoute,
  publicSkinsRoute,
  skinRoute,
  meRoute,
  ownSkinsRoute,
  delayRoute,
  listKeysRoute,
  createKeyRoute,
  revokeKeyRoute,
  textureRoute,
  keyDocumentRoute,
  healthRoute,
  openapiRoute,
];
