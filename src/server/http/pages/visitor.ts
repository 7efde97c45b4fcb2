import type { Page } from '../../pages/frame/page.ts';
import type { FormMaker } from '../../pages/views/make-form.ts';
import { Refusal } from '../../service/refusal.ts';
import { makeSecret } from '../../service/sessions.ts';
import { readCookie, setCookie } from './cookie.ts';
import type { PageCall } from './page-route.ts';

type Visit = Pick<PageCall, 'context' | 'request' | 'session'>;

/** The secret of the browser of a visitor who is not signed in, by which it finds its own jobs. */
export function visitorSecret({ context, request, session }: Visit): string | undefined {
  return session ? undefined : readCookie('skinsmith-visitor', request, context.publicUrl());
}

/** A page with the form that makes skins. It gives the browser of a visitor its secret. */
export function forMaker(page: Page, visit: Visit): Page {
  const { context, request, session } = visit;
  if (session || visitorSecret(visit) !== undefined) return page;
  const input = { publicUrl: context.publicUrl(), secret: makeSecret() };
  return { ...page, headers: { 'Set-Cookie': setCookie('skinsmith-visitor', request, input) } };
}

export function makerOf({ caller, session }: Pick<PageCall, 'caller' | 'session'>): FormMaker {
  return { name: session?.caller.name, hasPrivateSkins: caller.plan.privateSkins };
}

/**
 * Whoever was signed in when the form was drawn must still be, or the skin would be nobody's for good.
 * @param maker the name that the form has, or nothing
 * @throws Refusal `unauthorized`
 */
export function verifyMaker({ session }: Pick<PageCall, 'session'>, maker: unknown): void {
  if (typeof maker !== 'string' || maker === '' || maker === session?.caller.name) return;
  const message = session
    ? `You are signed in as ${session.caller.name} now, and no longer as ${maker}. Load the page again.`
    : 'You have been signed out. Sign in again, and send this once more.';
  throw new Refusal('unauthorized', { message });
}
