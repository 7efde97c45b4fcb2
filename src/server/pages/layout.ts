import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { copyButton, curlLine, type Page, type TerminalLines, type Visitor } from './frame.ts';
import { type Html, html } from './html.ts';

/** The whole document of a page. `at`: the address that its route has; default: none. */
export function renderPage(page: Page, visitor: Visitor, at = ''): string {
  const { title, hasOwnHeading = false, body, terminal } = page;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · skinsmith</title>
<link rel="icon" type="image/svg+xml" href="${assetAddress('icon.svg')}">
<link rel="stylesheet" href="${assetAddress('style.css')}">
<script type="module" src="${assetAddress('page.js')}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${header(visitor, at)}
<main id="main">
${!hasOwnHeading && html`<h1>${title}</h1>`}
${body}
${terminal && terminalLines(terminal, visitor !== undefined)}
</main>
<footer><p>skinsmith, a service for signed Minecraft skins. <a href="/openapi.json">API</a>, <a href="/ui/version-1">moving from version 1</a></p></footer>
</body>
</html>
`.toString();
}

function header(visitor: Visitor, at: string): Html {
  return html`<header>
<a class="brand" href="/ui/">skinsmith</a>
<nav aria-label="Main">
${menuLink('/ui/make', 'Make', at)}
${menuLink('/ui/gallery', 'Gallery', at)}
${visitor ? signedIn(visitor, at) : menuLink('/ui/sign-in', 'Sign in', at)}
</nav>
</header>`;
}

function signedIn({ name, isOperator }: NonNullable<Visitor>, at: string): Html {
  return html`${menuLink('/ui/skins', 'My skins', at)}
${menuLink('/ui/jobs', 'My jobs', at)}
${isOperator && menuLink('/ui/operator', 'Operator', at)}
${menuLink('/ui/account', html`<bdi>${name}</bdi>`, at === '/ui/sessions' ? '/ui/account/sessions' : at)}
<form method="post" action="/ui/sign-out"><button class="link">Sign out</button></form>`;
}

/** Tells the page that one is on, and the section that it belongs to. The page of a skin may be somebody else's. */
function menuLink(path: string, label: Html | string, at: string): Html {
  const isSection = path !== '/ui/skins' && at.startsWith(`${path}/`);
  const current = at === path ? 'page' : isSection && 'true';
  return html`<a href="${path}"${current && html` aria-current="${current}"`}>${label}</a>`;
}

function terminalLines(terminal: TerminalLines, isSignedIn: boolean): Html {
  return html`<section class="terminal" aria-labelledby="terminal">
<h2 id="terminal">The same from a terminal</h2>
${[terminal.skinsmith, curlLine(terminal, isSignedIn)].map((line) => html`<div class="line"><pre tabindex="0"><code>${line}</code></pre>${copyButton(line, 'Copy this command')}</div>`)}
</section>`;
}

/** Where the build puts what pages load. The build replaces this address by the one from the program. */
const FOLDER = new URL('../../../dist/pages/', import.meta.url);

/** What pages name. Scripts load further files by themselves. */
export type AssetName = 'style.css' | 'page.js' | 'icon.svg';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

export interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

/** What the build wrote: the names under which files are served, by their own names, and all that are served. */
interface Manifest {
  readonly names: Readonly<Record<AssetName, string>>;
  readonly served: readonly string[];
}

let read: Manifest | undefined;
const assets = new Map<string, Promise<Asset>>();

/** The address of an asset. It changes with the content, so what is there never changes. */
export function assetAddress(name: AssetName): string {
  return `/ui/assets/${manifest().names[name]}`;
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
    assets.delete(name); // it may be readable the next time
    throw error;
  }
}

/** Unpacked once for all who take nothing compressed: each connection would have bytes of its own otherwise. */
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
