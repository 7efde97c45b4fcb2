import type { z } from 'zod';
import type { Scope } from '../../../protocol/api-key.ts';
import type { Page, Visitor } from '../../pages/frame/page.ts';
import type { Caller } from '../../service/callers/caller.ts';
import type { ServiceContext } from '../../service/context.ts';
import type { SessionCaller } from '../../service/sessions.ts';
import type { HttpRequest } from '../request.ts';
import type { Answer } from '../route.ts';

/** A request of a person with a browser. */
export interface PageCall<Params = unknown, Query = unknown> {
  readonly context: ServiceContext;
  readonly request: HttpRequest;
  readonly caller: Caller;
  /** Undefined if nobody is signed in. */
  readonly session: SessionCaller | undefined;
  readonly visitor: Visitor;
  /** Finds the person again, for answers that stay open. @throws Refusal if the session has ended in the meantime */
  readonly verify: () => Promise<void>;
  /** Whether the person may use the service without signing in first. */
  readonly mayUse: boolean;
  readonly params: Params;
  readonly query: Query;
}

/** A page, or anything else that is answered: a redirect, data, a file. */
export type PageAnswer = Page | Answer;

/** An address below /ui/. */
export interface PageRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /**
   * `everyone`: also who must sign in for all else; `callers`: who may use the service, without a key too where the
   * operator allows that; `users`: only who is signed in.
   */
  readonly isFor: 'everyone' | 'callers' | 'users';
  /** The key that the person signed in with needs one of these scopes. */
  readonly scopes?: readonly Scope[];
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Answers one request. @throws Refusal, which is shown as a page */
  readonly handle: (call: PageCall) => Promise<PageAnswer>;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : unknown;

/** Ties a handler's `params` and `query` to the schemas that parse them. */
export function pageRoute<P extends z.ZodObject | undefined, Q extends z.ZodObject | undefined>(
  spec: Omit<PageRoute, 'params' | 'query' | 'handle'> & {
    readonly params?: P;
    readonly query?: Q;
    readonly handle: (call: PageCall<Parsed<P>, Parsed<Q>>) => Promise<PageAnswer>;
  },
): PageRoute {
  return spec as PageRoute;
}

/** Leads on to another address of this server, after a form. */
export function seeOther(path: `/ui${string}`, headers: Answer['headers'] = {}): Answer {
  return { status: 303, body: undefined, headers: { Location: path, ...headers } };
}

/** Data for the scripts of a page. */
export function dataAnswer(status: number, body: object): Answer {
  return { status, body, headers: { 'Content-Type': 'application/json; charset=utf-8' } };
}

export function isPage(answer: PageAnswer): answer is Page {
  return 'title' in answer;
}
