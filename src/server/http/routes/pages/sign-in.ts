import { z } from 'zod';
import { linkPage, signInPage } from '../../../pages/views/sign-in.ts';
import { Refusal } from '../../../service/refusal.ts';
import { endSession, proveAddress, signInWithKey, signInWithLink } from '../../../service/sessions.ts';
import { sessionCookie } from '../../pages/cookie.ts';
import { nextAddress } from '../../pages/next-address.ts';
import { type PageCall, pageRoute, seeOther } from '../../pages/page-route.ts';
import { signedIn } from '../../pages/signed-in.ts';
import { originsOf } from '../../request.ts';
import type { Answer } from '../../route.ts';
import { providerOf } from './provider-sign-in.ts';

const PATH = '/ui/sign-in';
const LINK_PATH = '/ui/sign-in/link';
const secretSchema = z.object({ secret: z.string().regex(/^[\w-]{43}$/, 'not a sign-in link') });
const questionSchema = z.object({ address: z.string().max(2048), nonce: z.string().max(64) });
const keySchema = z.object({ key: z.string().max(512), next: z.string().optional() });

export const signInRoute = pageRoute({
  method: 'GET',
  path: PATH,
  isFor: 'everyone',
  query: z.object({ next: z.string().optional() }),
  handle: async ({ context, session, query: { next } }) => {
    if (session) return seeOther(nextAddress(next) ?? '/ui/sessions');
    return signInPage({ provider: providerOf(context, next), next: nextAddress(next) });
  },
});

export const signInFormRoute = pageRoute({
  method: 'POST',
  path: PATH,
  isFor: 'everyone',
  handle: async (call) => {
    const { context, request } = call;
    const { key, next } = keySchema.parse(request.body ?? {});
    try {
      return await signedIn(call, await signInWithKey(context, key, originsOf(request)), next);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'invalid_api_key') throw error;
      const problem = { message: `This key does not work here: ${error.message}.`, status: 403 };
      return signInPage({ problem, provider: providerOf(context, next), next: nextAddress(next) });
    }
  },
});

/**
 * A link that the person opened, from a terminal or by typing it, signs in at once. After one on another site the person
 * is asked first: it could be the link of somebody who wants to be given the person's skins.
 */
export const linkRoute = pageRoute({
  method: 'GET',
  path: LINK_PATH,
  isFor: 'everyone',
  query: secretSchema,
  handle: async (call) => {
    const { method, headers } = call.request;
    // A look at the address, or a browser that loads a page before anybody opens it, must not use the link up.
    const isOpened = method === 'GET' && headers['sec-purpose'] === undefined;
    if (!isOpened || headers['sec-fetch-site'] !== 'none') return linkPage(call.query);
    return await followLink(call, call.query.secret);
  },
});

export const linkFormRoute = pageRoute({
  method: 'POST',
  path: LINK_PATH,
  isFor: 'everyone',
  handle: async (call) => await followLink(call, secretSchema.parse(call.request.body ?? {}).secret),
});

async function followLink(call: PageCall, link: string): Promise<Answer> {
  const { context, request } = call;
  return await signedIn(call, await signInWithLink(context, link, originsOf(request)));
}

/** For commands that use the store too: before they send a link here, they make sure that we are who we should be. */
export const proofRoute = pageRoute({
  method: 'GET',
  path: '/ui/sign-in/proof',
  isFor: 'everyone',
  query: questionSchema,
  handle: async ({ context, query }) => {
    const proof = await proveAddress(context, query);
    if (proof === undefined) throw new Refusal('not_found', 'This is not an address of this server alone.');
    return { status: 204, body: undefined, headers: { 'Skinsmith-Proof': proof } };
  },
});

export const signOutRoute = pageRoute({
  method: 'POST',
  path: '/ui/sign-out',
  isFor: 'everyone',
  handle: async ({ context, request, session }) => {
    if (session) await endSession(context, session, session.sessionId);
    return seeOther('/ui/', { 'Set-Cookie': sessionCookie(request, context.publicUrl(), undefined) });
  },
});
