import { z } from 'zod';
import { uuidSchema } from '../protocol/skin.ts';
import type { ServiceContext } from '../server/context.ts';
import { encodedFor, SECURITY_HEADERS, type Written, write } from '../server/http/answers.ts';
import { type App, type Pages, serve } from '../server/http/app.ts';
import type { EndpointOptions } from '../server/http/endpoint.ts';
import { type HttpRequest, originsOf } from '../server/http/route.ts';
import { wantsPage } from '../server/http/visitors.ts';
import { anonymousCaller } from '../server/service/callers.ts';
import { Refusal } from '../server/service/refusal.ts';
import { findVisible } from '../server/service/skins/skins.ts';
import { ACCOUNT_PAGES } from './account.ts';
import { GALLERY_PAGES } from './gallery.ts';
import { JOB_PAGES } from './jobs.ts';
import { languageRoute } from './language.ts';
import { LOGO, readAsset } from './layout.ts';
import { MAKE_PAGES } from './make.ts';
import { MY_SKINS_PAGES } from './my-skins.ts';
import { OPERATOR_PAGES } from './operator.ts';
import { findPerson, PageEndpoint, writePageRefusal } from './page-endpoint.ts';
import { type PageRoute, pageFor, seeOther } from './page-route.ts';
import { SET_PAGES } from './sets.ts';
import { embedRoute } from './share.ts';
import { SESSION_PAGES, SIGN_IN_PAGES } from './sign-in.ts';
import { SITE_ROUTES } from './site.ts';
import { SKIN_PAGES } from './skin.ts';
import { apiRoute, startRoute } from './start.ts';
import { TAG_AND_LIKE_PAGES } from './tags-and-likes.ts';
import { TRAY_PAGES } from './tray.ts';

/** It may change with a restart. */
const LOGO_AGE = 'public, max-age=3600';
/** Seconds. The name of an asset changes with its content. */
const FOREVER = 365 * 24 * 3600;

const assetRoute = pageFor(
  'everyone',
  '/ui/assets/:name',
  { params: z.object({ name: z.string() }) },
  async ({ params, request }) => {
    const asset = await readAsset(params.name);
    if (!asset) throw new Refusal('not_found');
    const { body, headers } = encodedFor(request, asset);
    const kept = { 'Cache-Control': `public, max-age=${FOREVER}, immutable` };
    return { status: 200, body, headers: { 'Content-Type': asset.type, ...kept, ...headers } };
  },
);

/** The operator's logo. A drawing in it loads nothing and runs no script. */
const logoRoute = pageFor('everyone', LOGO, {}, async ({ context: { site } }) => {
  if (!site.logo) throw new Refusal('not_found');
  const { type, bytes } = site.logo;
  const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
  const headers = { 'Content-Type': type, 'Content-Security-Policy': policy, 'Cache-Control': LOGO_AGE };
  return { status: 200, body: Buffer.from(bytes), headers };
});

/** What people see in a browser. None of it is part of the API. */
export const PAGE_ROUTES: readonly PageRoute[] = [
  assetRoute,
  logoRoute,
  startRoute,
  ...MAKE_PAGES,
  ...JOB_PAGES,
  ...MY_SKINS_PAGES,
  ...SKIN_PAGES,
  ...TAG_AND_LIKE_PAGES,
  ...GALLERY_PAGES,
  ...SET_PAGES,
  ...TRAY_PAGES,
  apiRoute,
  embedRoute,
  languageRoute,
  ...SITE_ROUTES,
  ...ACCOUNT_PAGES,
  ...SIGN_IN_PAGES,
  ...SESSION_PAGES,
  ...OPERATOR_PAGES,
];

/** Every page of the service. */
export const PAGES: Pages = {
  mountLeads: leadToSkins,
  mount: (app, options) => {
    for (const route of PAGE_ROUTES)
      app.on(route.method, route.path, serve(route.path, new PageEndpoint(route, options)));
  },
  answerLost: answerLostPerson,
};

/**
 * The hosted service has pages of skins at the address where Crafatar has the picture of a player's skin. People who
 * open a skin of this service there get to its page.
 */
function leadToSkins(app: App, { context, requestLimiter }: EndpointOptions): void {
  app.on('GET', '/skins/:uuid', async (request) => {
    const uuid = uuidSchema.safeParse(request.params['uuid']).data;
    if (uuid === undefined || !wantsPage(request.headers)) return undefined;
    const caller = anonymousCaller(originsOf(request), context.plans);
    if (!(await findVisible(context, caller, uuid))) return undefined;
    requestLimiter.count(caller);
    const headers = { 'Cache-Control': 'no-store', Vary: 'Accept' };
    return write(seeOther(`/ui/skins/${uuid}`, headers), { request, common: SECURITY_HEADERS });
  });
}

async function answerLostPerson(request: HttpRequest, context: ServiceContext): Promise<Written> {
  return await findPerson(request, context).then(
    async (session) => await writePageRefusal(new Refusal('not_found'), request, context, session),
    async (error: unknown) => await writePageRefusal(error, request, context),
  );
}
