import type { Report, ReportReason } from '../../../../protocol/moderation.ts';
import { act } from '../../frame/act.ts';
import { moment } from '../../frame/moment.ts';
import type { Page } from '../../frame/page.ts';
import { terminalOf } from '../../frame/terminal.ts';
import { type Html, html } from '../../html/html.ts';
import { listOr, moreOf, operatorPage } from './section.ts';

export interface ReportsView {
  readonly reports: readonly Report[];
  readonly state: 'open' | 'closed';
  /** `after` of the next page. */
  readonly next: string | undefined;
  readonly origin: string;
}

/** What people choose from when they report a skin. */
export const REASON_WORDS: Readonly<Record<ReportReason, string>> = {
  offensive: 'Offensive',
  copyright: 'Somebody else’s work',
  personal: 'Shows private things of a person',
  other: 'Something else',
};

const PATH = '/ui/operator/reports';

export function reportsPage({ reports, state, next, origin }: ReportsView): Page {
  const other = state === 'open' ? 'closed' : 'open';
  return operatorPage('reports', {
    title: state === 'open' ? 'Open reports' : 'Closed reports',
    body: html`${listOr(`There are no ${state} reports.`, reports.map(row))}
${moreOf(PATH, { state }, next)}
<p><a href="${PATH}?state=${other}">Show the ${other} ones</a></p>`,
    terminal: terminalOf('skinsmith reports list', origin, '/v2/account/reports'),
  });
}

function row(report: Report): Html {
  const { skin, name, reason, text, createdAt, closedAt } = report;
  return html`${picture(report)}<div class="grow"><strong><bdi>${name ?? skin.slice(0, 8)}</bdi></strong> ${stateOf(report)}
<p>${REASON_WORDS[reason]}${text !== '' && html`: <bdi>${text}</bdi>`}</p>
<p class="quiet">Reported ${moment(createdAt)}${closedAt !== undefined && html`, closed ${moment(closedAt)}`}</p></div>
<div class="acts">${decisions(report)}</div>`;
}

function picture({ texture }: Report): Html {
  if (texture === undefined) return html``;
  return html`<img src="/textures/${texture}/front.png?size=128" alt="The skin from the front" width="64" height="128" loading="lazy">`;
}

function stateOf({ hidden, visibility }: Report): Html {
  if (hidden) return html`<span class="tag">hidden</span>`;
  return html`<span class="tag">${visibility ?? 'deleted'}</span>`;
}

/** Asks first: nothing brings the skin back. */
function deletion(path: string, about: string): Html {
  return html`<details><summary aria-label="Delete it: ${about}">Delete it</summary>
<form method="post" action="${path}"><p>Its page and its data go away, for its owner too.</p><button class="danger">Delete for good</button></form></details>`;
}

function decisions(report: Report): Html {
  const { id, skin, hidden, visibility, texture, closedAt } = report;
  const about = `the skin of report ${id}`;
  const path = `/ui/operator/skins/${skin}`;
  const isThere = visibility !== undefined && (hidden || visibility !== 'private');
  return html`${closedAt === undefined && act(`${PATH}/${id}/close`, 'Keep it', { about })}
${isThere && act(`${path}/hidden`, hidden ? 'Show it again' : 'Hide it', { about, fields: { hidden: hidden ? 'no' : 'yes' } })}
${texture !== undefined && act('/ui/operator/images', 'Block its image', { about, fields: { hash: texture } })}
${isThere && deletion(`${path}/delete`, about)}`;
}
