import type { z } from 'zod';
import { count, type Html, html, say } from '../html/html.ts';
import type { ServiceContext } from '../server/context.ts';
import {
  compressed,
  FRAMED_HEADERS,
  noted,
  refusalAnswer,
  SECURITY_HEADERS,
  type Written,
  write,
} from '../server/http/answers.ts';
import type { EndpointOptions } from '../server/http/endpoint.ts';
import type { Answer } from '../server/http/route.ts';
import { type HttpRequest, isUnderUnprovedName, OPAQUE_ORIGIN, originsOf } from '../server/http/route.ts';
import { UNLISTED } from '../server/http/routes/pictures.ts';
import { wantsPage } from '../server/http/visitors.ts';
import {
  anonymousCaller,
  type Caller,
  hasScope,
  type Origins,
  requireScope,
} from '../server/service/callers.ts';
import { countReportsToDecide } from '../server/service/moderation.ts';
import { Refusal } from '../server/service/refusal.ts';
import { findCaller, type SessionCaller } from '../server/service/sessions.ts';
import { readSessionCookie, signInAddress } from './cookies.ts';
import { inEnglish, type Page, reasonOf, type Visitor } from './frame.ts';
import { readerOf } from './language.ts';
import { renderPage } from './layout.ts';
import {
  isPage,
  type PageAnswer,
  type PageCall,
  type PageRoute,
  seeOther,
  verifyOwnForm,
} from './page-route.ts';

/** Pages load only what comes from this server, and create no scripts from text. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "base-uri 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "manifest-src 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Headers of all answers below /ui/. Most depend on who is signed in. */
const PAGE_HEADERS = {
  'Content-Security-Policy': PAGE_POLICY,
  // Otherwise browsers would send the origin `null` with forms.
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'private, no-store',
  Vary: 'Accept, Accept-Encoding, Accept-Language, Cookie',
} as const;

const HTML_TYPE = { 'Content-Type': 'text/html; charset=utf-8' } as const;

type PageEndpointOptions = Omit<EndpointOptions, 'localUser'>;

/** The person who sent a request. */
type PageAdmission = Pick<PageCall, 'caller' | 'session'>;

/** The pages' way to serve a route. */
export class PageEndpoint {
  readonly body = {};
  readonly #route: PageRoute;
  readonly #options: PageEndpointOptions;

  constructor(route: PageRoute, options: PageEndpointOptions) {
    this.#route = route;
    this.#options = options;
  }

  /** Identifies the person before the body is read. Keys in headers are ignored here. @throws Refusal */
  async admit(request: HttpRequest): Promise<PageAdmission> {
    this.#verifySender(request);
    const session = await findPerson(request, this.#options.context);
    return { session, caller: session?.caller ?? this.#stranger(request) };
  }

  #verifySender(request: HttpRequest): void {
    const { context, requestLimiter } = this.#options;
    try {
      if (this.#route.method === 'POST') verifyOwnForm(request, context.webPages);
    } catch (error) {
      requestLimiter.count(this.#stranger(request));
      throw error;
    }
  }

  #stranger(request: HttpRequest): Caller {
    const { plans, webPages } = this.#options.context;
    const origin = isUnderUnprovedName(request, webPages) ? OPAQUE_ORIGIN : undefined;
    return anonymousCaller({ ...ownOrigins(request), origin }, plans);
  }

  /** @throws Refusal `unauthorized` if the session that the request began with has ended, or its key lost the scopes */
  async #verify(request: HttpRequest, before: SessionCaller | undefined): Promise<void> {
    if (!before) return;
    const session = await findPerson(request, this.#options.context);
    if (!session) throw new Refusal('unauthorized', String(say`You are no longer signed in.`));
    if (this.#route.scopes) requireScope(session.caller, ...this.#route.scopes);
  }

  /** @throws Refusal, or any unexpected error */
  async answer(request: HttpRequest, admission: PageAdmission): Promise<Written> {
    const { isFramed, isTagged = false } = this.#route;
    const common = isFramed ? FRAMED_HEADERS : SECURITY_HEADERS;
    return write(await this.#answer(request, admission), { request, common, isTagged });
  }

  async refuse(error: unknown, request: HttpRequest, admission: PageAdmission | undefined): Promise<Written> {
    return await writePageRefusal(error, request, this.#options.context, admission?.session);
  }

  async #answer(request: HttpRequest, { caller, session }: PageAdmission): Promise<Answer> {
    const { context, requestLimiter } = this.#options;
    const leave = requestLimiter.enter(caller);
    try {
      if (!session && this.#needsSession()) {
        if (!wantsPage(request.headers)) throw new Refusal('unauthorized', 'You are not signed in.');
        const page = signedOutPage(request);
        if (!page) return withPageHeaders(seeOther(signInAddress(request)));
        const reader = await readerOf(request, context.publicUrl());
        return rendered(page, surroundingsOf({ visitor: undefined, context, reader, request }));
      }
      if (session && this.#route.scopes) requireScope(caller, ...this.#route.scopes);
      const visitor = await visitorOf(session, context);
      const params = parsedParams(this.#route.params, request.params);
      const query = parsedQuery(this.#route.query, request.query);
      const mayUse = session !== undefined || this.#options.allowsAnonymous;
      const verify = async () => await this.#verify(request, session);
      const reader = {
        ...(await readerOf(request, context.publicUrl())),
        needsSession: !this.#options.allowsAnonymous,
        maySet: session !== undefined && hasScope(caller, 'skins'),
      };
      const call = { context, request, caller, session, visitor, verify, mayUse, params, query, reader };
      const made = await this.#handle(call);
      const at = this.#route.path;
      const whole = rendered(made, { ...surroundingsOf(call), at });
      const answer = this.#needsSession() ? withPrivacy(whole) : whole;
      const isSafe = (isPage(made) ? made.isSafeToCompress : undefined) ?? this.#route.isSafeToCompress;
      return !session || isSafe ? await compressed(answer, request) : answer;
    } finally {
      leave();
    }
  }

  /** Ignores a list position that does not exist or no longer exists: the list starts at the top. */
  async #handle(call: PageCall): Promise<PageAnswer> {
    const { after, ...query } = (call.query ?? {}) as { readonly after?: unknown };
    try {
      return await this.#route.handle(call);
    } catch (error) {
      const isLost = error instanceof Refusal && error.code === 'validation_error';
      if (after === undefined || !isLost) throw error;
      return await this.#route.handle({ ...call, query });
    }
  }

  #needsSession(): boolean {
    const { isFor } = this.#route;
    return isFor === 'users' || (isFor === 'callers' && !this.#options.allowsAnonymous);
  }
}

/** The person who is signed in with the browser that sent the request; undefined: nobody. */
export async function findPerson(
  request: HttpRequest,
  context: ServiceContext,
): Promise<SessionCaller | undefined> {
  const secret = readSessionCookie(request, context.publicUrl());
  return secret === undefined ? undefined : await findCaller(context, secret, ownOrigins(request));
}

/** Without the page's origin: the form comes from this server, so bindings of keys to web pages do not apply. */
function ownOrigins(request: HttpRequest): Origins {
  return { ...originsOf(request), origin: undefined };
}

/** A mistyped address is not found. @throws Refusal `not_found` */
function parsedParams(schema: z.ZodObject | undefined, input: unknown): unknown {
  if (!schema) return input;
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw new Refusal('not_found');
  return parsed.data;
}

/** Ignores invalid parameters. @throws Refusal `not_found` if one of them is required */
function parsedQuery(schema: z.ZodObject | undefined, input: unknown): unknown {
  if (!schema) return input;
  const first = schema.safeParse(input);
  if (first.success) return first.data;
  const wrong = new Set(first.error.issues.map(({ path: [name] }) => name));
  const rest = Object.entries(input as Readonly<Record<string, unknown>>).filter(
    ([name]) => !wrong.has(name),
  );
  return parsedParams(schema, Object.fromEntries(rest));
}

async function visitorOf(session: SessionCaller | undefined, context: ServiceContext): Promise<Visitor> {
  if (!session) return undefined;
  const { caller } = session;
  const isOperator = caller.isOperator && hasScope(caller, 'operator');
  const openReports = isOperator ? await countReportsToDecide(context, caller) : 0;
  return { name: caller.name, isOperator, mayRead: hasScope(caller, 'read'), openReports };
}

function surroundingsOf({
  visitor,
  context,
  reader,
  request,
}: Pick<PageCall, 'visitor' | 'context' | 'reader'> & { readonly request: Pick<HttpRequest, 'method'> }) {
  const { site, publicUrl } = context;
  return { visitor, site, origin: publicUrl(), reader, hasAddress: request.method === 'GET' };
}

function rendered(answer: PageAnswer, surroundings: Parameters<typeof renderPage>[1]): Answer {
  if (!isPage(answer)) return withPageHeaders(answer);
  const { status = 200 } = answer;
  const headers = { ...HTML_TYPE, ...(answer.isIndexed !== true && UNLISTED), ...answer.headers };
  return withPageHeaders({ status, body: renderPage(answer, surroundings), headers });
}

/** What only people who are signed in get, no proxy may keep for others. */
function withPrivacy(answer: Answer): Answer {
  if (!String(answer.headers?.['Cache-Control']).startsWith('public')) return answer;
  const { 'Cache-Control': kept, Vary } = PAGE_HEADERS;
  return { ...answer, headers: { ...answer.headers, 'Cache-Control': kept, Vary } };
}

function withPageHeaders(answer: Answer): Answer {
  return { ...answer, headers: { ...PAGE_HEADERS, ...answer.headers } };
}

/**
 * The answer to a person's failed request: a page, or for a page's own script what the API would answer, with a text in
 * the reader's language.
 */
export async function writePageRefusal(
  error: unknown,
  request: HttpRequest,
  context: ServiceContext,
  session?: SessionCaller,
): Promise<Written> {
  const refusal = noted(error, request.log, context);
  const { headers, ...refused } = refusalAnswer(refusal);
  const reader = await readerOf(request, context.publicUrl());
  const options = { request, common: SECURITY_HEADERS };
  if (!wantsPage(request.headers)) {
    const says = [reasonOf(refusal).writeText(reader), ...detailsOf(refusal)].join(' ');
    return write(
      withPageHeaders({ ...refused, body: { ...(refused.body as object), says }, headers }),
      options,
    );
  }
  const visitor = await visitorOf(session, context);
  const links = { requestId: request.id, signIn: signInAddress(request) };
  const page = problemPage(refusal, { ...links, retryAfter: headers?.['Retry-After'] });
  const answer = rendered(page, surroundingsOf({ visitor, context, reader, request }));
  return write({ ...answer, headers: { ...headers, ...answer.headers } }, options);
}

/** A form that was sent after the session had ended, to send it again; undefined: nothing was typed. */
function signedOutPage({ method, url, body }: HttpRequest): Page | undefined {
  const typed = Object.entries(method === 'POST' ? (body ?? {}) : {});
  if (typed.length === 0) return undefined;
  return {
    status: 401,
    title: TITLES[401]!,
    body: html`<form class="panel" method="post" action="${url}"><p>${say`You are no longer signed in. <a href="/ui/sign-in" target="_blank">Sign in</a> in a new tab, then send this form again.`}</p>
${typed.flatMap(([name, values]) => [values].flat().map((value) => html`<input type="hidden" name="${name}" value="${String(value)}">`))}<button>${say`Try again`}</button></form>`,
  };
}

const TITLES: Readonly<Record<number, Html>> = {
  401: say`Sign in first`,
  403: say`Not allowed`,
  404: say`Not found`,
  413: say`Too large`,
  429: say`Too many requests`,
  503: say`Temporarily unavailable`,
};

interface ProblemView {
  readonly requestId: string;
  readonly signIn: string;
  /** Seconds to wait. */
  readonly retryAfter: unknown;
}

/** What happened, and what to do. */
function problemPage(refusal: Refusal, { requestId, signIn, retryAfter }: ProblemView): Page {
  const { status, code } = refusal;
  const details = detailsOf(refusal);
  return {
    status,
    title: TITLES[status] ?? (status >= 500 ? say`Something went wrong` : say`That did not work`),
    body: html`<p class="lead">${reasonOf(refusal)}</p>
${details.length > 0 && html`<ul>${details.map((detail) => html`<li>${inEnglish(detail)}</li>`)}</ul>`}
<p>${adviceFor(status, signIn, Number(retryAfter ?? 0))}</p>
<p class="quiet">${say`Error <code>${code}</code>, request ID <code>${requestId}</code>`}</p>`,
  };
}

/** More about the problem, such as the invalid fields. */
function detailsOf({ details: { notes = [] } }: Refusal): string[] {
  return notes.map(({ message }) => message);
}

function adviceFor(status: number, signIn: string, seconds: number): Html {
  if (status === 401 || status === 403)
    return say`<a href="${signIn}">Sign in</a> with a key that has this permission.`;
  if (status === 404)
    return say`It may be private, or have been deleted. <a href="/ui/">Go to the start page.</a>`;
  if (status === 429 && seconds > 0)
    return say`Wait ${count(seconds)} s and try again, or <a href="/ui/">go to the start page</a>.`;
  if (status === 429) return say`Wait a moment and try again, or <a href="/ui/">go to the start page</a>.`;
  if (status >= 500)
    return say`Try again in a moment. If it keeps happening, send the operator the request ID below.`;
  return say`Go back and try again, or <a href="/ui/">go to the start page</a>.`;
}
