/** What a page may load and do: only what comes from this server, and no script that is made from text. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "base-uri 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Headers of all answers below /ui/. Most depend on who is signed in. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': PAGE_POLICY,
  // Browsers would send the origin `null` with forms otherwise.
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'private, no-store',
  Vary: 'Accept, Accept-Encoding, Cookie',
} as const;

export const HTML_TYPE = { 'Content-Type': 'text/html; charset=utf-8' } as const;
