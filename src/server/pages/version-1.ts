import { type Page, terminalOf } from './frame.ts';
import { type Html, html } from './html.ts';
import { pageRoute } from './page-route.ts';

export const version1Route = pageRoute({
  method: 'GET',
  path: '/ui/version-1',
  isFor: 'everyone',
  handle: async ({ context }) => version1Page({ origin: context.publicUrl() }),
});

/** Addresses of version 1, what takes their place, and what is different there. */
const MOVES: readonly (readonly [before: string, after: string, change: string])[] = [
  ['POST /generate/upload', 'POST /v2/queue', 'The file stays a field of a form.'],
  ['POST /generate/url', 'POST /v2/queue', 'The field url stays.'],
  ['POST /generate/user', 'POST /v2/queue', 'The field user takes a name or a UUID.'],
  ['GET /get/uuid/:uuid', 'GET /v2/skins/:uuid', 'UUIDs have no dashes.'],
  ['GET /get/id/:id', 'GET /v2/skins/:uuid', 'Numbers are gone; each skin has a UUID.'],
  ['GET /get/list/:page', 'GET /v2/skins?after=', 'The last skin of a page leads to the next one.'],
  [
    'GET /get/delay',
    'GET /v2/delay',
    'Other answers and their headers also say when the next request may come.',
  ],
];

const FIELDS: readonly (readonly [before: string, after: string, change: string])[] = [
  ['visibility=0', 'visibility=public', ''],
  ['visibility=1', 'visibility=unlisted', 'private is new.'],
  ['model=steve', 'variant=classic', 'slim stays; unknown has it detected.'],
  ['data.texture.value', 'skin.texture.data.value', ''],
  ['data.texture.signature', 'skin.texture.data.signature', ''],
  ['nextRequest, delay', 'rateLimit.next.relative', 'Refusals have Retry-After, too.'],
];

/** How programs move on from version 1 of the interface. */
export function version1Page({ origin }: { readonly origin: string }): Page {
  return {
    title: 'From version\u00a01 to version\u00a02',
    body: html`<p class="lead">Programs that were written for version 1 go on working here. New ones should use version 2: it has a queue,
batches, private skins and webhooks.</p>
<section aria-labelledby="addresses"><h2 id="addresses">Addresses</h2>
${table('Addresses of both versions', ['Version 1', 'Version 2', ''], MOVES)}</section>
<section aria-labelledby="fields"><h2 id="fields">Fields</h2>
${table('Fields of both versions', ['Version 1', 'Version 2', ''], FIELDS)}</section>
<section aria-labelledby="steps"><h2 id="steps">In three steps</h2>
<ol><li>Send the key as <code>Authorization: Bearer …</code>. Go on sending a User-Agent that names your program.</li>
<li>Submit to <code>/v2/queue</code>, and ask for the job until its <code>status</code> is <code>completed</code> or <code>failed</code>. Or
send to <code>/v2/generate</code>, which answers with the skin as version 1 did.</li>
<li>Errors have a <code>code</code> to decide by, and a <code>message</code> to show.</li></ol>
<p>A key with <code>--v2-compat</code> lets the requests of version 1 wait in the queue too, so that they need no pauses of their own.</p></section>`,
    terminal: terminalOf('skinsmith generate skin.png', origin, '/v2/queue', '-F file=@skin.png'),
  };
}

function table(label: string, heads: readonly string[], rows: readonly (readonly string[])[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${heads.map((head) => (head === '' ? html`<td></td>` : html`<th scope="col">${head}</th>`))}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell, at) => html`<td>${at < 2 ? html`<code>${cell}</code>` : cell}</td>`)}</tr>`)}</tbody></table></div>`;
}
