import type { PageRoute } from '../../pages/page-route.ts';
import { assetRoute } from './assets.ts';
import { galleryRoute } from './gallery.ts';
import { jobPageRoute, jobStateRoute } from './jobs.ts';
import { makeRoute, submitFormRoute } from './make.ts';
import { endSessionRoute, sessionsRoute } from './sessions.ts';
import { linkFormRoute, linkRoute, signInFormRoute, signInRoute, signOutRoute } from './sign-in.ts';
import { deleteSkinFormRoute, editSkinFormRoute, skinPageRoute, skinPictureRoute } from './skins.ts';
import { startRoute } from './start.ts';

/** What people with a browser see. None of it is part of the API. */
export const PAGE_ROUTES: readonly PageRoute[] = [
  assetRoute,
  startRoute,
  makeRoute,
  submitFormRoute,
  jobPageRoute,
  jobStateRoute,
  skinPageRoute,
  skinPictureRoute,
  editSkinFormRoute,
  deleteSkinFormRoute,
  galleryRoute,
  signInRoute,
  signInFormRoute,
  linkRoute,
  linkFormRoute,
  signOutRoute,
  sessionsRoute,
  endSessionRoute,
];
