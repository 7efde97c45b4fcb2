import type { Cache, Route } from '../route.ts';

const CACHE_HEADERS = {
  private: { 'Cache-Control': 'private, no-cache' },
  // Warnings are about the key, and a key may be bound to the place it is used from.
  public: { 'Cache-Control': 'public, max-age=30', Vary: 'Authorization, Origin' },
  none: { 'Cache-Control': 'no-store' },
} as const satisfies Record<Cache, Readonly<Record<string, string>>>;

/** Headers of answers that must not be cached. */
export const NOT_KEPT = CACHE_HEADERS.none;

/** Errors are never cached, nor are the answers to requests that change something. */
export function cacheHeaders({ method, cache }: Route, status: number): Readonly<Record<string, string>> {
  if (status >= 400 || method !== 'GET') return NOT_KEPT;
  return CACHE_HEADERS[cache ?? 'private'];
}
