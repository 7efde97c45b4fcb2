import type { Page } from '../../frame/page.ts';
import { html } from '../../html/html.ts';

const SECTIONS = {
  overview: ['/ui/account', 'Plan'],
  keys: ['/ui/account/keys', 'API keys'],
  sessions: ['/ui/sessions', 'Sessions'],
  games: ['/ui/account/games', 'Game accounts'],
} as const;

export type AccountSection = keyof typeof SECTIONS;

/** A page about the person who is signed in, with links to the others. */
export function accountPage(section: AccountSection, page: Page): Page {
  const body = html`<nav class="tabs" aria-label="Account">
${Object.entries(SECTIONS).map(([name, [path, label]]) => html`<a href="${path}"${name === section && html` aria-current="page"`}>${label}</a>`)}
</nav>
${page.body}`;
  return { ...page, body };
}
