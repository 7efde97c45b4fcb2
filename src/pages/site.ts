import { z } from 'zod';
import { type Content, ENGLISH, type Html, html, type Reader } from '../html/html.ts';
import type { Answer } from '../server/http/route.ts';
import { serviceNameOf, titleOf } from '../server/http/routes/cards.ts';
import { Refusal } from '../server/service/refusal.ts';
import { readPublicPage, readPublicSkins } from '../server/service/skins/skins.ts';
import type { SkinWithData } from '../server/store/skins.ts';
import { type AssetName, assetFile } from './layout.ts';
import { type PageCall, type PageRoute, pageFor } from './page-route.ts';

/** What robots, feed readers and browsers fetch at addresses that they know. */

const HOUR = 3_600;

/** The same for everyone who gets it. `age`: seconds for which everyone may keep it. */
function kept(type: string, body: string | Buffer, age: number): Answer {
  const headers = {
    'Content-Type': type,
    'Cache-Control': `public, max-age=${age}`,
    Vary: 'Accept-Encoding',
  };
  return { status: 200, body, headers };
}

/** Pages of signed-in people, and addresses that make this server look up players at the game. */
const PICTURES =
  'avatar avatars body bust capes combo cube face full fullbody head helm minecraft render renders skin';
const NOT_FOR_ROBOTS = [
  '/ui/account',
  '/ui/jobs',
  '/ui/operator',
  '/ui/sessions',
  '/ui/sign-in',
  ...PICTURES.split(' ').map((name) => `/${name}/`),
];

const robotsRoute = pageFor('everyone', '/robots.txt', {}, async ({ context, reader }) => {
  const mayRead = reader.needsSession !== true; // robots sign in nowhere
  const refused = mayRead ? NOT_FOR_ROBOTS : ['/'];
  const rules = ['User-agent: *', ...refused.map((path) => `Disallow: ${path}`)];
  const lines = mayRead ? [...rules, '', `Sitemap: ${context.publicUrl()}/sitemap.xml`] : rules;
  return kept('text/plain; charset=utf-8', `${lines.join('\n')}\n`, HOUR);
});

/** Skins on a page of the site map, and its last page. */
const MAPPED = 500;
const LAST_MAP = 20;
const XML = 'application/xml; charset=utf-8';

const siteMapsRoute = pageFor('callers', '/sitemap.xml', {}, async ({ context, caller }) => {
  const { total = 0 } = await readPublicPage(context, caller, { page: 1, size: 1 });
  const pages = Math.min(LAST_MAP, Math.max(1, Math.ceil(total / MAPPED)));
  const addresses = Array.from({ length: pages }, (_, at) => `${context.publicUrl()}/sitemaps/${at + 1}.xml`);
  const body = html`<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${addresses.map((address) => html`<sitemap><loc>${address}</loc></sitemap>\n`)}</sitemapindex>
`;
  return kept(XML, body.toString(), HOUR);
});

const siteMapRoute = pageFor(
  'callers',
  '/sitemaps/:file',
  { params: z.object({ file: z.string().regex(/^(?:[1-9]|1\d|20)\.xml$/) }) },
  async ({ context, caller, params }) => {
    const page = Number.parseInt(params.file, 10);
    const { skins } = await readPublicPage(context, caller, { page, size: MAPPED });
    const origin = context.publicUrl();
    const own = page === 1 ? ['/', '/ui/gallery', '/ui/api'] : [];
    const body = html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${own.map((path) => html`<url><loc>${origin}${path}</loc></url>\n`)}${skins.map(({ uuid, skin_created_at }) => html`<url><loc>${origin}/ui/skins/${uuid}</loc><lastmod>${dayOf(skin_created_at)}</lastmod></url>\n`)}</urlset>
`;
    return kept(XML, body.toString(), HOUR);
  },
);

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

export const ATOM = 'application/atom+xml; charset=utf-8';
/** Skins in the feed. */
const FED = 30;

const feedRoute = pageFor('callers', '/ui/gallery.atom', {}, async ({ context, caller }) => {
  const { skins } = await readPublicSkins(context, caller, { size: FED });
  const entries = skins.map((skin) => entryOf(context.publicUrl(), skin));
  const feed = { path: '/ui/gallery', self: '/ui/gallery.atom', title: 'newest skins', entries };
  return kept(ATOM, feedOf(context, { ...feed, reader: ENGLISH }), HOUR / 12);
});

export interface FeedEntry {
  /** A URI, or what makes one of the address of the page. */
  readonly id: string;
  readonly title: Content;
  /** The page about it. */
  readonly path: string;
  readonly updated: number | string;
  readonly content: Html;
}

interface Feed {
  /** The page that shows the same. */
  readonly path: string;
  /** The feed's own address, unless that is a secret. */
  readonly self?: string;
  readonly title: Content;
  readonly entries: readonly FeedEntry[];
  readonly reader: Reader;
}

/** RFC 4287. */
export function feedOf(context: PageCall['context'], { path, self, title, entries, reader }: Feed): string {
  const origin = context.publicUrl();
  const name = serviceNameOf(context);
  const timeOf = ({ updated }: Pick<FeedEntry, 'updated'>) => new Date(updated).toISOString();
  const newest = entries.map(timeOf).toSorted().at(-1) ?? timeOf({ updated: 0 });
  const shown = entries.map((entry) => {
    const id = entry.id.startsWith('urn:') ? entry.id : `${origin}${path}#${entry.id}`;
    return html`<entry><id>${id}</id><title>${entry.title}</title>
<link rel="alternate" type="text/html" href="${`${origin}${entry.path}`}"/>
<updated>${timeOf(entry)}</updated><content type="html">${entry.content.write(reader)}</content></entry>
`;
  });
  return html`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${reader.language}">
<id>${origin}${path}</id><title>${name}: ${title}</title><updated>${newest}</updated>
<author><name>${name}</name></author>
${self !== undefined && html`<link rel="self" href="${`${origin}${self}`}"/>`}<link rel="alternate" type="text/html" href="${`${origin}${path}`}"/>
${shown}</feed>
`.write(reader);
}

function entryOf(origin: string, skin: SkinWithData): FeedEntry {
  const { uuid } = skin;
  return {
    id: uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, 'urn:uuid:$1-$2-$3-$4-$5'),
    title: titleOf(skin),
    path: `/ui/skins/${uuid}`,
    updated: skin.skin_created_at,
    content: html`<img src="${origin}/v2/skins/${uuid}/isometric.png?size=256" alt="" width="128" height="256">`,
  };
}

const manifestRoute = pageFor('everyone', '/manifest.webmanifest', {}, async ({ context }) => {
  const icons = [192, 512].map((size) => ({
    src: `/icon-${size}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
  }));
  const name = serviceNameOf(context);
  const colours = { background_color: '#faf8f5', theme_color: '#a43e0a' };
  const manifest = { name, short_name: name, start_url: '/ui/', display: 'browser', ...colours, icons };
  return kept('application/manifest+json; charset=utf-8', JSON.stringify(manifest), HOUR);
});

/** RFC 9116. Only operators who say how to reach them have one. */
const securityRoute = pageFor('everyone', '/.well-known/security.txt', {}, async ({ context }) => {
  const { contact } = context.site;
  const origin = context.publicUrl();
  if (contact === undefined) throw new Refusal('not_found');
  const expires = new Date(context.clock.now() + VALID).toISOString();
  const lines = [
    `Contact: ${URL.parse(contact, origin)?.href ?? contact}`,
    `Expires: ${expires}`,
    `Canonical: ${origin}/.well-known/security.txt`,
  ];
  return kept('text/plain; charset=utf-8', `${lines.join('\n')}\n`, HOUR);
});

/** Milliseconds: the standard recommends less than a year. */
const VALID = 180 * 24 * HOUR * 1_000;

function pictureRoute(path: string, name: AssetName): PageRoute {
  return pageFor('everyone', path, {}, async () => {
    const { type, plain } = await assetFile(name);
    const answer = kept(type, plain, 24 * HOUR);
    return { ...answer, headers: { ...answer.headers, 'Cross-Origin-Resource-Policy': 'cross-origin' } };
  });
}

export const SITE_ROUTES: readonly PageRoute[] = [
  robotsRoute,
  siteMapsRoute,
  siteMapRoute,
  feedRoute,
  manifestRoute,
  securityRoute,
  pictureRoute('/favicon.ico', 'favicon.ico'),
  pictureRoute('/apple-touch-icon.png', 'icon-180.png'),
  pictureRoute('/icon-192.png', 'icon-192.png'),
  pictureRoute('/icon-512.png', 'icon-512.png'),
  pictureRoute('/card.png', 'card.png'),
];
