import { VERSION } from '../base/version.ts';
import { type Content, count, type Html, html, measured, say, separated } from '../html/html.ts';
import { pageQuerySchema } from '../protocol/envelope.ts';
import type { LogEntry, OperatorAction } from '../protocol/moderation.ts';
import type { HealthFinding } from '../protocol/service.ts';
import { readGameAccounts } from '../server/service/accounts/accounts.ts';
import { readOperatorLog } from '../server/service/moderation.ts';
import { planView } from '../server/service/plans.ts';
import {
  type Failure,
  type HourFigures,
  type Overview,
  readOverview,
} from '../server/service/status/stats.ts';
import { inEnglish, listOr, moment, type Page, planTable, reasonOf } from './frame.ts';
import { CAPE_PAGES } from './operator-capes.ts';
import { FEED_FORM, FEED_PAGES, newsOf } from './operator-feed.ts';
import { operatorList, operatorPage } from './operator-list.ts';
import { MODERATION_PAGES, userPath } from './operator-moderation.ts';
import { USER_PAGES } from './operator-users.ts';
import { type PageCall, type PageRoute, pageFor } from './page-route.ts';

export const OPERATOR_PAGES: readonly PageRoute[] = [
  pageFor('operator', '/ui/operator', {}, overviewPage),
  ...FEED_PAGES,
  ...USER_PAGES,
  ...CAPE_PAGES,
  ...MODERATION_PAGES,
  ...operatorList({
    section: 'log',
    query: pageQuerySchema,
    read: async ({ context, caller, query }) => ({ entries: await readOperatorLog(context, caller, query) }),
    placeOf: ({ id }) => id,
    page: () => ({ title: say`Operator log`, none: say`Nothing yet.` }),
    row: logRow,
  }),
];

const ACTIONS: Readonly<Record<OperatorAction, (operator: Html, subject: Html) => Html>> = {
  hide_skin: (operator, subject) => say`${operator} hid the skin ${subject}`,
  show_skin: (operator, subject) => say`${operator} unhid the skin ${subject}`,
  delete_skin: (operator, subject) => say`${operator} deleted the skin ${subject}`,
  hide_set: (operator, subject) => say`${operator} hid the set ${subject}`,
  show_set: (operator, subject) => say`${operator} unhid the set ${subject}`,
  clear_set_name: (operator, subject) => say`${operator} cleared the name of the set ${subject}`,
  delete_set: (operator, subject) => say`${operator} deleted the set ${subject}`,
  release_set_name: (operator, subject) => say`${operator} released the name ${subject} of sets`,
  remove_tag: (operator, subject) => say`${operator} removed a tag from the skin ${subject}`,
  close_report: (operator, subject) => say`${operator} closed the report ${subject}`,
  reopen_report: (operator, subject) => say`${operator} reopened the report ${subject}`,
  block_image: (operator, subject) => say`${operator} blocked the picture ${subject}`,
  unblock_image: (operator, subject) => say`${operator} unblocked the picture ${subject}`,
  invite_user: (operator, subject) => say`${operator} invited the user ${subject}`,
  revoke_invitation: (operator, subject) => say`${operator} revoked the invitation of the user ${subject}`,
  create_user: (operator, subject) => say`${operator} created the user ${subject}`,
  change_plan: (operator, subject) => say`${operator} changed the plan of the user ${subject}`,
  disable_user: (operator, subject) => say`${operator} disabled the user ${subject}`,
  enable_user: (operator, subject) => say`${operator} enabled the user ${subject}`,
  unlink_identity: (operator, subject) => say`${operator} unlinked an identity of the user ${subject}`,
  create_key: (operator, subject) => say`${operator} created a key for the user ${subject}`,
  change_key: (operator, subject) => say`${operator} changed a key of the user ${subject}`,
  revoke_key: (operator, subject) => say`${operator} revoked a key of the user ${subject}`,
  dress_player: (operator, subject) => say`${operator} changed what the player name ${subject} wears`,
  give_player: (operator, subject) => say`${operator} gave the player name ${subject} to a user`,
  release_player: (operator, subject) => say`${operator} released the player name ${subject}`,
};

function logRow({ at, operator, action, subject, note }: LogEntry): Html {
  const deed = ACTIONS[action](html`<bdi>${operator}</bdi>`, subjectOf(action, subject));
  const done =
    note !== '' && isAboutPlan(action)
      ? separated(', ', [deed, say`plan <bdi>${note}</bdi>`])
      : separated(': ', [deed, note !== '' && html`<bdi>${note}</bdi>`]);
  return html`<div class="grow">${done}
<p class="quiet">${moment(at)}</p></div>`;
}

/** With a link to what has a page. */
function subjectOf(action: OperatorAction, subject: string): Html {
  const shown = html`<code class="breaks">${subject}</code>`;
  const noun = /_(skin|set|user)$/.exec(action)?.[1];
  if (noun === undefined || /^(?:hide|delete)/.test(action)) return shown;
  return html`<a href="${noun === 'user' ? userPath(subject) : `/ui/${noun}s/${subject}`}">${shown}</a>`;
}

/** Whether the note names a plan. */
function isAboutPlan(action: OperatorAction): boolean {
  return action === 'create_user' || action === 'change_plan';
}

async function overviewPage({ context, caller }: PageCall): Promise<Page> {
  const view = await readOverview(context, caller);
  return operatorPage('overview', {
    title: say`Operator`,
    body: html`${state(view.unready)}
<p><span class="tag">skinsmith ${VERSION}</span> ${newsOf(view, await readGameAccounts(context, caller))}</p>
<section aria-labelledby="health"><h2 id="health">${say`Health`}</h2><ul class="findings">${view.findings.map(finding)}</ul></section>
${figures(view)}
${history(view.history)}
${failures(view.failures)}
<details class="plans"><summary>${say`Limits of the plans`}</summary>${planTable(context.plans.all().map(planView))}</details>
${FEED_FORM}`,
  });
}

function state(unready: Overview['unready']): Html {
  const problems = inEnglish(unready.join(', ').replaceAll('_', ' '));
  return html`<p class="lead" role="status">${unready.length === 0 ? say`The service accepts jobs.` : say`The service accepts no jobs: ${problems}.`}</p>`;
}

/** The word and the CSS class of each result. */
const RESULTS: Readonly<Record<HealthFinding['result'], readonly [word: Html, look: string]>> = {
  ok: [say`OK`, 'ok'],
  warning: [say`Warning`, 'trouble'],
  problem: [say`Problem`, 'trouble'],
};

function finding({ code, result, message }: HealthFinding): Html {
  const [word, look] = RESULTS[result];
  return html`<li class="${look}"><strong>${word}</strong> ${inEnglish(message)}${code === 'no_accounts' && html` <a href="/ui/account/games">${say`Link an account`}</a>`}</li>`;
}

function figures({ jobs, store, diskLeft, stats, history: hours }: Overview): Html {
  const { generated, upstream } = stats;
  const { day } = generated.time;
  const failures = Object.entries(upstream.errors).map(([code, times]) => html`${count(times)} ${code}`);
  const { used, most } = store;
  const isIdle = hours.every(({ made, failed }) => made.new + made.duplicate + failed === 0);
  const rows: readonly (readonly [Html, Content])[] = [
    [say`Jobs waiting`, count(jobs.waiting)],
    [say`Store`, most === undefined ? size(used) : say`${size(used)} of ${size(most)}`],
    ...(diskLeft === undefined ? [] : [[say`Disk space left`, size(diskLeft)] as const]),
    [say`Skins today`, madeIn(day.current)],
    [say`Skins in total`, madeIn(generated.total)],
    [
      say`Success rate, 24 hours`,
      isIdle ? '–' : measured(day.successRate / 100, { style: 'percent', maximumFractionDigits: 1 }),
    ],
    [say`Failures, 10 minutes`, failures.length > 0 ? separated(', ', failures) : say`none`],
  ];
  return html`<section aria-labelledby="figures"><h2 id="figures">${say`At a glance`}</h2>
<dl class="facts figures">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<p class="quiet">${say`More figures for Prometheus: <code>/metrics</code>, with an operator’s key.`}</p></section>`;
}

/** In units of the drawing: the width of an hour, and the height of the bars above and below the line. */
const BAR = 10;
const UP = 60;
const DOWN = 20;

/** New skins as bars above a line, failed jobs below it, and the same as a table. */
function history(hours: readonly HourFigures[]): Html {
  const most = Math.max(...hours.map(({ made }) => made.new));
  const worst = Math.max(...hours.map(({ failed }) => failed));
  const bar = ({ from, made, failed }: HourFigures, index: number) => {
    const [up, down] = [(made.new / (most || 1)) * UP, (failed / (worst || 1)) * DOWN];
    const x = index * BAR + 1;
    return html`<g><title>${say`${hourOf(from)}: ${count(made.new)} new, ${count(failed)} failed`}</title>
<rect class="new" x="${x}" y="${(UP - up).toFixed(1)}" width="${BAR - 2}" height="${up.toFixed(1)}"></rect>
<rect class="failed" x="${x}" y="${UP + 1}" width="${BAR - 2}" height="${down.toFixed(1)}"></rect></g>`;
  };
  return html`<section aria-labelledby="history"><h2 id="history">${say`The last 24 hours`}</h2>
<svg class="bars" viewBox="0 0 ${hours.length * BAR} ${UP + DOWN + 1}" preserveAspectRatio="none" role="img" aria-label="${say`New skins and failed jobs in each hour`}">
<rect class="line" x="0" y="${UP}" width="${hours.length * BAR}" height="1"></rect>${hours.map(bar)}</svg>
<p class="quiet">${say`Above the line: new skins, at most ${count(most)} in an hour. Below: failed jobs, at most ${count(worst)}. From ${moment(hours[0]?.from ?? 0)} until now.`}</p>
<details><summary>${say`These figures as a table`}</summary><div class="scroll" tabindex="0" role="region" aria-label="${say`Table of hours`}"><table>
<thead><tr><th scope="col">${say`Hour, UTC`}</th><th scope="col">${say`New skins`}</th><th scope="col">${say`Known skins`}</th><th scope="col">${say`Failed jobs`}</th></tr></thead>
<tbody>${hours.toReversed().map(({ from, made, failed }) => html`<tr><th scope="row">${hourOf(from)}</th><td>${count(made.new)}</td><td>${count(made.duplicate)}</td><td>${count(failed)}</td></tr>`)}</tbody></table></div></details></section>`;
}

function hourOf(from: number): string {
  return new Date(from).toISOString().slice(11, 16);
}

function failures(jobs: readonly Failure[]): Html {
  const rows = jobs.map(
    ({ user, error_code, error_message, finished_at }) =>
      html`<div class="grow"><strong>${error_code ?? say`failed`}</strong>${error_message !== null && html` <bdi>${reasonOf({ code: error_code ?? '', message: error_message })}</bdi>`}
<p class="quiet">${separated(', ', [moment(finished_at), user === undefined ? say`a visitor` : html`<a href="${userPath(user)}"><bdi>${user}</bdi></a>`])}</p></div>`,
  );
  return html`<section aria-labelledby="failures"><h2 id="failures">${say`Newest failures`}</h2>${listOr(say`No job has failed in the last 24 hours.`, rows)}</section>`;
}

function madeIn({ new: fresh, duplicate }: { readonly new: number; readonly duplicate: number }): Html {
  return say`${count(fresh)} new, ${count(duplicate)} known`;
}

function size(bytes: number): Html {
  const mebibytes = bytes / 1024 / 1024;
  const [number, unit] = mebibytes >= 1024 ? [mebibytes / 1024, 'GiB'] : [mebibytes, 'MiB'];
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return html`${measured(number, digits)} ${unit}`;
}
