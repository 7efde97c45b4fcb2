import type { Route } from '../route.ts';
import {
  beginGameLoginRoute,
  changeGameAccountRoute,
  checkGameAccountRoute,
  gameAccountListRoute,
  gameLoginRoute,
  linkGameAccountRoute,
  unlinkGameAccountRoute,
} from './account/accounts.ts';
import { addCapeRoute, allCapesRoute, changeCapeRoute, removeCapeRoute } from './account/capes.ts';
import { doctorRoute } from './account/doctor.ts';
import { identityListRoute, unlinkIdentityRoute } from './account/identities.ts';
import { changeKeyRoute, createKeyRoute, listKeysRoute, revokeKeyRoute } from './account/keys.ts';
import { accountRoute, planListRoute } from './account/me.ts';
import { MODERATION_ROUTES } from './account/moderation.ts';
import { createUserRoute, listUsersRoute, setUserRoute, userRoute } from './account/users.ts';
import { GAME_SERVER_ROUTES } from './game-servers.ts';
import { avatarRoute, playerCapeRoute, playerRenderRoutes, playerSkinRoute } from './pictures/crafatar.ts';
import { MINOTAR_ROUTES } from './pictures/minotar.ts';
import { SKIN_VIEW_ROUTES, TEXTURE_VIEW_ROUTES } from './pictures/own-views.ts';
import { RENDER_ROUTES } from './pictures/version-1.ts';
import { healthRoute, keyDocumentRoute, metricsRoute, openapiRoute, readyRoute } from './system.ts';
import { textureRoute } from './textures.ts';
import { v1GetUserRoute, v1UploadRoute, v1UrlRoute, v1UserRoute } from './v1/generate.ts';
import { v1DelayRoute, v1RandomRoute, v1SkinByNumberRoute, v1SkinRoute } from './v1/get.ts';
import { v1FirstListRoute, v1ListRoute } from './v1/list.ts';
import { v1StatsRoute } from './v1/stats.ts';
import { v1ValidNameRoute, v1ValidUuidRoute } from './v1/validate.ts';
import { batchRoute } from './v2/batch.ts';
import { editSkinsRoute, removeSkinsRoute } from './v2/bulk-changes.ts';
import { capeListRoute } from './v2/capes.ts';
import { exportRoutes } from './v2/export.ts';
import { generateRoute } from './v2/generate.ts';
import { delayRoute, meClientRoute, meKeyRoute, meKeysRoute, meRoute } from './v2/me.ts';
import { jobListRoute, jobRoute, retryJobRoute, submitRoute } from './v2/queue.ts';
import { queueEventsRoute } from './v2/queue-events.ts';
import { reportSkinRoute } from './v2/report.ts';
import { ownSkinsRoute, popularSkinsRoute, publicSkinsRoute, randomSkinsRoute } from './v2/skin-lists.ts';
import {
  editSkinRoute,
  removeSkinRoute,
  similarSkinsRoute,
  skinRoute,
  skinTextureRoute,
  viewSkinRoute,
} from './v2/skins.ts';
import { statsRoute } from './v2/stats.ts';

/** Every endpoint of the service. */
export const ROUTES: readonly Route[] = [
  batchRoute,
  submitRoute,
  jobListRoute,
  queueEventsRoute,
  jobRoute,
  retryJobRoute,
  publicSkinsRoute,
  popularSkinsRoute,
  randomSkinsRoute,
  skinRoute,
  editSkinRoute,
  removeSkinRoute,
  skinTextureRoute,
  similarSkinsRoute,
  viewSkinRoute,
  reportSkinRoute,
  ...SKIN_VIEW_ROUTES,
  meRoute,
  meKeyRoute,
  meKeysRoute,
  meClientRoute,
  ownSkinsRoute,
  ...exportRoutes,
  editSkinsRoute,
  removeSkinsRoute,
  delayRoute,
  accountRoute,
  planListRoute,
  doctorRoute,
  listKeysRoute,
  createKeyRoute,
  changeKeyRoute,
  revokeKeyRoute,
  identityListRoute,
  unlinkIdentityRoute,
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
  ...MODERATION_ROUTES,
  generateRoute,
  capeListRoute,
  statsRoute,
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
  ...RENDER_ROUTES,
  ...GAME_SERVER_ROUTES,
  textureRoute,
  ...TEXTURE_VIEW_ROUTES,
  keyDocumentRoute,
  healthRoute,
  readyRoute,
  metricsRoute,
  openapiRoute,
  avatarRoute,
  ...playerRenderRoutes,
  playerSkinRoute,
  playerCapeRoute,
  ...MINOTAR_ROUTES,
];
