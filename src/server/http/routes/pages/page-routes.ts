import type { PageRoute } from '../../pages/page-route.ts';
import { ACCOUNT_ROUTES } from './account/account-routes.ts';
import { assetRoute } from './assets.ts';
import { galleryRoute } from './gallery.ts';
import { IDENTITY_ROUTES } from './identities.ts';
import { jobPageRoute, jobStateRoute } from './jobs.ts';
import { makeRoute, submitFormRoute } from './make.ts';
import { exportPageRoutes, mySkinsFormRoute, mySkinsRoute } from './my-skins.ts';
import { OPERATOR_ROUTES } from './operator/operator-routes.ts';
import { ownJobEventsRoute, ownJobsRoute, retryJobFormRoute } from './own-jobs.ts';
import {
  firstSignInFormRoute,
  firstSignInRoute,
  providerAnswerRoute,
  providerSignInRoute,
} from './provider-sign-in.ts';
import { endSessionRoute, sessionsRoute } from './sessions.ts';
import {
  linkFormRoute,
  linkRoute,
  proofRoute,
  signInFormRoute,
  signInRoute,
  signOutRoute,
} from './sign-in.ts';
import {
  deleteSkinFormRoute,
  editSkinFormRoute,
  reportSkinFormRoute,
  skinPageRoute,
  skinPictureRoute,
} from './skins.ts';
import { startRoute } from './start.ts';
import { version1Route } from './version-1.ts';

/** What people with a browser see. None of it is part of the API. */
export const PAGE_ROUTES: readonly PageRoute[] = [
  assetRoute,
  startRoute,
  makeRoute,
  submitFormRoute,
  ownJobsRoute,
  ownJobEventsRoute,
  jobPageRoute,
  jobStateRoute,
  retryJobFormRoute,
  mySkinsRoute,
  mySkinsFormRoute,
  ...exportPageRoutes,
  skinPageRoute,
  skinPictureRoute,
  editSkinFormRoute,
  deleteSkinFormRoute,
  reportSkinFormRoute,
  galleryRoute,
  version1Route,
  ...ACCOUNT_ROUTES,
  signInRoute,
  signInFormRoute,
  linkRoute,
  linkFormRoute,
  proofRoute,
  signOutRoute,
  providerSignInRoute,
  providerAnswerRoute,
  firstSignInRoute,
  firstSignInFormRoute,
  sessionsRoute,
  endSessionRoute,
  ...IDENTITY_ROUTES,
  ...OPERATOR_ROUTES,
];
