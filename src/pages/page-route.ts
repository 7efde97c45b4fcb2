import { z } from 'zod';
import { type Html, type Reader, say } from '../html/html.ts';
import type { Scope } from '../protocol/api-key.ts';
import { uuidSchema } from '../protocol/skin.ts';
import type { ServiceContext } from '../server/context.ts';
import { type GenerationBody, readBody } from '../server/http/bodies.ts';
import type { Answer, HttpRequest, Parsed } from '../server/http/route.ts';
import { type Caller, requireOperator, type WebPages } from '../server/service/callers.ts';
import { asRefusal, Refusal } from '../server/service/refusal.ts';
import type { SessionCaller } from '../server/service/sessions.ts';
import { type Page, problemOf, type Visitor } from './frame.ts';

/** A request from a person's browser. */
export interface PageCall<Params = unknown, Query = unknown> {
  readonly context: ServiceContext;
  readonly request: HttpRequest;
  readonly caller: Caller;
  /** Undefined if nobody is signed in. */
  readonly session: SessionCaller | undefined;
  readonly visitor: Visitor;
  /** Checks the session again, for answers that stay open. @throws Refusal if it has ended */
  readonly verify: () => Promise<void>;
  /** Whether the person may use the service without signing in first. */
  readonly mayUse: boolean;
  readonly params: Params;
  readonly query: Query;
  /** Who reads the page, and in which language. */
  readonly reader: Reader;
  /** What the person has typed into a form of the page that was refused. */
  readonly typed?: TypedForm;
}

export interface TypedForm {
  readonly problem: Html;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Which of the page's forms it is: the parameters in its address. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** What was typed into a field; otherwise what is there without it. */
export function typedIn(typed: TypedForm | undefined, name: string, otherwise = ''): string {
  const value = typed?.fields[name];
  return typeof value === 'string' ? value : otherwise;
}

/** A page or another answer: a redirect, data, a file. */
export type PageAnswer = Page | Answer;

/** An address below /ui/. */
export interface PageRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /**
   * `everyone`: nobody has to sign in; `callers`: people without a key may see it if the operator lets them use the
   * service; `users`: only people who are signed in.
   */
  readonly isFor: 'everyone' | 'callers' | 'users';
  /** The key that the person signed in with needs one of these scopes. */
  readonly scopes?: readonly Scope[];
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /**
   * Whether it comes compressed to people who are signed in, too: nobody else can put text on it while it shows
   * something that others must not guess from its length.
   */
  readonly isSafeToCompress?: boolean;
  /** Whether it comes only to those who lack it. */
  readonly isTagged?: boolean;
  /** True if other sites may show it in a frame. */
  readonly isFramed?: boolean;
  /** Answers one request. @throws Refusal, which is shown as a page */
  readonly handle: (call: PageCall) => Promise<PageAnswer>;
}

/** `isFor` of a page; a scope: people who are signed in, with a key that has it. */
type Audience = PageRoute['isFor'] | Scope;

/** What else a route says. It ties a handler's `params` and `query` to the schemas that parse them. */
type Spec<P, Q> = Omit<PageRoute, 'method' | 'path' | 'isFor' | 'params' | 'query' | 'handle'> & {
  readonly params?: P;
  readonly query?: Q;
};

function admitting(who: Audience): Pick<PageRoute, 'isFor' | 'scopes'> {
  return who === 'everyone' || who === 'callers' || who === 'users'
    ? { isFor: who }
    : { isFor: 'users', scopes: [who] };
}

export function pageFor<P extends z.ZodObject | undefined, Q extends z.ZodObject | undefined>(
  who: Audience,
  path: string,
  spec: Spec<P, Q>,
  handle: (call: PageCall<Parsed<P>, Parsed<Q>>) => Promise<PageAnswer>,
): PageRoute {
  return { method: 'GET', path, ...admitting(who), ...spec, handle } as PageRoute;
}

/** What the route of a form says; `leadsTo` and `on` make most handlers a line or two. */
export type FormSpec<P, Q, F> = Spec<P, Q> & {
  /** Absent: the handler reads the body itself. */
  readonly fields?: F;
  /** The page that has the form. If it is refused, the page is shown again, with what was typed and why. */
  readonly on?: PageRoute;
  /** Largest file that it takes, in bytes, or the usual one; absent: none. */
  readonly fileSize?: number | 'usual';
  /** Where it leads once it is done, unless the handler gives another answer. */
  readonly leadsTo?: LocalPath | ((call: PageCall<Parsed<P>, Parsed<Q>>) => LocalPath);
};

export type FormHandler<P, Q, F> = (
  call: PageCall<Parsed<P>, Parsed<Q>> &
    Pick<GenerationBody, 'file' | 'fileName'> & { readonly fields: z.output<F> },
) => Promise<PageAnswer | undefined>;

export function formFor<P extends z.ZodObject, Q extends z.ZodObject, F extends z.ZodType>(
  who: Audience,
  path: string,
  { fields, on, fileSize, leadsTo, ...spec }: FormSpec<P, Q, F>,
  handle: FormHandler<P, Q, F>,
): PageRoute {
  const answer = async (call: PageCall<Parsed<P>, Parsed<Q>>) => {
    let typed: Readonly<Record<string, unknown>> = { ...(call.request.body as object) };
    try {
      if (who === 'operator') requireOperator(call.caller); // before reading a body that may be large
      const body = fileSize && (await readBody(call.request, fileSize === 'usual' ? {} : { fileSize }));
      if (body) typed = body.fields;
      const made = await handle({ ...call, ...body, fields: fields?.parse(typed) as z.output<F> });
      if (made) return made;
      if (leadsTo === undefined) throw new Error(`The form at ${path} leads nowhere.`);
      return seeOther(typeof leadsTo === 'string' ? leadsTo : leadsTo(call));
    } catch (error) {
      const refusal = asRefusal(error);
      if (!on || refusal.status !== 400) throw error;
      const form = { problem: problemOf(refusal), fields: typed, params: { ...call.params } };
      const page = await on.handle({ ...call, query: on.query?.parse({}), typed: form });
      return isPage(page) ? { ...page, status: 400 } : page;
    }
  };
  return { method: 'POST', path, ...admitting(who), ...spec, handle: answer } as PageRoute;
}

/** A page of this server, or the short address of one. */
export type LocalPath = `/ui${string}` | `/s/${string}`;

/** An address with a query. Its empty fields are left out. */
export function addressWith<Path extends LocalPath>(
  path: Path,
  query: Readonly<Record<string, string | undefined>>,
): Path | `${Path}?${string}` {
  const given = Object.entries(query).filter((field): field is [string, string] => Boolean(field[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** Redirects to another address of this server after a form. */
export function seeOther(path: LocalPath, headers: Answer['headers'] = {}): Answer {
  return { status: 303, body: undefined, headers: { Location: path, ...headers } };
}

export function isPage(answer: PageAnswer): answer is Page {
  return 'title' in answer;
}

/** For routes whose address has a UUID. */
export const ofUuid = { params: z.object({ uuid: uuidSchema }) };

/** All values of a field that may occur several times, such as checked boxes. */
export function listField<S extends z.ZodType>(one: S) {
  return z.preprocess((value) => (value === undefined ? [] : [value].flat()), z.array(one));
}

/** A text with several values, one per line or separated by commas. */
export const lines = z
  .string()
  .max(8_192)
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ''));

/** A parameter that says that something is so. */
export const yes = z.literal('yes').optional();

/** A checkbox, which browsers send only if it is checked. */
export const checked = z
  .string()
  .optional()
  .transform((value) => value !== undefined);

/** A select or text field whose empty value means: none. */
export function optionalField<S extends z.ZodType>(schema: S) {
  return z.union([z.literal('').transform(() => undefined), schema]).optional();
}

type Sent = Pick<HttpRequest, 'headers' | 'host'>;

/**
 * Refuses a form that a page of another site sent. Browsers state where a request comes from; those that do not, because
 * the connection is neither encrypted nor local, send the origin of the page.
 * @throws Refusal `insufficient_grants`
 */
export function verifyOwnForm(sent: Sent, webPages: WebPages): void {
  const site = sent.headers['sec-fetch-site'];
  const isOwn = site === undefined ? originOf(sent)?.host === sent.host : site === 'same-origin';
  if (!isOwn)
    throw new Refusal(
      'insufficient_grants',
      String(say`This form does not come from a page of this server.`),
    );
  verifyName(sent, webPages);
}

/** Guards against DNS rebinding: to a browser, another site's pages are ours once that site's name resolves to this server. */
function verifyName(sent: Sent, webPages: WebPages): void {
  const page = originOf(sent) ?? URL.parse(`http://${sent.host}`);
  if (page && webPages.isProvedName(page)) return;
  throw unprovedName(page, 'forms are refused');
}

/** @throws Refusal `insufficient_grants` for the jobs of visitors under a name that is not proved */
export function verifyMaySee(caller: Caller, { host }: Sent, webPages: WebPages): void {
  if (!webPages.isTrusted(caller)) throw unprovedName(URL.parse(`http://${host}`), 'jobs are hidden');
}

/** `what`: the consequence. */
function unprovedName(page: URL | null, what: string): Refusal {
  const { host = 'this address', origin = 'http://…' } = page ?? {};
  return new Refusal(
    'insufficient_grants',
    `Any website could point its name at this server, so ${what} at ${host}. Open the page by the server's IP address, or start the server with --public-url ${origin}`,
  );
}

/** Undefined if the browser does not send it. */
function originOf({ headers: { origin } }: Sent): URL | undefined {
  return (typeof origin === 'string' && URL.parse(origin)) || undefined;
}
