import type { z } from 'zod';
import { renderPage } from '../../pages/frame/layout.ts';
import type { Visitor } from '../../pages/frame/page.ts';
import { problemPage } from '../../pages/views/problem.ts';
import { anonymousCaller, type Caller, type Origins, requireScope } from '../../service/callers/caller.ts';
import type { ServiceContext } from '../../service/context.ts';
import type { RequestLimiter } from '../../service/limits/request-limiter.ts';
import { asRefusal, Refusal } from '../../service/refusal.ts';
import { findCaller, type SessionCaller } from '../../service/sessions.ts';
import { compressed, refusalAnswer } from '../answers.ts';
import type { RequestLog } from '../request.ts';
import { type HttpRequest, isUnderStrangeName, OPAQUE_ORIGIN, originsOf } from '../request.ts';
import type { Answer } from '../route.ts';
import { readSessionCookie } from './cookie.ts';
import { signInAddress } from './next-address.ts';
import { HTML_TYPE, PAGE_HEADERS } from './page-headers.ts';
import { isPage, type PageAnswer, type PageCall, type PageRoute, seeOther } from './page-route.ts';
import { verifyOwnForm } from './same-site.ts';
import { wantsPage } from './wants-page.ts';

export interface PageEndpointOptions {
  readonly context: ServiceContext;
  readonly allowsAnonymous: boolean;
  readonly requestLimiter: RequestLimiter;
}

/** A person's request, and who the person is. */
export interface PageAdmission {
  readonly caller: Caller;
  readonly session: SessionCaller | undefined;
}

/** A page with all that is done for each of its requests. */
export class PageEndpoint {
  readonly #route: PageRoute;
  readonly #options: PageEndpointOptions;

  constructor(route: PageRoute, options: PageEndpointOptions) {
    this.#route = route;
    this.#options = options;
  }

  /** Identifies the person, before the body is read. Keys in headers do not count here. @throws Refusal */
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
    const origin = isUnderStrangeName(request, webPages) ? OPAQUE_ORIGIN : undefined;
    return anonymousCaller({ ...ownOrigins(request), origin }, plans);
  }

  /** @throws Refusal `unauthorized` if the session that the request began with has ended, or its key lost the scopes */
  async #verify(request: HttpRequest, before: SessionCaller | undefined): Promise<void> {
    if (!before) return;
    const session = await findPerson(request, this.#options.context);
    if (!session) throw new Refusal('unauthorized', 'You are not signed in any more.');
    if (this.#route.scopes) requireScope(session.caller, ...this.#route.scopes);
  }

  /** @throws Refusal, and whatever else goes wrong */
  async answer(request: HttpRequest, { caller, session }: PageAdmission): Promise<Answer> {
    const { context, requestLimiter } = this.#options;
    const leave = requestLimiter.enter(caller);
    try {
      if (!session && this.#needsSession()) return withPageHeaders(seeOther(signInAddress(request)));
      if (session && this.#route.scopes) requireScope(caller, ...this.#route.scopes);
      const visitor = visitorOf(session);
      const params = parsedParams(this.#route.params, request.params);
      const query = parsedQuery(this.#route.query, request.query);
      const mayUse = session !== undefined || this.#options.allowsAnonymous;
      const verify = async () => await this.#verify(request, session);
      const call = { context, request, caller, session, visitor, verify, mayUse, params, query };
      const answer = written(await this.#handle(call), visitor, this.#route.path);
      return session ? answer : await compressed(answer, request);
    } finally {
      leave();
    }
  }

  /** A place in a list that there is not, or no longer, counts as none: the list begins anew. */
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

/** Who is signed in with the browser that sent the request; undefined: nobody. */
export async function findPerson(
  request: HttpRequest,
  context: ServiceContext,
): Promise<SessionCaller | undefined> {
  const secret = readSessionCookie(request, context.publicUrl());
  return secret === undefined ? undefined : await findCaller(context, secret, ownOrigins(request));
}

/** The form is a page's of this server, so it does not matter which page. */
function ownOrigins(request: HttpRequest): Origins {
  return { ...originsOf(request), origin: undefined };
}

/** An address that was mistyped leads nowhere. @throws Refusal `not_found` */
function parsedParams(schema: z.ZodObject | undefined, input: unknown): unknown {
  if (!schema) return input;
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw new Refusal('not_found');
  return parsed.data;
}

/** What is no value for a parameter counts as left out. @throws Refusal `not_found` if it cannot be left out */
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

function visitorOf(session: SessionCaller | undefined): Visitor {
  return session ? { name: session.caller.name, isOperator: session.caller.isOperator } : undefined;
}

/** `at`: the address that the page's route has. */
function written(answer: PageAnswer, visitor: Visitor, at = ''): Answer {
  if (!isPage(answer)) return withPageHeaders(answer);
  const { status = 200 } = answer;
  const headers = { ...HTML_TYPE, ...answer.headers };
  return withPageHeaders({ status, body: renderPage(answer, visitor, at), headers });
}

function withPageHeaders(answer: Answer): Answer {
  return { ...answer, headers: { ...PAGE_HEADERS, ...answer.headers } };
}

/** The answer to a person's request that failed; to a page's own script, as the API would answer. */
export function pageErrorAnswer(
  error: unknown,
  {
    request,
    log,
    context,
  }: { request: Pick<HttpRequest, 'headers'>; log: RequestLog; context: PageEndpointOptions['context'] },
  { requestId, session }: { requestId: string; session?: SessionCaller | undefined },
): Answer {
  const refusal = asRefusal(error);
  if (refusal.code === 'internal_error') log.error({ err: refusal.cause ?? refusal }, refusal.code);
  context.observer.refused(refusal.code);
  if (!wantsPage(request.headers)) return withPageHeaders(refusalAnswer(refusal));
  const { headers } = refusalAnswer(refusal);
  const visitor = visitorOf(session);
  const details = (refusal.details.notes ?? []).map(({ message }) => message);
  const page = problemPage({
    status: refusal.status,
    code: refusal.code,
    message: refusal.message,
    details,
    requestId,
  });
  const answer = written({ ...page, status: refusal.status }, visitor);
  return { ...answer, headers: { ...headers, ...answer.headers } };
}
