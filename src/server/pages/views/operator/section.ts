import type { Page } from '../../frame/page.ts';
import { type Html, html } from '../../html/html.ts';

const SECTIONS = {
  overview: ['/ui/operator', 'Overview'],
  reports: ['/ui/operator/reports', 'Reports'],
  images: ['/ui/operator/images', 'Blocked images'],
  users: ['/ui/operator/users', 'Users'],
  accounts: ['/ui/operator/accounts', 'Game accounts'],
  capes: ['/ui/operator/capes', 'Capes'],
  log: ['/ui/operator/log', 'Log'],
} as const;

export type OperatorSection = keyof typeof SECTIONS;

/** A page for operators, with links to the others. */
export function operatorPage(section: OperatorSection, page: Page): Page {
  const body = html`<nav class="tabs" aria-label="Operator">
${Object.entries(SECTIONS).map(([name, [path, label]]) => html`<a href="${path}"${name === section && html` aria-current="page"`}>${label}</a>`)}
</nav>
${page.body}`;
  return { ...page, body };
}

/** Rows, or a sentence if there are none. */
export function listOr(nothing: string, rows: readonly Html[]): Html {
  return rows.length > 0
    ? html`<ul class="list">${rows.map((row) => html`<li class="panel">${row}</li>`)}</ul>`
    : html`<p class="empty">${nothing}</p>`;
}

/** A link to the next page of a list, if there is one. */
export function moreOf(
  path: string,
  query: Readonly<Record<string, string>>,
  next: string | undefined,
): Html {
  if (next === undefined) return html``;
  return html`<p class="more"><a class="button" href="${path}?${new URLSearchParams({ ...query, after: next }).toString()}">More</a></p>`;
}
