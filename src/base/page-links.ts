/** Turns the path of a page into the address of the picture on it; undefined if the page shows none. */
type Rewrite = (path: string) => string | undefined;

/** A page of the hosted service that shows a skin: by its UUID, or the first eight digits of that. */
const SKIN_PAGE = /^\/(?:skins\/)?([0-9a-f]{8}|[0-9a-f-]{32,36})$/i;

/**
 * Pages of skin sites, by host: the address of such a page is not that of a picture. Source of all rows: the hosted
 * service's own (MineSkin/api.mineskin.org, src/generator/v2/UrlHandler.ts and UrlChecks.ts).
 */
const PAGES = {
  /** A single picture; galleries and albums contain several. */
  'imgur.com': from(/^\/([A-Za-z0-9]{5,10})$/, (id) => `https://i.imgur.com/${id}.png`),
  'namemc.com': from(/^\/skin\/([0-9a-f]{16})$/, (id) => `https://namemc.com/texture/${id}.png`),
  'minecraftskins.com': from(
    /^\/skin\/(\d{1,15})(?:\/[^/]*)?$/,
    (id) => `https://www.minecraftskins.com/skin/download/${id}`,
  ),
  'minecraft.novaskin.me': from(
    /^\/skin\/(\d{1,15})(?:\/[^/]*)?$/,
    (id) => `https://minecraft.novaskin.me/skin/${id}/download`,
  ),
  'mineskin.org': from(SKIN_PAGE, hostedTexture),
  'minesk.in': from(SKIN_PAGE, hostedTexture),
} as const satisfies Record<string, Rewrite>;

/** `www.` and language prefixes, as in `de.namemc.com`. */
const PREFIX = /^(?:www|[a-z]{2})\./;

/** The picture on a well-known page; any other address is returned unchanged. */
export function pictureLink(url: URL): string {
  const rewrite = rewriteFor(url.hostname) ?? rewriteFor(url.hostname.replace(PREFIX, ''));
  return rewrite?.(url.pathname.replace(/\/$/, '')) ?? url.href;
}

/** The id of the skin on a page of the hosted service: clients write such links for skins of other services as well. */
export function skinOnPage({ hostname, pathname }: URL): string | undefined {
  if (!/^(?:www\.)?(?:mineskin\.org|minesk\.in)$/.test(hostname)) return undefined;
  return SKIN_PAGE.exec(pathname.replace(/\/$/, ''))?.[1]?.toLowerCase();
}

function rewriteFor(host: string): Rewrite | undefined {
  return Object.hasOwn(PAGES, host) ? PAGES[host as keyof typeof PAGES] : undefined;
}

function from(path: RegExp, link: (id: string) => string): Rewrite {
  return (text) => {
    const id = path.exec(text)?.[1];
    return id === undefined ? undefined : link(id);
  };
}

function hostedTexture(uuid: string): string {
  return `https://api.mineskin.org/v2/skins/${uuid}/texture`;
}
