import { z } from 'zod';
import { makePage } from '../../../pages/views/make.ts';
import { FROM } from '../../../pages/views/make-form.ts';
import { submit } from '../../../service/submitting/submit.ts';
import { readBody } from '../../bodies.ts';
import { readInput } from '../../generate-request.ts';
import { dataAnswer, pageRoute, seeOther } from '../../pages/page-route.ts';
import { forMaker, makerOf, verifyMaker, visitorSecret } from '../../pages/visitor.ts';
import { wantsPage } from '../../pages/wants-page.ts';

export const makeRoute = pageRoute({
  method: 'GET',
  path: '/ui/make',
  isFor: 'callers',
  query: z.object({ from: z.enum(FROM).default('file').catch('file') }),
  handle: async (call) => {
    const view = { from: call.query.from, maker: makerOf(call), origin: call.context.publicUrl() };
    return forMaker(makePage(view), call);
  },
});

export const submitFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/make',
  isFor: 'callers',
  scopes: ['generate'],
  handle: async (call) => {
    const { context, caller, request } = call;
    const body = await readBody(request);
    verifyMaker(call, body.fields['maker']);
    const origin = { caller, via: 'queue', visitor: visitorSecret(call) } as const;
    const submitted = await submit(context, { ...readInput(body, {}), ...origin });
    const job = submitted.job.uuid;
    return wantsPage(request.headers) ? seeOther(`/ui/jobs/${job}`) : dataAnswer(202, { job });
  },
});
