import { z } from 'zod';
import { makePage } from '../../../pages/views/make.ts';
import { FROM } from '../../../pages/views/make-form.ts';
import { submit } from '../../../service/submitting/submit.ts';
import { readWish } from '../../generate-request.ts';
import { dataAnswer, pageRoute, seeOther } from '../../pages/page-route.ts';
import { wantsPage } from '../../pages/wants-page.ts';
import { readBody } from '../../read-body.ts';

export const makeRoute = pageRoute({
  method: 'GET',
  path: '/ui/make',
  isFor: 'callers',
  query: z.object({ from: z.enum(FROM).default('file').catch('file') }),
  handle: async ({ context, query }) => makePage({ from: query.from, origin: context.publicUrl() }),
});

export const submitFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/make',
  isFor: 'callers',
  scopes: ['generate'],
  handle: async ({ context, caller, request }) => {
    const wish = readWish(await readBody(request), {});
    const submitted = await submit(context, { caller, via: 'queue', ...wish });
    const job = submitted.job.uuid;
    return wantsPage(request.headers) ? seeOther(`/ui/jobs/${job}`) : dataAnswer(202, { job });
  },
});
