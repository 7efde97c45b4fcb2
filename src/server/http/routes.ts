import { z } from 'zod';
import { type Route, route } from './route.ts';
import {
  beginGameLoginRoute,
  changeGameAccountRoute,
  checkGameAccountRoute,
  gameAccountListRoute,
  gameLoginRoute,
  linkGameAccountRoute,
  unlinkGameAccountRoute,
} from './routes/account/accounts.ts';
import { addCapeRoute, allCapesRoute, changeCapeRoute, removeCapeRoute } from './routes/account/capes.ts';
import { doctorRoute } from './routes/account/doctor.ts';
import { changeKeyRoute, createKeyRoute, listKeysRoute, revokeKeyRoute } from './routes/account/keys.ts';
import { accountRoute, planListRoute } from './routes/account/me.ts';
import { createUserRoute, listUsersRoute, setUserRoute, userRoute } from './routes/account/users.ts';
import { healthRoute, keyDocumentRoute, metricsRoute, readyRoute } from './routes/system.ts';
import { textureRoute } from './routes/textures.ts';
import { v1GetUserRoute, v1UploadRoute, v1UrlRoute, v1UserRoute } from './routes/v1/generate.ts';
import { v1DelayRoute, v1RandomRoute, v1SkinByNumberRoute, v1SkinRoute } from './routes/v1/get.ts';
import { v1FirstListRoute, v1ListRoute } from './routes/v1/list.ts';
import { v1StatsRoute } from './routes/v1/stats.ts';
import { v1ValidNameRoute, v1ValidUuidRoute } from './routes/v1/validate.ts';
import { batchRoute } from './routes/v2/batch.ts';
import { capeListRoute } from './routes/v2/capes.ts';
import { generateRoute } from './routes/v2/generate.ts';
import { delayRoute, meClientRoute, meKeyRoute, meKeysRoute, meRoute } from './routes/v2/me.ts';
import { jobListRoute, jobRoute, submitRoute } from './routes/v2/queue.ts';
import { queueEventsRoute } from './routes/v2/queue-events.ts';
import {
  ownSkinsRoute,
  popularSkinsRoute,
  publicSkinsRoute,
  randomSkinsRoute,
} from './routes/v2/skin-lists.ts';
import {
  editSkinRoute,
  removeSkinRoute,
  skinRoute,
  skinTextureRoute,
  viewSkinRoute,
} from './routes/v2/skins.ts';
import { statsRoute } from './routes/v2/stats.ts';

const openapiRoute = route({
  method: 'GET',
  paths: ['/openapi.json'],
  summary: 'This description',
  answers: { 200: z.looseObject({ openapi: z.string() }) },
  cache: 'public',
  authenticated: false,
  handle: async ({ context }) => ({
    status: 200,
    body: await context.description(),
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
  }),
});

/** Every endpoint of the service. */
export const ROUTES: readonly Route[] = [
  generateRoute,
  submitRoute,
  batchRoute,
  jobListRoute,
  queueEventsRoute,
  jobRoute,
  publicSkinsRoute,
  popularSkinsRoute,
  randomSkinsRoute,
  statsRoute,
  skinRoute,
  editSkinRoute,
  removeSkinRoute,
  skinTextureRoute,
  viewSkinRoute,
  capeListRoute,
  meRoute,
  meKeyRoute,
  meKeysRoute,
  meClientRoute,
  ownSkinsRoute,
  delayRoute,
  accountRoute,
  planListRoute,
  doctorRoute,
  listKeysRoute,
  createKeyRoute,
  changeKeyRoute,
  revokeKeyRoute,
  allCapesRoute,
  addCapeRoute,
  changeCapeRoute,
  removeCapeRoute,
  gameAccountListRoute,
  linkGameAccountRoute,
  beginGameLoginRoute,
  gameLoginRoute,
  changeGameAccountRoute,
  unlinkGameAccountRoute,
  checkGameAccountRoute,
  listUsersRoute,
  userRoute,
  createUserRoute,
  setUserRoute,
  v1UploadRoute,
  v1UrlRoute,
  v1UserRoute,
  v1GetUserRoute,
  v1SkinRoute,
  v1SkinByNumberRoute,
  v1DelayRoute,
  v1FirstListRoute,
  v1ListRoute,
  v1RandomRoute,
  v1StatsRoute,
  v1ValidNameRoute,
  v1ValidUuidRoute,
  textureRoute,
  keyDocumentRoute,
  healthRoute,
  readyRoute,
  metricsRoute,
  openapiRoute,
];
