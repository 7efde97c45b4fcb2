import { type LogEntry, logQuerySchema, type OperatorAction } from '../../protocol/moderation.ts';
import { placeAfter } from '../http/views.ts';
import { readOperatorLog } from '../service/moderation.ts';
import { listOr, moment, nextPageLink, operatorPage, type Page, terminalOf } from './frame.ts';
import { type Html, html } from './html.ts';
import { FOR_OPERATORS, pageRoute } from './page-route.ts';

export const operatorLogRoute = pageRoute({
  method: 'GET',
  path: '/ui/operator/log',
  ...FOR_OPERATORS,
  query: logQuerySchema,
  handle: async ({ context, caller, query }) => {
    const entries = await readOperatorLog(context, caller, query);
    const next = placeAfter(entries, query.size, ({ id }) => id);
    return logPage({ entries, next, origin: context.publicUrl() });
  },
});

interface LogView {
  readonly entries: readonly LogEntry[];
  /** `after` of the next page. */
  readonly next: string | undefined;
  readonly origin: string;
}

const ACTIONS: Readonly<Record<OperatorAction, string>> = {
  hide_skin: 'hid the skin',
  show_skin: 'showed the skin',
  delete_skin: 'deleted the skin',
  hide_set: 'hid the set',
  show_set: 'showed the set',
  clear_set_name: 'cleared the name of the set',
  delete_set: 'deleted the set',
  remove_tag: 'took a tag away from the skin',
  close_report: 'closed the report',
  block_image: 'blocked the image',
  unblock_image: 'unblocked the image',
  create_user: 'created the user',
  change_plan: 'changed the plan of the user',
  disable_user: 'disabled the user',
  enable_user: 'enabled the user',
  unlink_identity: 'unlinked an identity of the user',
  create_key: 'created a key for the user',
  change_key: 'changed a key of the user',
  revoke_key: 'revoked a key of the user',
};

function logPage({ entries, next, origin }: LogView): Page {
  return operatorPage('log', {
    title: 'Operator log',
    body: html`${listOr('Nothing yet.', entries.map(logRow))}
${nextPageLink('/ui/operator/log', {}, next)}`,
    terminal: terminalOf('skinsmith moderation log', origin, '/v2/account/log'),
  });
}

function logRow({ at, operator, action, subject, note }: LogEntry): Html {
  return html`<div class="grow"><bdi>${operator}</bdi> ${ACTIONS[action]} <code class="breaks">${subject}</code>${note !== '' && html`${isAboutPlan(action) ? ', plan ' : ': '}<bdi>${note}</bdi>`}
<p class="quiet">${moment(at)}</p></div>`;
}

/** Whether the note names a plan. */
function isAboutPlan(action: OperatorAction): boolean {
  return action === 'create_user' || action === 'change_plan';
}
