import { endSession } from '../../service/sessions.ts';
import type { Answer } from '../route.ts';
import { readCookie, sessionCookie, setCookie } from './cookie.ts';
import { nextAddress } from './next-address.ts';
import { type PageCall, seeOther } from './page-route.ts';

/** Gives the browser its new session, in place of the one that it had. `next`: the page that the person wanted to see. */
export async function signedIn(
  { context, request, session }: PageCall,
  secret: string,
  next?: string,
): Promise<Answer> {
  if (session) await endSession(context, session, session.sessionId);
  const publicUrl = context.publicUrl();
  const cookies = [sessionCookie(request, publicUrl, secret)];
  // That of the way by a provider has done its work.
  if (readCookie('skinsmith-sign-in', request, publicUrl) !== undefined)
    cookies.push(setCookie('skinsmith-sign-in', request, { publicUrl, secret: undefined }));
  return seeOther(nextAddress(next) ?? '/ui/', { 'Set-Cookie': cookies });
}
