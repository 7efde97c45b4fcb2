import type { HttpRequest } from '../request.ts';

/**
 * What Java's own HTTP client, and so authlib-injector, sends by default: it lists web pages first, although it does
 * not want one.
 */
const JAVA_DEFAULT = 'text/html, image/gif, image/jpeg';

/** Whether a request is a person's, who looks at a page, and not a program's. */
export function wantsPage({ accept }: HttpRequest['headers']): boolean {
  if (typeof accept !== 'string' || accept.startsWith(JAVA_DEFAULT)) return false;
  return accept.split(',').some((type) => /^\s*text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*$)|$)/i.test(type));
}
