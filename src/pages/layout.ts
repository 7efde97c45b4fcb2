import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { count, Html, html, type Reader, say } from '../html/html.ts';
import { type Site, USUAL_NAME } from '../server/context.ts';
import { copyLine, linesFor, type Page, type Visitor } from './frame.ts';
import { languageForm } from './language.ts';

interface Surroundings {
  readonly visitor: Visitor;
  readonly site: Site;
  /** The public address of the service. */
  readonly origin: string;
  /** The address of the page's route; default: none. */
  readonly at?: string | undefined;
  readonly reader: Reader;
  /** Whether the page has an address, to which a change of the language can return. */
  readonly hasAddress: boolean;
}

/** The whole document of a page. */
export function renderPage(
  page: Page,
  { visitor, site, origin, at = '', reader, hasAddress }: Surroundings,
): string {
  const { title, hasOwnHeading = false, body, terminal } = page;
  return html`<!doctype html>
<html lang="${reader.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === site.name ? title : html`${title} · ${site.name}`}</title>
${page.isIndexed !== true && html`<meta name="robots" content="noindex">\n`}${page.head}${iconLink(page.icon)}
<link rel="manifest" href="/manifest.webmanifest">
<link rel="stylesheet" href="${assetAddress('style.css')}">
<script type="module" src="${assetAddress('page.js')}"></script>
</head>
<body>
<a class="skip" href="#main">${say`Skip to content`}</a>
${header({ visitor, site, at })}
${site.notice !== undefined && html`<aside class="notice" aria-label="${say`Notice`}"><p>${site.notice}</p></aside>`}
<main id="main">
${reader.maySet && KEPT}${!hasOwnHeading && html`<h1>${title}</h1>`}
${body}
${terminal && terminalLines(linesFor(terminal, { origin, isSignedIn: visitor !== undefined }))}
</main>
<p class="unseen" role="status" data-announcements></p>
${footer(site, hasAddress && languageForm(reader))}
${textsOfScripts(reader)}
</body>
</html>
`.write(reader);
}

/** What keeps skins without scripts, and where one returns to then. */
const KEPT = html`<form class="without-script" id="to-tray" method="post" action="/ui/tray"><input type="hidden" name="act" value="keep"><p class="done" id="kept" role="status">${say`Kept in your set <a href="/ui/sets/tray">Tray</a>.`}</p></form>
`;

function iconLink(picture: Html | undefined): Html {
  return picture === undefined
    ? html`<link rel="icon" type="image/svg+xml" href="${assetAddress('icon.svg')}">`
    : html`<link rel="icon" type="image/png" ${picture}>`;
}

function header({ visitor, site, at = '' }: Pick<Surroundings, 'visitor' | 'site' | 'at'>): Html {
  return html`<header>
<a class="brand" href="/ui/">${site.logo ? html`<img src="${LOGO}" alt="" height="28">` : html`<img src="${assetAddress('icon.svg')}" alt="" width="28" height="28">`}<bdi>${site.name}</bdi></a>
<nav aria-label="${say`Main`}">
<a href="/ui/tray" data-tray-link hidden>${say`Tray`}&nbsp;<span></span></a>
${menuLink('/ui/make', say`Make`, at)}
${menuLink('/ui/gallery', say`Gallery`, at)}
${menuLink('/ui/sets', say`Sets`, at)}
${visitor ? signedIn(visitor, at) : menuLink('/ui/sign-in', say`Sign in`, at)}
</nav>
</header>`;
}

function footer({ name, contact, terms, privacy }: Site, languages: Html | false): Html {
  const about =
    name === USUAL_NAME
      ? say`skinsmith, a service for signed Minecraft skins.`
      : say`<bdi>${name}</bdi> is a skinsmith service for signed Minecraft skins.`;
  const links = [
    [say`Contact`, contact],
    [say`Terms of use`, terms],
    [say`Privacy policy`, privacy],
  ] as const;
  const shown = links.filter(([, address]) => address !== undefined);
  return html`<footer>${shown.length > 0 && html`<p>${shown.map(([label, address]) => html`<a href="${address}">${label}</a> `)}</p>`}
<p>${about} <a href="/ui/api">API</a></p>${languages}</footer>`;
}

/** What the page's scripts say, for readers of other languages. */
function textsOfScripts({ scripts }: Reader): Html | undefined {
  // A script may not contain the end of its element.
  const text = scripts && JSON.stringify(scripts).replaceAll('<', '\\u003c');
  return text === undefined
    ? undefined
    : html`<script type="application/json" id="texts">${Html.unescaped(text)}</script>`;
}

function signedIn({ name, isOperator, mayRead, openReports }: NonNullable<Visitor>, at: string): Html {
  return html`${mayRead && menuLink('/ui/skins', say`My skins`, at)}
${isOperator && menuLink('/ui/operator', html`${say`Operator`}${openReports > 0 && html` (${count(openReports)})`}`, at)}
${menuLink('/ui/account', html`<bdi>${name}</bdi>`, at === '/ui/sessions' ? '/ui/account/sessions' : at)}
<form method="post" action="/ui/sign-out" data-sign-out><button class="link">${say`Sign out`}</button></form>`;
}

/** Marks the link to the current page or its section. A skin's page is not part of My skins: the skin may be another user's. */
function menuLink(path: string, label: Html, at: string): Html {
  const isSection = path !== '/ui/skins' && at.startsWith(`${path}/`);
  const current = at === path ? 'page' : isSection && 'true';
  return html`<a href="${path}"${current && html` aria-current="${current}"`}>${label}</a>`;
}

function terminalLines(lines: ReturnType<typeof linesFor>): Html {
  return html`<details class="terminal"><summary>${say`From the command line`}</summary>
${Object.entries(lines).map(([program, line]) => copyLine(line, say`Copy: the ${program} command`))}
</details>`;
}

/** Where the build puts what pages load. The build replaces this address by the one from the program. */
const FOLDER = new URL('../../dist/pages/', import.meta.url);

/** The address of the operator's logo. */
export const LOGO = '/ui/logo';

/** The files that pages refer to. Scripts load further ones themselves. */
export type AssetName =
  | 'style.css'
  | 'page.js'
  | 'make.js'
  | 'skin-viewer.js'
  | 'icon.svg'
  | 'group.png'
  | 'card.png'
  | 'favicon.ico'
  | `icon-${180 | 192 | 512}.png`;

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
};

interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

/** Written by the build: the served name of each file that pages refer to, and all served names. */
interface Manifest {
  readonly names: Readonly<Record<AssetName, string>>;
  readonly served: readonly string[];
}

let read: Manifest | undefined;
const assets = new Map<string, Promise<Asset>>();

/** The address of an asset. It contains a hash, so the content at an address never changes. */
export function assetAddress(name: AssetName): string {
  return `/ui/assets/${manifest().names[name]}`;
}

/** An asset of the pages. */
export async function assetFile(name: AssetName): Promise<Asset> {
  const asset = await readAsset(manifest().names[name]);
  if (!asset) throw new Error(`The build lacks ${name}.`);
  return asset;
}

/** An asset by the name under which it is served; undefined if there is none. */
export async function readAsset(name: string): Promise<Asset | undefined> {
  const type = TYPES[name.split('.').at(-1) ?? ''];
  if (type === undefined || !manifest().served.includes(name)) return undefined;
  const asset = assets.get(name) ?? openAsset(name, type);
  assets.set(name, asset);
  try {
    return await asset;
  } catch (error) {
    assets.delete(name); // so that the next request tries again
    throw error;
  }
}

/** Unpacked once for all clients without compression; otherwise each connection would hold its own copy. */
async function openAsset(name: string, type: string): Promise<Asset> {
  const gzipped = fileOf(`${name}.gz`);
  return { type, plain: await promisify(gunzip)(gzipped), gzipped };
}

function manifest(): Manifest {
  read ??= JSON.parse(fileOf('manifest.json').toString()) as Manifest;
  return read;
}

function fileOf(name: string): Buffer {
  return readFileSync(new URL(name, FOLDER));
}
