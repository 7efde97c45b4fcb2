import { z } from 'zod';
import { type Content, type Html, html, say } from '../html/html.ts';
import { uuidSchema } from '../protocol/skin.ts';
import { refusalAnswer } from '../server/http/answers.ts';
import { type GenerationBody, readBody, readInput } from '../server/http/bodies.ts';
import { skinsAnswer } from '../server/http/downloads.ts';
import { wantsPage } from '../server/http/visitors.ts';
import { hasGameAccount } from '../server/service/accounts/accounts.ts';
import { hasScope } from '../server/service/callers.ts';
import { asRefusal, Refusal } from '../server/service/refusal.ts';
import { readPublicCapes } from '../server/service/skins/capes.ts';
import { findVisible } from '../server/service/skins/skins.ts';
import { submit } from '../server/service/submitting/submit.ts';
import type { SkinWithData } from '../server/store/skins.ts';
import { visitorSecret, withVisitorCookie } from './cookies.ts';
import { options, type Page, problemOf, titleOf, VISIBILITIES } from './frame.ts';
import { latestJobs } from './jobs.ts';
import { assetAddress } from './layout.ts';
import { formFor, type PageCall, type PageRoute, pageFor, seeOther } from './page-route.ts';

/** What a skin is made from. */
const SOURCE_TYPES = ['file', 'url', 'player'] as const;
type SourceType = (typeof SOURCE_TYPES)[number];

const makeQuery = z.object({ from: z.enum(SOURCE_TYPES).default('file') });
const MAX_ZIPPED = 1_000;

const zipFields = z.object({
  as: z.enum(['zip', 'customskin.zip']).default('zip'),
  ids: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(uuidSchema).max(MAX_ZIPPED)),
});

export const MAKE_PAGES: readonly PageRoute[] = [
  pageFor('callers', '/ui/make', { query: makeQuery }, async (call) => {
    const view = { from: call.query.from, maker: await formMakerOf(call), latest: await latestJobs(call) };
    return withVisitorCookie(makePage(view), call);
  }),
  formFor('callers', '/ui/make', { scopes: ['generate'] }, async (call) => {
    const { context, caller, request } = call;
    const asPage = wantsPage(request.headers);
    let fields: GenerationBody['fields'] = {};
    try {
      const body = await readBody(request);
      ({ fields } = body);
      verifyMaker(call, fields['maker']);
      const origin = { caller, via: 'queue', visitor: visitorSecret(call) } as const;
      const jobs: string[] = [];
      for (let left = sourcesIn(fields); left.length > 0; left = left.slice(1)) {
        // What is refused stays in the form, with the lines after it.
        fields = { ...fields, ...asLines(left) };
        const input = readInput({ ...body, fields: { ...fields, ...left[0] } }, {});
        jobs.push((await submit(context, { ...input, ...origin })).job.uuid);
      }
      if (!asPage) return { status: 202, body: { job: jobs[0] } };
      return seeOther(jobs.length === 1 ? `/ui/jobs/${jobs[0]}` : '/ui/jobs');
    } catch (error) {
      const refusal = asRefusal(error);
      if (!asPage || refusal.code === 'internal_error') throw error;
      return await refusedPage(call, refusal, fields);
    }
  }),
  // The pictures and data of the skins that the page has just made.
  formFor('callers', '/ui/make/skins.zip', { fields: zipFields }, async (call) => {
    const read = async () => {
      const skins: SkinWithData[] = [];
      for (const uuid of new Set(call.fields.ids)) {
        const skin = await findVisible(call.context, call.caller, uuid);
        if (skin) skins.push(skin);
      }
      return { file: 'skins', skins };
    };
    return await skinsAnswer(call.fields.as, call, read);
  }),
];

/** What the form makes skins from, one by one: the lines of its field; without one, the picture. */
function sourcesIn(fields: GenerationBody['fields']): Readonly<Record<string, string>>[] {
  for (const name of ['url', 'user']) {
    const value = fields[name];
    if (typeof value !== 'string') continue;
    const lines = value.split('\n', MAX_LINES).map((line) => line.trim());
    return [...new Set(lines)]
      .filter((line) => line !== '' || lines.length === 1)
      .map((line) => ({ [name]: line }));
  }
  return [{}];
}

function asLines(sources: ReturnType<typeof sourcesIn>): Readonly<Record<string, string>> {
  const [name] = Object.keys(sources[0] ?? {});
  return name === undefined ? {} : { [name]: sources.map((source) => source[name]).join('\n') };
}

/** Nobody has more jobs at once. */
const MAX_LINES = 500;

/**
 * Verifies that the person who was signed in when the form was shown still is. Otherwise, the skin would have no owner.
 * @param maker the name in the form, if any
 * @throws Refusal `unauthorized`
 */
function verifyMaker({ session }: Pick<PageCall, 'session'>, maker: unknown): void {
  if (typeof maker !== 'string' || maker === '' || maker === session?.caller.name) return;
  const message = session
    ? `You are now signed in as ${session.caller.name}, no longer as ${maker}. Sign in as ${maker}, and your files stay here.`
    : String(say`You have been signed out. Sign in, and your files stay here.`);
  throw new Refusal('unauthorized', { message });
}

/** The form as it was sent, with the reason why it was refused. It stays the form of the same person. */
async function refusedPage(
  call: PageCall,
  refusal: Refusal,
  fields: GenerationBody['fields'],
): Promise<Page> {
  const { code, status, details } = refusal;
  const texts = Object.entries(fields).filter(([, value]) => typeof value === 'string');
  const values = Object.fromEntries(texts) as FormValues;
  const { url, user, maker = '' } = values;
  const shown = await formMakerOf(call);
  const isSignedOut = code === 'unauthorized' && maker !== '';
  const page = makePage({
    from: url !== undefined ? 'url' : user !== undefined ? 'player' : 'file',
    maker: isSignedOut ? { ...shown, name: maker, hasPrivateSkins: true, obstacle: undefined } : shown,
    values,
    problem: isSignedOut ? signedOut(maker) : problemOf(refusal),
  });
  const { headers } = refusalAnswer(new Refusal(code, details));
  return {
    ...withVisitorCookie(page, call),
    status,
    ...(headers && { headers: headers as Page['headers'] }),
  };
}

function signedOut(maker: string): Html {
  return html`<p class="problem" role="alert">${say`You are no longer signed in as <bdi>${maker}</bdi>. <a href="/ui/sign-in" target="_blank">Sign in</a> in a new tab, then send this form again.`}</p>`;
}

/** Who uses the form, and what they may choose. */
export interface FormMaker {
  /** The name of the signed-in user. */
  readonly name: string | undefined;
  readonly hasPrivateSkins: boolean;
  /** Empty without capes, or if the plan does not include them. */
  readonly capes: readonly { readonly uuid: string; readonly alias: string }[];
  /** Unfinished jobs that the plan allows. */
  readonly atOnce: number;
  /** Why this person can make no skins here; undefined: nothing prevents it. */
  readonly obstacle: Html | undefined;
}

export async function formMakerOf(call: PageCall): Promise<FormMaker> {
  const { context, caller, session } = call;
  const mayWearCapes = caller.plan.capes && context.generator.refusesCapes === undefined;
  return {
    name: session?.caller.name,
    hasPrivateSkins: caller.plan.privateSkins,
    atOnce: caller.plan.slots,
    capes: mayWearCapes ? await readPublicCapes(context) : [],
    obstacle: await obstacleFor(call),
  };
}

async function obstacleFor({ context, caller, session }: PageCall): Promise<Html | undefined> {
  if (!hasScope(caller, 'generate'))
    return say`You signed in with an API key that may not make skins. <a href="/ui/sign-in">Sign in with another key.</a>`;
  if (context.generatorKind !== 'accounts' || (await hasGameAccount(context, caller))) return undefined;
  const why = say`This server makes skins with game accounts, and none is shared with everyone.`;
  if (!session)
    return html`${why} ${say`<a href="/ui/sign-in?next=%2Fui%2Fmake">Sign in</a> and link your own.`}`;
  if (context.usersMayLink || session.caller.isOperator)
    return html`${why} ${say`<a href="/ui/account/games">Link your own</a> first.`}`;
  return html`${why} ${say`Only the operator can link one.`}`;
}

/** What a person has entered. */
type FormValues = Partial<
  Record<'maker' | 'url' | 'user' | 'name' | 'variant' | 'visibility' | 'cape', string>
>;

const INPUTS: Readonly<Record<SourceType, (values: FormValues) => Html>> = {
  file: () => html`<div class="intake"><label class="drop" for="file"><strong>${say`Skin picture`}</strong>
<span class="quiet">${say`PNG, 64×64 or 64×32 pixels, at most 20,000 bytes`}</span>
<span class="quiet needs-script needs-mouse">${say`Drop files or a folder here, or paste a picture.`}</span>
<input id="file" type="file" name="file" accept="image/png" required></label>
<p class="needs-script needs-mouse"><button type="button" class="quiet-button" data-choose-folder>${say`Choose a folder`}</button></p>
<ol class="rows" data-chosen aria-label="${say`Chosen pictures`}" hidden></ol></div>`,
  url: ({ url = '' }) => html`<label for="url">${say`Picture URLs, one per line`}</label>
<textarea id="url" name="url" rows="4" required placeholder="https://" spellcheck="false">${url}</textarea>`,
  player: ({ user = '' }) => html`<label for="user">${say`Player names or UUIDs, one per line`}</label>
<textarea id="user" name="user" rows="4" required spellcheck="false">${user}</textarea>`,
};

const ARMS = {
  unknown: say`Detect`,
  classic: say`Classic, 4 pixels`,
  slim: say`Slim, 3 pixels`,
} as const;

interface FormView {
  readonly from: SourceType;
  readonly maker: FormMaker;
  /** What was entered before the form was refused. */
  readonly values?: FormValues;
  /** Why it was refused. */
  readonly problem?: Html | undefined;
  /** What has become of the visitor's latest jobs. */
  readonly latest?: Html | undefined;
}

/** The form that makes a skin. It works without scripts; with them, it takes several pictures and shows the results. */
export function makeForm({ from, maker, values = {}, problem }: FormView): Html {
  const { obstacle, name } = maker;
  return html`<div class="maker"><form class="panel" method="post" action="/ui/make" enctype="multipart/form-data"${!obstacle && html` data-make="${from}" data-at-once="${maker.atOnce}"`}>
${problem}
${obstacle && html`<p><strong>${obstacle}</strong></p>`}
<fieldset class="plain"${obstacle && html` disabled`}>
${name !== undefined && html`<input type="hidden" name="maker" value="${name}">`}
${INPUTS[from](values)}
<div class="row">
<div class="${from === 'file' ? 'without-script' : ''}"><label for="name">${say`Name`}</label>
<input id="name" name="name" maxlength="48" pattern="[A-Za-z0-9_.\\- ]+" title="${say`Only A–Z, a–z, 0–9, spaces, _ . and -`}" value="${values.name ?? ''}"></div>
<div><label for="variant">${say`Arms`}</label>
<select id="variant" name="variant">${options<string>(ARMS, values.variant)}</select></div>
<div><label for="visibility">${say`Visibility`}</label>
<select id="visibility" name="visibility">${visibilityOptions(maker, values.visibility)}</select></div>
${
  from !== 'player' &&
  maker.capes.length > 0 &&
  html`<div><label for="cape">${say`Cape`}</label>
<select id="cape" name="cape"><option value="">${say`None`}</option>${maker.capes.map(({ uuid, alias }) => html`<option value="${uuid}"${uuid === values.cape && html` selected`}>${alias}</option>`)}</select></div>`
}
</div>
<div class="acts" data-bar-of-chosen><button>${say`Make skin`}</button> <span class="quiet" role="status" data-chosen-count></span>
<button type="button" class="quiet-button" data-repair-all hidden>${say`Repair them`}</button>
<button type="button" class="quiet-button" data-remove-bad hidden>${say`Remove them`}</button></div>
</fieldset>
</form>
${!obstacle && results()}
${!obstacle && html`<script type="module" src="${assetAddress('make.js')}"></script>`}</div>
${name === undefined && html`<p class="quiet"><a href="/ui/jobs">${say`Skins made with this browser`}</a></p>`}`;
}

function visibilityOptions({ name, hasPrivateSkins }: FormMaker, chosen: string | undefined): Html {
  if (hasPrivateSkins) return html`${options<string>(VISIBILITIES, chosen)}`;
  const { private: _, ...others } = VISIBILITIES;
  const refused = name === undefined ? say`Private (sign in first)` : say`Private (not in your plan)`;
  return html`${options<string>(others, chosen)}<option value="private" disabled>${refused}</option>`;
}

/** The page's script fills it. */
function results(): Html {
  return html`<section class="panel results" data-results aria-label="${say`Results`}" tabindex="-1" hidden>
<p class="lead" role="status" data-progress></p>
<progress data-bar max="1" value="0" aria-label="${say`Finished pictures`}"></progress>
<p class="quiet" data-pause hidden></p>
<p class="problem" data-signed-out hidden>${say`You have been signed out. <a href="/ui/sign-in" target="_blank">Sign in</a>, and your files stay here.`}</p>
<div class="acts"><button type="button" class="quiet-button" data-more>${say`Make more skins`}</button>
<button type="button" class="quiet-button" data-again hidden>${say`Try all again`}</button>
<button type="button" class="copy" data-copy-all hidden>${say`Copy all`}</button>
<form method="post" action="/ui/make/skins.zip" data-zip hidden><input type="hidden" name="ids"><button class="quiet-button">${say`Download all (zip)`}</button></form></div>
<ol class="rows" data-rows></ol>
</section>
<dialog class="preview" data-preview aria-label="${say`Preview in 3D`}"><div class="stage" data-stage data-script="${assetAddress('skin-viewer.js')}"></div><p><button type="button" class="quiet-button" data-close>${say`Close`}</button></p></dialog>`;
}

const NAMES: Readonly<Record<SourceType, Content>> = {
  file: say`Picture`,
  url: 'URL',
  player: say`Player`,
};

/** An example of each source, as an argument of the command and as a field of the API. */
const EXAMPLES: Readonly<Record<SourceType, readonly [argument: string, field: string]>> = {
  file: ['skin.png', 'file=@skin.png'],
  url: ['https://example.com/skin.png', 'url=https://example.com/skin.png'],
  player: ['jeb_', 'user=jeb_'],
};

function makePage({ from, latest, ...form }: FormView): Page {
  const [argument, field] = EXAMPLES[from];
  return {
    title: titleOf(say`Make a skin`, [from !== 'file' && NAMES[from]]),
    body: html`<nav class="tabs" aria-label="${say`What to make it from`}">
${SOURCE_TYPES.map((one) => html`<a href="/ui/make?from=${one}"${one === from && html` aria-current="page"`}>${NAMES[one]}</a>`)}
</nav>
${latest}${makeForm({ from, ...form })}`,
    terminal: { command: `skinsmith generate ${argument}`, path: '/v2/generate', options: `-F ${field}` },
  };
}
