import { z } from 'zod';
import { uuidSchema } from '../protocol/skin.ts';
import type { ServiceContext } from '../server/context.ts';
import { encodedFor, FRAMED_HEADERS, SECURITY_HEADERS } from '../server/http/answers.ts';
import {
  type App,
  admitted,
  type MountOptions,
  type Pages,
  receive,
  respond,
  type Visit,
} from '../server/http/app.ts';
import { originsOf } from '../server/http/request.ts';
import type { Answer } from '../server/http/route.ts';
import { wantsPage } from '../server/http/visitors.ts';
import { anonymousCaller } from '../server/service/callers.ts';
import { Refusal } from '../server/service/refusal.ts';
import { findVisible } from '../server/service/skins/skins.ts';
import { ACCOUNT_PAGES } from './account.ts';
import { API_PAGES } from './api.ts';
import { GALLERY_PAGES } from './gallery.ts';
import { JOB_PAGES } from './jobs.ts';
import { LOGO, readAsset } from './layout.ts';
import { MAKE_PAGES } from './make.ts';
import { MY_SKINS_PAGES } from './my-skins.ts';
import { OPERATOR_PAGES } from './operator.ts';
import { findPerson, type PageAdmission, PageEndpoint, pageErrorAnswer } from './page-endpoint.ts';
import { type PageRoute, pageRoute, seeOther } from './page-route.ts';
import { SESSION_PAGES } from './sessions.ts';
import { SET_PAGES } from './sets.ts';
import { embedRoute } from './share.ts';
import { SIGN_IN_PAGES } from './sign-in.ts';
import { SITE_ROUTES } from './site.ts';
import { SKIN_PAGES } from './skin.ts';
import { languageRoute, startRoute } from './start.ts';
import { TAG_AND_LIKE_PAGES } from './tags-and-likes.ts';

/** It may change with a restart. */
const LOGO_AGE = 'public, max-age=3600';
/** Seconds. The name of an asset changes with its content. */
const FOREVER = 365 * 24 * 3600;

const assetRoute = pageRoute({
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

/** The operator's logo. A drawing in it loads nothing and runs no script. */
const logoRoute = pageRoute({
  method: 'GET',
  path: LOGO,
  isFor: 'everyone',
  handle: async ({ context: { site } }) => {
    if (!site.logo) throw new Refusal('not_found');
    const { type, bytes } = site.logo;
    const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
    const headers = { 'Content-Type': type, 'Content-Security-Policy': policy, 'Cache-Control': LOGO_AGE };
    return { status: 200, body: Buffer.from(bytes), headers };
  },
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
  ...API_PAGES,
  embedRoute,
  languageRoute,
  ...SITE_ROUTES,
  ...ACCOUNT_PAGES,
  ...SIGN_IN_PAGES,
  ...SESSION_PAGES,
  ...OPERATOR_PAGES,
];

function mountPage(app: App, route: PageRoute, options: MountOptions): void {
  const endpoint = new PageEndpoint(route, options);
  app.on(route.method, route.path, async (c) => {
    c.set('pattern', route.path);
    const request = c.get('request');
    request.params = c.req.param();
    let admission: PageAdmission | undefined;
    try {
      admission = await endpoint.admit(request);
      admitted(c, admission.caller, options);
      await receive(c, admission.caller, { ...options, route: {} });
      const common = route.isFramed ? FRAMED_HEADERS : SECURITY_HEADERS;
      return respond(c, await endpoint.answer(request, admission), { common });
    } catch (error) {
      const parts = { request, log: c.get('log'), context: options.context };
      const known = { requestId: c.get('id'), session: admission?.session };
      const answer = await pageErrorAnswer(error, parts, known);
      return respond(c, answer, { common: SECURITY_HEADERS });
    }
  });
}

/** Every page of the service. */
export const PAGES: Pages = {
  mountLeads: leadToSkins,
  mount: (app, options) => {
    for (const route of PAGE_ROUTES) mountPage(app, route, options);
  },
  answerLost: answerLostPerson,
};

/**
 * The hosted service has pages of skins at the address where Crafatar has the picture of a player's skin. People who
 * open a skin of this service there get to its page.
 */
function leadToSkins(app: App, { context, requestLimiter }: MountOptions): void {
  app.get('/skins/:uuid', async (c, next) => {
    const request = c.get('request');
    const uuid = uuidSchema.safeParse(c.req.param('uuid')).data;
    if (uuid === undefined || !wantsPage(request.headers)) return await next();
    const caller = anonymousCaller(originsOf(request), context.plans);
    if (!(await findVisible(context, caller, uuid))) return await next();
    requestLimiter.count(caller);
    const headers = { 'Cache-Control': 'no-store', Vary: 'Accept' };
    return respond(c, seeOther(`/ui/skins/${uuid}`, headers), { common: SECURITY_HEADERS });
  });
}

async function answerLostPerson(c: Visit, context: ServiceContext): Promise<Answer> {
  const parts = { request: c.get('request'), log: c.get('log'), context };
  const requestId = c.get('id');
  return await findPerson(parts.request, context).then(
    (session) => pageErrorAnswer(new Refusal('not_found'), parts, { requestId, session }),
    (error: unknown) => pageErrorAnswer(error, parts, { requestId }),
  );
}
