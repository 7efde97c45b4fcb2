import type { HttpRequest } from '../request.ts';

/** Characters of an address that is kept: longer ones lead to the start page. */
const MAX_LENGTH = 300;

/** Where a person signs in, and from there on to the page that was asked for. A form that was sent is lost. */
export function signInAddress({ method, url }: Pick<HttpRequest, 'method' | 'url'>): `/ui${string}` {
  const next = method === 'GET' ? nextAddress(url) : undefined;
  return next === undefined ? '/ui/sign-in' : `/ui/sign-in?${new URLSearchParams({ next })}`;
}

/** An address on these pages, however it was written; undefined for one that leads elsewhere: links come from anybody. */
export function nextAddress(text: string | undefined): `/ui${string}` | undefined {
  const here = 'http://this.invalid';
  const url = text === undefined || text.length > MAX_LENGTH ? null : URL.parse(text, here);
  if (!url?.pathname.startsWith('/ui/') || url.origin !== here) return undefined;
  return `${url.pathname}${url.search}` as `/ui${string}`;
}
