import type { Report, ReportReason } from '../../../../protocol/moderation.ts';
import { actionButton } from '../../frame/action-button.ts';
import { moment } from '../../frame/moment.ts';
import type { Page } from '../../frame/page.ts';
import { terminalOf } from '../../frame/terminal.ts';
import { type Html, html } from '../../html/html.ts';
import { listOr, moreOf, operatorPage } from './section.ts';

export interface ReportsView {
  readonly reports: readonly Report[];
  /** Ids of those that the person has just decided about, in order. */
  readonly decided: readonly string[];
  /** Hashes of blocked images that those decided reports are about. */
  readonly blocked: ReadonlySet<string>;
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
/** Reports that keep their places after a decision. */
const MAX_DECIDED = 100;

export function reportsPage({ reports, decided, blocked, state, next, origin }: ReportsView): Page {
  const other = state === 'open' ? 'closed' : 'open';
  return operatorPage('reports', {
    title: state === 'open' ? 'Open reports' : 'Closed reports',
    body: html`${listOr(
      `There are no ${state} reports.`,
      reports.map((report) => row(report, { reports, decided, blocked })),
    )}
${moreOf(PATH, { state }, next)}
<p><a href="${PATH}?state=${other}">Show the ${other} ones</a></p>`,
    terminal: terminalOf('skinsmith reports list', origin, '/v2/account/reports'),
  });
}

type Listed = Pick<ReportsView, 'reports' | 'decided' | 'blocked'>;

function row(report: Report, listed: Listed): Html {
  const { skin, name, reason, text, createdAt, closedAt } = report;
  return html`${picture(report)}<div class="grow"><strong><bdi>${name ?? skin.slice(0, 8)}</bdi></strong> ${stateOf(report)}
<p>${REASON_WORDS[reason]}${text !== '' && html`: <bdi>${text}</bdi>`}</p>
<p class="quiet">Reported ${moment(createdAt)}${closedAt !== undefined && html`, closed ${moment(closedAt)}`}</p>
${listed.decided.includes(report.id) ? decision(report, listed) : html`</div><div class="acts">${decisions(report, listed)}`}</div>`;
}

function picture({ texture }: Report): Html {
  if (texture === undefined) return html``;
  return html`<img src="/textures/${texture}/front.png?size=128" alt="The skin from the front" width="64" height="128" loading="lazy">`;
}

function stateOf({ hidden, visibility }: Report): Html {
  if (hidden) return html`<span class="tag">hidden</span>`;
  return html`<span class="tag">${visibility ?? 'deleted'}</span>`;
}

/** What has been decided, in place of the buttons: nothing under the pointer decides anything now. */
function decision(report: Report, { decided: ids, blocked }: Listed): Html {
  const { id, skin, hidden, visibility, texture } = report;
  const decided = ids.join('.');
  if (visibility === undefined) return html`<p role="status">The skin is deleted.</p>`;
  if (texture !== undefined && blocked.has(texture))
    return html`<p role="status">The image is blocked. Skins that have it are hidden, and their reports are closed.</p>
${actionButton(`/ui/operator/images/${texture}/unblock`, 'Unblock it', { about: `the image of report ${id}`, fields: { decided } })}`;
  if (!hidden) return html`<p role="status">The report is closed, and the skin stays as it is.</p>`;
  return html`<p role="status">The skin is hidden, and its reports are closed.</p>
${actionButton(`/ui/operator/skins/${skin}/hidden`, 'Undo', { about: `the skin of report ${id}`, fields: { hidden: 'no', decided } })}`;
}

/** Asks first: nothing brings the skin back. */
function deletion(path: string, about: string, decided: string): Html {
  return html`<details><summary aria-label="Delete it: ${about}">Delete it</summary>
<form method="post" action="${path}"><input type="hidden" name="decided" value="${decided}"><p>Its page and its data go away, for its owner too.</p><button class="danger">Delete for good</button></form></details>`;
}

function decisions(report: Report, { reports, decided: before }: Listed): Html {
  const { id, skin, hidden, visibility, texture, closedAt } = report;
  const about = `the skin of report ${id}`;
  const after = (ids: readonly string[]) => [...new Set([...before, ...ids])].slice(-MAX_DECIDED).join('.');
  // All reports of what is hidden are closed with it.
  const decided = after(reports.filter((other) => other.skin === skin).map((other) => other.id));
  const ofImage = after(reports.filter((other) => other.texture === texture).map((other) => other.id));
  const path = `/ui/operator/skins/${skin}`;
  const isThere = visibility !== undefined && (hidden || visibility !== 'private');
  return html`${closedAt === undefined && actionButton(`${PATH}/${id}/close`, 'Keep it', { about, fields: { decided: after([id]) } })}
${isThere && actionButton(`${path}/hidden`, hidden ? 'Show it again' : 'Hide it', { about, fields: { hidden: hidden ? 'no' : 'yes', decided } })}
${texture !== undefined && actionButton('/ui/operator/images', 'Block its image', { about, fields: { hash: texture, decided: ofImage } })}
${isThere && deletion(`${path}/delete`, about, decided)}`;
}
