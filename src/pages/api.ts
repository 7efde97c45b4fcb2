import { html, say } from '../html/html.ts';
import type { Page } from './frame.ts';
import { type PageRoute, pageFor } from './page-route.ts';

export const API_PAGES: readonly PageRoute[] = [
  pageFor('everyone', '/ui/api', {}, async ({ context }) => apiPage(context.publicUrl())),
];

/** For people who write programs: what the API is, and how to begin. */
function apiPage(origin: string): Page {
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
<li>${say`Programs for version\u00a01 keep working. A key that sends their requests through the queue spares them the pauses between requests.`}</li>
</ul>`,
    terminal: { command: 'skinsmith generate skin.png', path: '/v2/generate', options: '-F file=@skin.png' },
  };
}
