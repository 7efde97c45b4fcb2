import { type LogEntry, logQuerySchema, type OperatorAction } from '../../protocol/moderation.ts';
import { placeAfter } from '../http/views.ts';
import { readOperatorLog } from '../service/moderation.ts';
import { listOr, moment, nextPageLink, operatorPage, type Page, terminalOf } from './frame.ts';
import { type Html, html, say } from './html.ts';
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

const ACTIONS: Readonly<Record<OperatorAction, (operator: Html, subject: Html) => Html>> = {
  hide_skin: (operator, subject) => say`${operator} hid the skin ${subject}`,
  show_skin: (operator, subject) => say`${operator} showed the skin ${subject}`,
  delete_skin: (operator, subject) => say`${operator} deleted the skin ${subject}`,
  hide_set: (operator, subject) => say`${operator} hid the set ${subject}`,
  show_set: (operator, subject) => say`${operator} showed the set ${subject}`,
  clear_set_name: (operator, subject) => say`${operator} cleared the name of the set ${subject}`,
  delete_set: (operator, subject) => say`${operator} deleted the set ${subject}`,
  remove_tag: (operator, subject) => say`${operator} took a tag away from the skin ${subject}`,
  close_report: (operator, subject) => say`${operator} closed the report ${subject}`,
  block_image: (operator, subject) => say`${operator} blocked the image ${subject}`,
  unblock_image: (operator, subject) => say`${operator} unblocked the image ${subject}`,
  create_user: (operator, subject) => say`${operator} created the user ${subject}`,
  change_plan: (operator, subject) => say`${operator} changed the plan of the user ${subject}`,
  disable_user: (operator, subject) => say`${operator} disabled the user ${subject}`,
  enable_user: (operator, subject) => say`${operator} enabled the user ${subject}`,
  unlink_identity: (operator, subject) => say`${operator} unlinked an identity of the user ${subject}`,
  create_key: (operator, subject) => say`${operator} created a key for the user ${subject}`,
  change_key: (operator, subject) => say`${operator} changed a key of the user ${subject}`,
  revoke_key: (operator, subject) => say`${operator} revoked a key of the user ${subject}`,
};

function logPage({ entries, next, origin }: LogView): Page {
  return operatorPage('log', {
    title: say`Operator log`,
    body: html`${listOr(say`Nothing yet.`, entries.map(logRow))}
${nextPageLink('/ui/operator/log', {}, next)}`,
    terminal: terminalOf('skinsmith moderation log', origin, '/v2/account/log'),
  });
}

function logRow({ at, operator, action, subject, note }: LogEntry): Html {
  const deed = ACTIONS[action](html`<bdi>${operator}</bdi>`, html`<code class="breaks">${subject}</code>`);
  const plan = isAboutPlan(action) && say`, plan <bdi>${note}</bdi>`;
  return html`<div class="grow">${deed}${note !== '' && (plan || html`: <bdi>${note}</bdi>`)}
<p class="quiet">${moment(at)}</p></div>`;
}

/** Whether the note names a plan. */
function isAboutPlan(action: OperatorAction): boolean {
  return action === 'create_user' || action === 'change_plan';
}
