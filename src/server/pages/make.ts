import { z } from 'zod';
import { readBody, readInput } from '../http/bodies.ts';
import { submit } from '../service/submitting/submit.ts';
import { formMakerOf, verifyMaker, visitorSecret, withVisitorCookie } from './cookies.ts';
import { type FormMaker, makeForm, type Page, SOURCE_TYPES, type SourceType, terminalOf } from './frame.ts';
import { html } from './html.ts';
import { dataAnswer, pageRoute, seeOther, wantsPage } from './page-route.ts';

export const makeRoute = pageRoute({
  method: 'GET',
  path: '/ui/make',
  isFor: 'callers',
  query: z.object({ from: z.enum(SOURCE_TYPES).default('file').catch('file') }),
  handle: async (call) => {
    const view = { from: call.query.from, maker: formMakerOf(call), origin: call.context.publicUrl() };
    return withVisitorCookie(makePage(view), call);
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

const NAMES: Readonly<Record<SourceType, string>> = { file: 'Picture', url: 'URL', player: 'Player' };

const SOURCES: Readonly<Record<SourceType, string>> = {
  file: 'skin.png',
  url: 'https://example.com/skin.png',
  player: 'jeb_',
};
const FIELDS: Readonly<Record<SourceType, string>> = {
  file: 'file=@skin.png',
  url: 'url=https://example.com/skin.png',
  player: 'user=jeb_',
};

export interface MakeView {
  readonly from: SourceType;
  readonly maker: FormMaker;
  readonly origin: string;
}

export function makePage({ from, maker, origin }: MakeView): Page {
  return {
    title: 'Make a skin',
    body: html`<nav class="tabs" aria-label="What to make it from">
${SOURCE_TYPES.map((one) => html`<a href="/ui/make?from=${one}"${one === from && html` aria-current="page"`}>${NAMES[one]}</a>`)}
</nav>
${makeForm(from, maker)}`,
    terminal: terminalOf(`skinsmith generate ${SOURCES[from]}`, origin, '/v2/generate', `-F ${FIELDS[from]}`),
  };
}
