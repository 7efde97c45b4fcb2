import type { GameAccount } from '../../../../protocol/game-account.ts';
import { actionButton } from '../../frame/action-button.ts';
import { moment } from '../../frame/moment.ts';
import type { Page } from '../../frame/page.ts';
import { terminalOf } from '../../frame/terminal.ts';
import { type Html, html } from '../../html/html.ts';
import { listOr, operatorPage } from './section.ts';

const STATES: Readonly<Record<GameAccount['state'], string>> = {
  active: 'active',
  paused: 'paused',
  suspended: 'suspended by the game',
  needs_login: 'must be linked again',
};

export function accountsPage({
  accounts,
  origin,
}: {
  readonly accounts: readonly GameAccount[];
  readonly origin: string;
}): Page {
  return operatorPage('accounts', {
    title: 'Game accounts',
    body: listOr('No game account is linked.', accounts.map(row)),
    terminal: terminalOf('skinsmith accounts list', origin, '/v2/account/accounts'),
  });
}

function row(account: GameAccount): Html {
  const { uuid, name, user, state, share, generated, failed, lastError, lastUsedAt } = account;
  const isActive = state === 'active';
  return html`<div class="grow"><strong><bdi>${name}</bdi></strong> <span class="tag ${state}">${STATES[state]}</span>${share && html` <span class="tag">shared</span>`}
<p class="quiet">Linked by ${user === undefined ? 'a user who is gone' : html`<bdi>${user}</bdi>`}; ${generated} skins made, ${failed} failures${lastUsedAt !== undefined && html`; last used ${moment(lastUsedAt)}`}</p>
${lastError && html`<p class="quiet">${moment(lastError.at)}: <bdi>${lastError.message}</bdi></p>`}</div>
<div class="acts">${actionButton(`/ui/operator/accounts/${uuid}`, isActive ? 'Pause' : 'Resume', { about: name, fields: { paused: isActive ? 'yes' : 'no' } })}</div>`;
}
