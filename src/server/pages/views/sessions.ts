import type { Identity } from '../../../protocol/account.ts';
import { identityRows } from '../frame/identities.ts';
import { minuteOf, moment } from '../frame/moment.ts';
import type { Page } from '../frame/page.ts';
import { terminalOf } from '../frame/terminal.ts';
import { type Html, html } from '../html/html.ts';
import { accountPage } from './account/section.ts';

/** Times are milliseconds since the epoch. */
export interface ShownSession {
  readonly id: string;
  readonly agent: string;
  readonly created_at: number;
  readonly used_at: number;
  readonly expires_at: number;
  readonly isCurrent: boolean;
}

export interface SessionsView {
  readonly sessions: readonly ShownSession[];
  /** Whether these are all sessions of the person. */
  readonly isWhole: boolean;
  readonly identities: readonly Identity[];
  readonly origin: string;
}

export function sessionsPage({ sessions, isWhole, identities, origin }: SessionsView): Page {
  return accountPage('sessions', {
    title: 'Where you are signed in',
    body: html`<ul class="list">${sessions.map(row)}</ul>
${!isWhole && html`<p class="quiet">Your other sessions are shown to API keys with the scope account only.</p>`}
${identities.length > 0 && ways(identities)}`,
    terminal: terminalOf('skinsmith open', origin, '/v2/account/me'),
  });
}

function ways(identities: readonly Identity[]): Html {
  return html`<section aria-labelledby="ways"><h2 id="ways">Accounts that sign you in</h2>
<p>Once unlinked, an account does not sign you in any more, and browsers that are signed in without an API key are signed out, except this one.</p>
<ul class="list">${identityRows(identities, '/ui/account/identities')}</ul></section>`;
}

function row({ id, agent, created_at, used_at, expires_at, isCurrent }: ShownSession): Html {
  return html`<li class="panel"><div class="grow"><strong>${browserOf(agent)}</strong>${isCurrent && html` <span class="tag active">this browser</span>`}
<p class="quiet">Signed in ${moment(created_at)}, last seen ${moment(used_at)}, ends ${moment(expires_at)}</p></div>
<form method="post" action="/ui/sessions/${id}/end"><button class="quiet-button" aria-label="End the session of ${browserOf(agent)}, begun ${minuteOf(created_at)}">End</button></form></li>`;
}

const BROWSERS = ['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari', 'curl'] as const;
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'] as const;

/** A User-Agent in a few words; as it is, if it is none of the usual ones. */
function browserOf(agent: string): string {
  const browser = BROWSERS.find((name) => agent.includes(`${name}/`));
  if (!browser) return agent.slice(0, 60) || 'Unknown browser';
  const system = SYSTEMS.find((name) => agent.includes(name));
  return system ? `${browser} on ${system}` : browser;
}
