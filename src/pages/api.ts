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
    body: html`<p class="lead">${say`This server speaks the MineSkin API, version 2: change the base address of a program to <code>${origin}</code>, and it works.`}</p>
<ul>
<li>${say`Send an API key as <code>Authorization: Bearer …</code>. Create one under <a href="${'/ui/account/keys'}">API keys</a>; some servers need none.`}</li>
<li>${say`Send a User-Agent that names your program.`}</li>
<li>${say`If a request is refused, wait as long as <code>Retry-After</code> says.`}</li>
<li>${say`All details: <a href="${'/openapi.json'}">openapi.json</a>, for code generators and tools such as Swagger UI.`}</li>
<li>${say`Programs for version 1 keep working. With a key that sends their requests through the queue, they need no pauses between requests.`}</li>
</ul>`,
  };
}
