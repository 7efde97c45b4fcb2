import type { PageRoute } from '../../../pages/page-route.ts';
import {
  beginLoginFormRoute,
  checkGameFormRoute,
  gameSettingsFormRoute,
  gamesRoute,
  loginRoute,
  loginStateRoute,
  pauseGameFormRoute,
  unlinkGameFormRoute,
} from './games.ts';
import { changeKeyFormRoute, createKeyFormRoute, keysRoute, revokeKeyFormRoute } from './keys.ts';
import { accountRoute } from './overview.ts';

/** Pages about the person who is signed in. */
export const ACCOUNT_ROUTES: readonly PageRoute[] = [
  accountRoute,
  keysRoute,
  createKeyFormRoute,
  changeKeyFormRoute,
  revokeKeyFormRoute,
  gamesRoute,
  beginLoginFormRoute,
  loginRoute,
  loginStateRoute,
  gameSettingsFormRoute,
  pauseGameFormRoute,
  checkGameFormRoute,
  unlinkGameFormRoute,
];
