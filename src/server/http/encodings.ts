import type { HttpRequest } from './request.ts';

/** The bytes of an answer in both forms. All connections that they are sent to share them. */
export interface Encodings {
  readonly plain: Uint8Array;
  readonly gzipped: Uint8Array;
}

type Headed = Pick<HttpRequest, 'headers'>;

/** Whether the caller takes compressed answers. */
export function takesGzip({ headers }: Headed): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(headers['accept-encoding'] ?? ''));
}

/** Body and headers in the form that the caller takes. `vary`: other headers of the request that the answer follows. */
export function encodedFor(
  request: Headed,
  { plain, gzipped }: Encodings,
  vary: readonly string[] = [],
): { readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> } {
  const common = { Vary: [...vary, 'Accept-Encoding'].join(', ') };
  if (!takesGzip(request)) return { body: plain, headers: common };
  return { body: gzipped, headers: { ...common, 'Content-Encoding': 'gzip' } };
}
