import { z } from 'zod';
import { encodedFor } from '../http/answers.ts';
import { Refusal } from '../service/refusal.ts';
import { ACCOUNT_ROUTES } from './account.ts';
import { galleryRoute } from './gallery.ts';
import { jobPageRoute, jobStateRoute, ownJobEventsRoute, ownJobsRoute, retryJobFormRoute } from './jobs.ts';
import { readAsset } from './layout.ts';
import { makeRoute, submitFormRoute } from './make.ts';
import { exportPageRoutes, mySkinsFormRoute, mySkinsRoute } from './my-skins.ts';
import { OPERATOR_ROUTES } from './operator.ts';
import { type PageRoute, pageRoute } from './page-route.ts';
import { IDENTITY_ROUTES, revokeSessionRoute, sessionsRoute } from './sessions.ts';
import {
  firstSignInFormRoute,
  firstSignInRoute,
  linkFormRoute,
  linkRoute,
  proofRoute,
  providerAnswerRoute,
  providerSignInRoute,
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
} from './skin.ts';
import { startRoute } from './start.ts';
import { version1Route } from './version-1.ts';

/** Seconds. The name of an asset changes with its content. */
const FOREVER = 365 * 24 * 3600;

export const assetRoute = pageRoute({
  method: 'GET',
  path: '/ui/assets/:name',
  isFor: 'everyone',
  params: z.object({ name: z.string() }),
  handle: async ({ params, request }) => {
    const asset = await readAsset(params.name);
    if (!asset) throw new Refusal('not_found');
    const { body, headers } = encodedFor(request, asset);
    const kept = { 'Cache-Control': `public, max-age=${FOREVER}, immutable` };
    return { status: 200, body, headers: { 'Content-Type': asset.type, ...kept, ...headers } };
  },
});

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
  revokeSessionRoute,
  ...IDENTITY_ROUTES,
  ...OPERATOR_ROUTES,
];
