import { assetAddress } from '../assets/assets.ts';
import { type Html, html } from '../html/html.ts';
import { copyButton } from './copy.ts';
import type { Page, TerminalLines, Visitor } from './page.ts';
import { curlLine } from './terminal.ts';

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
