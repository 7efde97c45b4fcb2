import { hash } from 'node:crypto';
import { z } from 'zod';
import { type Content, count, counted, Html, html, say } from '../html/html.ts';
import { uuidSchema } from '../protocol/skin.ts';
import type { ServiceContext } from '../server/context.ts';
import type { Answer } from '../server/http/route.ts';
import { EMBED, embedCode, readShownSkin, serviceNameOf, titleOf } from '../server/http/routes/cards.ts';
import { UNLISTED } from '../server/http/routes/pictures.ts';
import type { FullSet } from '../server/service/skins/sets.ts';
import type { SignerKind } from '../server/service/skins/skins.ts';
import type { SkinWithData } from '../server/store/skins.ts';
import { CARD } from '../skin/render/views.ts';
import { copyField, type Page, pictureAt, type SkinCard } from './frame.ts';
import { pageFor } from './page-route.ts';

type SiteContext = Pick<ServiceContext, 'site' | 'publicUrl'>;

/** What a link to a page unfolds to in chats, social networks and search engines. */
interface Unfolded {
  /** The page's own address, below this server's. */
  readonly path: string;
  readonly title: Content;
  readonly description: Html;
  /** A picture of the size of a card. `path`: below this server's address. */
  readonly picture: { readonly path: string; readonly alt: Html };
}

/** The elements of a page's head that tell what a link to it unfolds to. */
export function unfoldedHead(context: SiteContext, { path, title, description, picture }: Unfolded): Html {
  const origin = context.publicUrl();
  const image = `${origin}${picture.path}`;
  return html`<link rel="canonical" href="${origin}${path}">
<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${serviceNameOf(context)}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${origin}${path}">
<meta property="og:image" content="${image}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${CARD.width}">
<meta property="og:image:height" content="${CARD.height}">
<meta property="og:image:alt" content="${picture.alt}">
<meta name="twitter:card" content="summary_large_image">
<meta name="twitter:title" content="${title}">
<meta name="twitter:description" content="${description}">
<meta name="twitter:image" content="${image}">
<meta name="twitter:image:alt" content="${picture.alt}">
`;
}

type SharedSkin = Pick<SkinWithData, 'uuid' | 'name' | 'visibility' | 'variant' | 'cape_hash'>;

const SIGNED: Readonly<Record<SignerKind, Html>> = {
  game: say`signed by Mojang`,
  server: say`signed with this server’s own key`,
  earlier: say`signed with an earlier key of this server`,
  other: say`signed by another service`,
};

/** What a skin is called on a page, for its readers. */
function shownTitle({ name, uuid }: Pick<SkinCard, 'name' | 'uuid'>): Content {
  return name ?? say`Skin ${uuid.slice(0, 8)}`;
}

function descriptionOf({ variant, cape_hash }: SharedSkin, signed: Html): Html {
  const hasCape = cape_hash !== null;
  if (variant === 'slim')
    return hasCape
      ? say`Minecraft skin with slim arms and a cape, ${signed}.`
      : say`Minecraft skin with slim arms, ${signed}.`;
  return hasCape
    ? say`Minecraft skin with classic arms and a cape, ${signed}.`
    : say`Minecraft skin with classic arms, ${signed}.`;
}

/**
 * The parts of a skin's page that show it elsewhere. A private skin has none: nothing may reveal it. Only public ones
 * are for search engines.
 */
export function sharedSkin(
  context: SiteContext,
  skin: SharedSkin,
  signer: SignerKind,
): Pick<Page, 'head' | 'icon' | 'isIndexed'> {
  const icon = pictureAt('href', { skin, view: 'face', size: 64 });
  if (skin.visibility === 'private') return { icon };
  const path = `/ui/skins/${skin.uuid}`;
  const title = shownTitle(skin);
  const picture = {
    path: `/v2/skins/${skin.uuid}/card.png`,
    alt: say`The skin ${title} from the front and from behind`,
  };
  const unfolded = { path, title, description: descriptionOf(skin, SIGNED[signer]), picture };
  const head = html`${unfoldedHead(context, unfolded)}${oEmbedLink(context, path)}`;
  return { head, icon, isIndexed: skin.visibility === 'public' };
}

/** The same for a set. Its card is of the skins that everyone sees. */
export function sharedSet(
  context: SiteContext,
  { set: { uuid, name, visibility }, skins }: FullSet,
): Pick<Page, 'head' | 'isIndexed'> {
  if (visibility === 'private' || skins.length === 0) return {};
  const head = unfoldedHead(context, {
    path: `/ui/sets/${uuid}`,
    title: name,
    description: counted(skins.length, {
      one: say`${count(skins.length)} Minecraft skin, with one resource pack and one download for all.`,
      other: say`${count(skins.length)} Minecraft skins, with one resource pack and one download for all.`,
    }),
    picture: { path: `/v2/sets/${uuid}/card.png`, alt: say`The skins of the set ${name} side by side` },
  });
  return { head, isIndexed: visibility === 'public' };
}

function oEmbedLink(context: SiteContext, path: string): Html {
  const origin = context.publicUrl();
  const query = new URLSearchParams({ url: `${origin}${path}` });
  return html`<link rel="alternate" type="application/json+oembed" href="${`${origin}/v2/oembed?${query}`}">
`;
}

/** Buttons that share a skin, and what other sites need to show it. Nothing for skins whose pictures others cannot fetch. */
export function sharePanel(
  skin: Pick<SkinCard, 'uuid' | 'name' | 'visibility'>,
  origin: string,
): Html | false {
  if (skin.visibility === 'private') return false;
  return Html.forReader(({ needsSession }) => !needsSession && shownPanel(skin, origin));
}

function shownPanel(skin: Pick<SkinCard, 'uuid' | 'name'>, origin: string): Html {
  const { uuid } = skin;
  const title = shownTitle(skin);
  const address = `${origin}/ui/skins/${uuid}`;
  return html`${shareButton(address, title)}
<details><summary>${say`Show it on your site`}</summary>
<dl class="copyable">${copyField(say`HTML for a website`, embedCode({ src: `${origin}/embed/${uuid}`, title: titleOf(skin), ...EMBED }))}</dl></details>`;
}

/** Hands an address to the browser's own menu, or copies it. */
export function shareButton(address: string, title: Content): Html {
  return html`<button type="button" class="quiet-button needs-script" data-share="${address}" data-title="${title}">${say`Share`}</button>`;
}

const EMBED_STYLE = `:root{color-scheme:light dark;font:16px/1.4 system-ui,sans-serif}body{margin:0}
a{display:flex;flex-direction:column;align-items:center;box-sizing:border-box;height:100vh;padding:8px;color:inherit;text-decoration:none}
a:focus-visible{outline:3px solid #c2622e;outline-offset:-3px}
img{flex:1;min-height:0;max-width:100%;object-fit:contain;image-rendering:pixelated}
h1,small{margin:0;font-size:1rem;max-width:100%;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}a:hover h1{text-decoration:underline}`;

/** No scripts, and nothing from elsewhere. Every site may show it in a frame, and so may files and apps, which `frame-ancestors *` would refuse. */
const EMBED_POLICY = [
  "default-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "img-src 'self'",
  `style-src 'sha256-${hash('sha256', EMBED_STYLE, 'base64')}'`,
].join('; ');

/** A skin for the frames of other sites, in English: everyone gets the same. Who is signed in changes nothing in it. */
export const embedRoute = pageFor(
  'callers',
  '/embed/:uuid',
  { isFramed: true, params: z.object({ uuid: uuidSchema }) },
  async ({ context, caller, params }) => {
    const skin = await readShownSkin(context, caller, params.uuid);
    return embedAnswer(skin, serviceNameOf(context));
  },
);

function embedAnswer(skin: SharedSkin, service: string): Answer {
  const { uuid } = skin;
  const title = titleOf(skin);
  const body = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><link rel="canonical" href="/ui/skins/${uuid}">
<style>${Html.unescaped(EMBED_STYLE)}</style></head>
<body><main><a href="/ui/skins/${uuid}" target="_blank" rel="noopener">
<img src="/v2/skins/${uuid}/body.png?size=400" alt="The skin ${title}" width="200" height="400">
<h1><bdi>${title}</bdi></h1><small><bdi>${service}</bdi></small></a></main></body></html>
`;
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': EMBED_POLICY,
    'Cache-Control': 'public, max-age=300',
    Vary: 'Accept-Encoding',
    ...UNLISTED,
  };
  return { status: 200, body: body.toString(), headers };
}
