import type { LogEntry, OperatorAction } from '../../../../protocol/moderation.ts';
import { moment } from '../../frame/moment.ts';
import type { Page } from '../../frame/page.ts';
import { terminalOf } from '../../frame/terminal.ts';
import { type Html, html } from '../../html/html.ts';
import { listOr, moreOf, operatorPage } from './section.ts';

export interface LogView {
  readonly entries: readonly LogEntry[];
  /** `after` of the next page. */
  readonly next: string | undefined;
  readonly origin: string;
}

const ACTIONS: Readonly<Record<OperatorAction, string>> = {
  hide_skin: 'hid the skin',
  show_skin: 'showed the skin',
  delete_skin: 'deleted the skin',
  close_report: 'closed the report',
  block_image: 'blocked the image',
  unblock_image: 'unblocked the image',
  create_user: 'created the user',
  change_plan: 'changed the plan of the user',
  disable_user: 'disabled the user',
  enable_user: 'enabled the user',
  unlink_identity: 'unlinked an identity of the user',
  create_key: 'made a key for the user',
  change_key: 'changed a key of the user',
  revoke_key: 'revoked a key of the user',
};

export function logPage({ entries, next, origin }: LogView): Page {
  return operatorPage('log', {
    title: 'What operators did',
    body: html`${listOr('Nothing yet.', entries.map(row))}
${moreOf('/ui/operator/log', {}, next)}`,
    terminal: terminalOf('skinsmith moderation log', origin, '/v2/account/log'),
  });
}

function row({ at, operator, action, subject, note }: LogEntry): Html {
  return html`<div class="grow"><bdi>${operator}</bdi> ${ACTIONS[action]} <code class="breaks">${subject}</code>${note !== '' && html`${isAboutPlan(action) ? ', plan ' : ': '}<bdi>${note}</bdi>`}
<p class="quiet">${moment(at)}</p></div>`;
}

/** Whether the note names a plan. */
function isAboutPlan(action: OperatorAction): boolean {
  return action === 'create_user' || action === 'change_plan';
}
