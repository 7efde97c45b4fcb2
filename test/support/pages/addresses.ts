import { PAGE_ROUTES } from '../../../src/pages/page-routes.ts';

/** Values for the placeholders of addresses. */
export type Samples = Readonly<Record<string, string>>;

type RouteName = `${'GET' | 'POST'} ${string}`;

/** How a route is named here: its method and path. */
export function routeName({ method, path }: { readonly method: 'GET' | 'POST'; readonly path: string }) {
  return `${method} ${path}` as const;
}

/** What is read by scripts, saved or shown inside of pages; the way to a provider. */
export const NO_PAGES: readonly RouteName[] = [
  'GET /ui/skins/pack.zip',
  'GET /ui/assets/:name',
  'GET /ui/logo',
  'GET /ui/operator/images/:hash/picture',
  'GET /robots.txt',
  'GET /sitemap.xml',
  'GET /sitemaps/:file',
  'GET /ui/gallery.atom',
  'GET /ui/news.atom',
  'GET /manifest.webmanifest',
  'GET /.well-known/security.txt',
  'GET /favicon.ico',
  'GET /apple-touch-icon.png',
  'GET /icon-192.png',
  'GET /icon-512.png',
  'GET /card.png',
  'GET /ui/jobs/:jobId/state',
  'GET /ui/jobs/:jobId/picture',
  'GET /ui/jobs/events',
  'GET /ui/skins/:uuid/pictures/:view',
  'GET /ui/skins/:uuid/files/:file',
  'GET /s/:id',
  'GET /ui/skins/export.zip',
  'GET /ui/skins/export.lock',
  'GET /ui/sets/:set/skins.zip',
  'GET /ui/sets/:set/skins.lock',
  'GET /ui/sets/:set/skins.customskin.zip',
  'GET /ui/sets/:set/pack.zip',
  'GET /ui/sets/:set/datapack.zip',
  'GET /ui/sets/:set/group.png',
  'POST /ui/make/skins.zip',
  'GET /ui/account/games/logins/:id/state',
  'GET /ui/sign-in/provider',
  'GET /ui/sign-in/proof',
];

/** Pages without an address of their own: one gets there by a form, or by signing in here or at the game. */
export const STEP_ROUTES = [
  'POST /ui/skins',
  'POST /ui/gallery',
  'POST /ui/sets',
  'POST /ui/account/keys',
  'POST /ui/account/identities/:id/unlink',
  'POST /ui/operator/users/:name/keys',
  'POST /ui/operator/users/:name/identities/:id/unlink',
  'GET /ui/account/games/logins/:id',
  'POST /ui/account/games/:uuid/check',
  'POST /ui/operator/users/:name/invitation',
  'POST /ui/operator/feed',
  'POST /ui/sign-in',
  'GET /ui/sign-in/link',
  'GET /ui/sign-in/callback',
  'GET /ui/sign-in/first',
  'POST /ui/sign-in/first',
] as const satisfies readonly RouteName[];

/** Forms that lead on to a page that has an address. */
export const LEADING_ON: readonly RouteName[] = [
  'POST /ui/language',
  'POST /ui/make',
  'POST /ui/jobs/:jobId/retry',
  'POST /ui/tray',
  'POST /ui/skins/:uuid',
  'POST /ui/skins/:uuid/delete',
  'POST /ui/skins/:uuid/report',
  'POST /ui/skins/:uuid/like',
  'POST /ui/skins/:uuid/tags',
  'POST /ui/skins/:uuid/wear',
  'POST /ui/skins/:uuid/undress',
  'POST /ui/set-names/release',
  'POST /ui/sets/:set',
  'POST /ui/sets/:set/report',
  'POST /ui/account/delete',
  'POST /ui/account/name',
  'POST /ui/account/keys/:id',
  'POST /ui/account/keys/:id/revoke',
  'POST /ui/account/games/logins',
  'POST /ui/account/games/:uuid',
  'POST /ui/account/games/:uuid/pause',
  'POST /ui/account/games/:uuid/unlink',
  'POST /ui/sign-in/link',
  'POST /ui/sign-out',
  'POST /ui/sessions/:id/end',
  'POST /ui/operator/users',
  'POST /ui/sessions/end-others',
  'POST /ui/operator/users/:name',
  'POST /ui/operator/users/:name/keys/:id/revoke',
  'POST /ui/operator/capes',
  'POST /ui/operator/capes/:uuid',
  'POST /ui/operator/capes/:uuid/delete',
  'POST /ui/operator/reports/:id/close',
  'POST /ui/operator/reports/:id/reopen',
  'POST /ui/operator/skins/:uuid/hidden',
  'POST /ui/operator/skins/:uuid/delete',
  'POST /ui/operator/sets/:uuid',
  'POST /ui/operator/sets/:uuid/delete',
  'POST /ui/operator/images',
  'POST /ui/operator/images/:hash/unblock',
];

const UNVISITED = new Set<string>([...NO_PAGES, ...STEP_ROUTES]);
const ADDRESSED = PAGE_ROUTES.filter((route) => route.method === 'GET' && !UNVISITED.has(routeName(route)));

/** The routes of the pages that have addresses. */
export const VISITED: readonly RouteName[] = ADDRESSED.map(routeName);

/** The addresses of all pages that have one. @throws Error if there is no sample for a placeholder */
export function pageAddresses(samples: Samples): string[] {
  return ADDRESSED.map(({ path }) => addressOf(path, samples));
}

/** An address with its placeholders filled in. */
export function addressOf(path: string, samples: Samples): string {
  return path.replaceAll(/:(\w+)(?:\{.*\})?/g, (_, name: string) => {
    const value = samples[name];
    if (value === undefined) throw new Error(`There is no sample of :${name} in ${path}.`);
    return value;
  });
}
