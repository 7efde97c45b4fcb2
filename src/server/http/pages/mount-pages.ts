import { findPerson, PageEndpoint, pageErrorAnswer } from '../../pages/page-endpoint.ts';
import type { PageRoute } from '../../pages/page-route.ts';
import { PAGE_ROUTES } from '../../pages/page-routes.ts';
import type { ServiceContext } from '../../service/context.ts';
import { Refusal } from '../../service/refusal.ts';
import { SECURITY_HEADERS } from '../answers.ts';
import { type App, admitted, type MountOptions, type Pages, respond, type Visit } from '../app.ts';
import { receiveBody } from '../bodies.ts';
import type { Answer } from '../route.ts';

function mountPage(app: App, route: PageRoute, options: MountOptions): void {
  const endpoint = new PageEndpoint(route, options);
  app.on(route.method, route.path, async (c) => {
    c.set('pattern', route.path);
    const request = c.get('request');
    request.params = c.req.param();
    let session: Awaited<ReturnType<PageEndpoint['admit']>>['session'];
    try {
      const admission = await endpoint.admit(request);
      ({ session } = admission);
      admitted(c, admission.caller, options);
      await receiveBody(request, {});
      return respond(c, await endpoint.answer(request, admission), { common: SECURITY_HEADERS });
    } catch (error) {
      const known = { requestId: c.get('id'), session };
      const answer = pageErrorAnswer(error, { request, log: c.get('log'), context: options.context }, known);
      return respond(c, answer, { common: SECURITY_HEADERS });
    }
  });
}

/** Every page of the service. */
export const PAGES: Pages = {
  mount: (app, options) => {
    for (const route of PAGE_ROUTES) mountPage(app, route, options);
  },
  answerLost: answerLostPerson,
};

async function answerLostPerson(c: Visit, context: ServiceContext): Promise<Answer> {
  const parts = { request: c.get('request'), log: c.get('log'), context };
  const requestId = c.get('id');
  return await findPerson(parts.request, context).then(
    (session) => pageErrorAnswer(new Refusal('not_found'), parts, { requestId, session }),
    (error: unknown) => pageErrorAnswer(error, parts, { requestId }),
  );
}
