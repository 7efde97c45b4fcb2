import { type Content, type Html, html, say } from '../html/html.ts';
import { isV1Address, type Route } from '../server/http/route.ts';
import { ROUTES } from '../server/http/routes/routes.ts';
import type { Page } from './frame.ts';
import { type PageRoute, pageRoute } from './page-route.ts';

export const API_PAGES: readonly PageRoute[] = [
  pageRoute({
    method: 'GET',
    path: '/ui/api',
    isFor: 'everyone',
    handle: async ({ context }) => apiPage(context.publicUrl()),
  }),
  pageRoute({
    method: 'GET',
    path: '/ui/version-1',
    isFor: 'everyone',
    handle: async () => version1Page(),
  }),
];

/** The addresses that programs use, by what they are about. An address belongs to the first group that it fits. */
const GROUPS: readonly (readonly [title: Html, pattern: RegExp])[] = [
  [say`Make skins`, /^\/v2\/(?:generate|queue|delay|capes)/],
  [
    say`Pictures`,
    /\.(?:png|webp)$|^\/(?:avatars|renders|avatar|helm|cube|bust|body|skins?|capes|textures)\//,
  ],
  [say`Skins`, /^\/v2\/(?:skins|me|sets|stats|oembed)/],
  [say`Accounts and operators`, /^\/v2\/account\//],
  [say`Game servers and launchers`, /^\/(?:$|sessionserver|api\/)/],
  [say`This server`, /^\/(?:health|ready|metrics|openapi)/],
];

/** For people who write programs: what the API is, how to begin, and every address of it. */
function apiPage(origin: string): Page {
  const current = ROUTES.filter(({ deprecated, paths: [path] }) => !deprecated && !isV1Address(path));
  const byGroup = Map.groupBy(
    current,
    ({ paths: [path] }) => GROUPS.find(([, fits]) => fits.test(path))?.[0],
  );
  return {
    title: 'API',
    isIndexed: true,
    body: html`<p class="lead">${say`Programs make skins here as at the MineSkin API, version\u00a02: change the base address to
<code>${origin}</code>, and they work.`}</p>
<ul>
<li>${say`Send an API key as <code>Authorization: Bearer …</code>. Create one under <a href="${'/ui/account/keys'}">API keys</a>; some servers need none.`}</li>
<li>${say`Send a User-Agent that names your program.`}</li>
<li>${say`Wait as long as the header <code>Retry-After</code> of a refusal says.`}</li>
<li>${say`All details: <a href="${'/openapi.json'}">openapi.json</a>, for code generators and tools such as Swagger UI.`}</li>
<li>${say`Programs for version\u00a01 keep working: <a href="${'/ui/version-1'}">migrating from version 1</a>.`}</li>
</ul>
${GROUPS.map(([title], at) => group(title, `group-${at}`, byGroup.get(title) ?? []))}`,
    terminal: { command: 'skinsmith generate skin.png', path: '/v2/generate', options: '-F file=@skin.png' },
  };
}

/** What requests do is a part of openapi.json, which is in English. */
function group(title: Html, id: string, routes: readonly Route[]): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${table(
  say`Requests: ${title}`,
  [say`Request`, say`What it does`],
  routes.map(({ method, paths: [path], summary }) => [
    `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    html`<span lang="en">${summary}</span>`,
  ]),
  1,
)}</section>`;
}

/** Addresses of version 1, their replacements, and the differences. */
const MOVES: readonly (readonly [before: string, after: string, change: Content])[] = [
  ['POST /generate/upload', 'POST /v2/queue', say`The file is still a form field.`],
  ['POST /generate/url', 'POST /v2/queue', say`The field <code>url</code> is unchanged.`],
  ['POST /generate/user', 'POST /v2/queue', say`The field <code>user</code> takes a name or a UUID.`],
  ['GET /get/uuid/:uuid', 'GET /v2/skins/:uuid', say`UUIDs have no dashes.`],
  ['GET /get/id/:id', 'GET /v2/skins/:uuid', say`Skins have UUIDs instead of numbers.`],
  ['GET /get/list/:page', 'GET /v2/skins?after=', say`Pass the last skin of a page to get the next one.`],
  [
    'GET /get/delay',
    'GET /v2/delay',
    say`Other answers and their headers also say when you may send the next request.`,
  ],
];

const FIELDS: readonly (readonly [before: string, after: string, change: Content])[] = [
  ['visibility=0', 'visibility=public', ''],
  ['visibility=1', 'visibility=unlisted', say`<code>private</code> is new.`],
  [
    'model=steve',
    'variant=classic',
    say`<code>slim</code> is unchanged; <code>unknown</code> detects the arms.`,
  ],
  ['data.texture.value', 'skin.texture.data.value', ''],
  ['data.texture.signature', 'skin.texture.data.signature', ''],
  ['nextRequest, delay', 'rateLimit.next.relative', say`Refusals also have <code>Retry-After</code>.`],
];

/** How to migrate programs from version 1 of the interface. */
function version1Page(): Page {
  return {
    title: say`From version\u00a01 to version\u00a02`,
    isIndexed: true,
    body: html`<p class="lead">${say`Programs written for version 1 keep working here. New ones should use version 2, which has a queue,
batches, private skins and webhooks.`}</p>
<section aria-labelledby="addresses"><h2 id="addresses">${say`Addresses`}</h2>
${table(say`Addresses of both versions`, [say`Version 1`, say`Version 2`, ''], MOVES)}</section>
<section aria-labelledby="fields"><h2 id="fields">${say`Fields`}</h2>
${table(say`Fields of both versions`, [say`Version 1`, say`Version 2`, ''], FIELDS)}</section>
<section aria-labelledby="steps"><h2 id="steps">${say`In three steps`}</h2>
<ol><li>${say`Send the key as <code>Authorization: Bearer …</code>. Keep sending a User-Agent that names your program.`}</li>
<li>${say`Submit to <code>/v2/queue</code>, then poll the job until its <code>status</code> is <code>completed</code> or <code>failed</code>. Or
send to <code>/v2/generate</code>, which answers with the skin as version 1 did.`}</li>
<li>${say`Errors have a <code>code</code> for programs and a <code>message</code> for people.`}</li></ol>
<p>${say`A key with <code>--v2-compat</code> sends version 1 requests through the queue too, so that your program needs no pauses between them.`}</p></section>`,
    terminal: { command: 'skinsmith generate skin.png', path: '/v2/queue', options: '-F file=@skin.png' },
  };
}

/** `codes`: the number of columns that are code. */
function table(
  label: Html,
  heads: readonly Content[],
  rows: readonly (readonly Content[])[],
  codes = 2,
): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${heads.map((head) => (head === '' ? html`<td></td>` : html`<th scope="col">${head}</th>`))}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell, at) => html`<td>${at < codes ? html`<code>${cell}</code>` : cell}</td>`)}</tr>`)}</tbody></table></div>`;
}
