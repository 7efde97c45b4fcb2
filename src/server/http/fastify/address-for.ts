import type { IncomingMessage } from 'node:http';
import { startFor } from './pages.ts';

/** The address of a request that everything uses, so that all of it agrees on the route and its version. */
export function addressFor(
  { url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>,
  { hasPages }: { readonly hasPages: boolean },
): string {
  const plain = url.replace(/^\/{2,}/, '/'); // a base address with a slash at its end makes two
  return hasPages ? startFor({ url: plain, headers }) : plain;
}
