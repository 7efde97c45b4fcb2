import { z } from 'zod';
import { ProviderError, type ProviderFault } from '../../../openid/claims.ts';
import type { Page } from '../../../pages/frame/page.ts';
import { firstSignInPage, type SignInView, signInPage } from '../../../pages/views/sign-in.ts';
import type { ServiceContext } from '../../../service/context.ts';
import {
  becomeNewUser,
  becomeUserOfKey,
  readFirstSignIn,
  signInWithProvider,
} from '../../../service/openid/sign-in.ts';
import { Refusal } from '../../../service/refusal.ts';
import { makeSecret } from '../../../service/sessions.ts';
import { readCookie, setCookie } from '../../pages/cookie.ts';
import { nextAddress } from '../../pages/next-address.ts';
import { type PageAnswer, type PageCall, pageRoute, seeOther } from '../../pages/page-route.ts';
import { signedIn } from '../../pages/signed-in.ts';
import { originsOf } from '../../request.ts';

const PATH = '/ui/sign-in/provider';
const ANSWER_PATH = '/ui/sign-in/callback';
const FIRST_PATH = '/ui/sign-in/first';
const formSchema = z.object({ key: z.string().max(512).optional() });

/** The provider that pages lead to. The address is absolute: the provider leads back to no other one. */
export function providerOf({ openId, publicUrl }: ServiceContext, next?: string): SignInView['provider'] {
  const page = nextAddress(next);
  const query = page === undefined ? '' : `?${new URLSearchParams({ next: page })}`;
  return openId && { name: openId.name, address: `${publicUrl()}${PATH}${query}` };
}

/** A link, not a form: the policy of the pages lets no form lead to another server. */
export const providerSignInRoute = pageRoute({
  method: 'GET',
  path: PATH,
  isFor: 'everyone',
  query: z.object({ next: z.string().optional() }),
  handle: async (call) =>
    await orSignInPage(call, async ({ openId, publicUrl }) => {
      if (!openId) throw new Refusal('not_found');
      const secret = makeSecret();
      const address = await openId.begin(secret, `${publicUrl()}${ANSWER_PATH}`);
      const page = nextAddress(call.query.next);
      const kept = page === undefined ? secret : `${secret}.${Buffer.from(page).toString('base64url')}`;
      const cookie = setCookie('skinsmith-sign-in', call.request, { publicUrl: publicUrl(), secret: kept });
      return { status: 303, body: undefined, headers: { Location: address.href, 'Set-Cookie': cookie } };
    }),
});

export const providerAnswerRoute = pageRoute({
  method: 'GET',
  path: ANSWER_PATH,
  isFor: 'everyone',
  handle: async (call) =>
    await orSignInPage(call, async (context) => {
      const { url } = call.request;
      const answer = new URL(`${context.publicUrl()}${ANSWER_PATH}`);
      answer.search = url.includes('?') ? url.slice(url.indexOf('?')) : '';
      const { secret, next } = signInOf(call);
      const session = await signInWithProvider(context, { answer, secret }, originsOf(call.request));
      return session === undefined ? seeOther(FIRST_PATH) : await signedIn(call, session, next);
    }),
});

export const firstSignInRoute = pageRoute({
  method: 'GET',
  path: FIRST_PATH,
  isFor: 'everyone',
  handle: async (call) => await orSignInPage(call, async () => await welcome(call)),
});

export const firstSignInFormRoute = pageRoute({
  method: 'POST',
  path: FIRST_PATH,
  isFor: 'everyone',
  handle: async (call) =>
    await orSignInPage(call, async (context) => {
      const { key } = formSchema.parse(call.request.body ?? {});
      const { secret, next } = signInOf(call);
      const origins = originsOf(call.request);
      if (key === undefined) return await signedIn(call, await becomeNewUser(context, secret, origins), next);
      try {
        return await signedIn(call, await becomeUserOfKey(context, { secret, key }, origins), next);
      } catch (error) {
        if (error instanceof Refusal) return await welcome(call, `This key was not taken: ${error.message}`);
        throw error;
      }
    }),
});

async function welcome(call: PageCall, problem?: string): Promise<Page> {
  const { name } = await readFirstSignIn(call.context, signInOf(call).secret);
  return firstSignInPage({ name, provider: call.context.openId?.name ?? 'the provider', problem });
}

/** @throws ProviderError for a browser that began no sign-in, or too long ago */
function signInOf({ context, request }: PageCall): {
  readonly secret: string;
  readonly next: string | undefined;
} {
  const kept = readCookie('skinsmith-sign-in', request, context.publicUrl());
  if (kept === undefined) throw new ProviderError('stale', 'this browser has begun no sign-in');
  const [secret = '', next] = kept.split('.', 2);
  return { secret, next: next && Buffer.from(next, 'base64url').toString() };
}

/** Says on the sign-in page why the provider's way in did not work: keys and links go on. */
async function orSignInPage(
  { context, request }: PageCall,
  answer: (context: ServiceContext) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  try {
    return await answer(context);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (REPORTED.has(error.code)) request.report(error, 'sign-in by OpenID Connect failed');
    const provider = providerOf(context);
    const { status, text } = PROBLEMS[error.code];
    return signInPage({ problem: { status, message: text(provider?.name ?? 'The provider') }, provider });
  }
}

/** What the operator can do something about. */
const REPORTED: ReadonlySet<ProviderFault> = new Set(['unreachable', 'invalid']);

const PROBLEMS = {
  unreachable: {
    status: 503,
    text: (name) => `${name} does not answer at the moment. Try again later, or sign in with a key.`,
  },
  denied: { status: 403, text: (name) => `${name} did not sign you in.` },
  stale: {
    status: 403,
    text: () => 'This sign-in was used already, is too old, or began in another browser. Begin again.',
  },
  not_allowed: {
    status: 403,
    text: () => 'You may not use this server. Its operator decides who may.',
  },
  busy: {
    status: 429,
    text: () => 'There are too many sign-ins at the moment. Try again in a minute, or sign in with a key.',
  },
  invalid: {
    status: 502,
    text: (name) => `The answer of ${name} is not valid, so it signs nobody in. Tell the operator.`,
  },
} satisfies Record<ProviderFault, { status: number; text: (name: string) => string }>;
