import type { Identity } from '../../../../protocol/account.ts';
import type { User } from '../../../../protocol/user.ts';
import { actionButton } from '../../frame/action-button.ts';
import { identityRows } from '../../frame/identities.ts';
import { moment } from '../../frame/moment.ts';
import type { Page } from '../../frame/page.ts';
import { terminalOf } from '../../frame/terminal.ts';
import { type Html, html } from '../../html/html.ts';
import { listOr, moreOf, operatorPage } from './section.ts';

/** A user, and who signs in as the user with a provider. */
export type ShownUser = User & { readonly identities: readonly Identity[] };

export interface UsersView {
  readonly users: readonly ShownUser[];
  /** Text that is part of their names; empty: all users. */
  readonly filter: string;
  /** Names of the plans. */
  readonly plans: readonly string[];
  /** `after` of the next page. */
  readonly next: string | undefined;
  readonly origin: string;
}

const PATH = '/ui/operator/users';

export function usersPage({ users, filter, plans, next, origin }: UsersView): Page {
  return operatorPage('users', {
    title: 'Users',
    body: html`<search><form method="get" action="${PATH}"><div class="row">
<div><label for="filter">Name contains</label><input id="filter" type="search" name="filter" maxlength="32" value="${filter}"></div>
<div class="end"><button>Search</button></div></div></form></search>
${listOr(
  'No user fits.',
  users.map((user) => row(user, plans)),
)}
${moreOf(PATH, { filter }, next)}`,
    terminal: terminalOf('skinsmith users list', origin, '/v2/account/users'),
  });
}

function row(user: ShownUser, plans: readonly string[]): Html {
  const { name, role, plan, keys, createdAt, disabledAt, identities } = user;
  const path = `${PATH}/${encodeURIComponent(name)}`;
  const isDisabled = disabledAt !== undefined;
  return html`<div class="grow"><strong><bdi>${name}</bdi></strong>${role === 'operator' && html` <span class="tag">operator</span>`}${isDisabled && html` <span class="tag">disabled</span>`}
<p class="quiet">${keys} ${keys === 1 ? 'key' : 'keys'}, since ${moment(createdAt)}</p>${identities.length > 0 && signIns(user)}</div>
<form class="acts" method="post" action="${path}"><label class="unseen" for="plan-${name}">Plan of ${name}</label>
<select id="plan-${name}" name="plan">${options(plan, plans)}</select><button class="quiet-button" aria-label="Change the plan of ${name}">Change</button></form>
<div class="acts">${actionButton(path, isDisabled ? 'Enable' : 'Disable', { about: name, fields: { disabled: isDisabled ? 'no' : 'yes' }, isDanger: !isDisabled })}</div>`;
}

function signIns({ name, identities }: ShownUser): Html {
  const path = `${PATH}/${encodeURIComponent(name)}/identities`;
  return html`<details><summary aria-label="Signs in with a provider: ${name}">Signs in with a provider</summary><ul class="list">${identityRows(identities, path)}</ul></details>`;
}

/** A plan that the service no longer has is shown as well. */
function options(plan: string, plans: readonly string[]): Html[] {
  const all = plans.includes(plan) ? plans : [plan, ...plans];
  return all.map((one) => html`<option value="${one}"${one === plan && html` selected`}>${one}</option>`);
}
