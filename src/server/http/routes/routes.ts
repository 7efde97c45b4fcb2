import type { Route } from '../route.ts';
import { ACCOUNT_ROUTES, ME_ROUTES, statsRoute, USER_ROUTES } from './account.ts';
import { CAPE_ROUTES, capeListRoute } from './capes.ts';
import { CARD_ROUTES } from './cards.ts';
import { CSL_ROUTES } from './csl.ts';
import { GAME_ACCOUNT_ROUTES } from './game-accounts.ts';
import { GAME_SERVER_ROUTES } from './game-servers.ts';
import { MODERATION_ROUTES } from './moderation.ts';
import { RENDER_ROUTES, SKIN_VIEW_ROUTES, TEXTURE_ROUTES } from './pictures.ts';
import { CRAFATAR_ROUTES } from './pictures-crafatar.ts';
import { MINOTAR_ROUTES } from './pictures-minotar.ts';
import { LAUNCHER_TEXTURE_ROUTES, PLAYER_ROUTES } from './players.ts';
import { generateRoute, QUEUE_ROUTES } from './queue.ts';
import { SET_ROUTES } from './sets.ts';
import { OWN_SKIN_LIST_ROUTES, OWN_SKIN_ROUTES, SKIN_LIST_ROUTES, SKIN_ROUTES } from './skins.ts';
import { SYSTEM_ROUTES } from './system.ts';
import { V1_GENERATE_ROUTES, V1_PLAYER_ROUTES } from './v1-generate.ts';
import { V1_SKIN_ROUTES } from './v1-skins.ts';

/** Every endpoint of the service, in the order of its description. */
export const ROUTES: readonly Route[] = [
  ...QUEUE_ROUTES,
  ...SKIN_LIST_ROUTES,
  ...SKIN_ROUTES,
  ...SKIN_VIEW_ROUTES,
  ...CARD_ROUTES,
  ...SET_ROUTES,
  ...PLAYER_ROUTES,
  ...ME_ROUTES,
  ...OWN_SKIN_LIST_ROUTES,
  ...OWN_SKIN_ROUTES,
  ...ACCOUNT_ROUTES,
  ...CAPE_ROUTES,
  ...GAME_ACCOUNT_ROUTES,
  ...USER_ROUTES,
  ...MODERATION_ROUTES,
  generateRoute,
  capeListRoute,
  statsRoute,
  ...V1_GENERATE_ROUTES,
  ...V1_SKIN_ROUTES,
  ...V1_PLAYER_ROUTES,
  ...RENDER_ROUTES,
  ...GAME_SERVER_ROUTES,
  ...LAUNCHER_TEXTURE_ROUTES,
  ...CSL_ROUTES,
  ...TEXTURE_ROUTES,
  ...SYSTEM_ROUTES,
  ...CRAFATAR_ROUTES,
  ...MINOTAR_ROUTES,
];
