import type { Account, PlanView } from '../../../../protocol/user.ts';
import type { Page } from '../../frame/page.ts';
import { count, planTable } from '../../frame/plan-table.ts';
import { terminalOf } from '../../frame/terminal.ts';
import { type Html, html } from '../../html/html.ts';
import { accountPage } from './section.ts';

export interface AccountOverview {
  readonly account: Pick<Account, 'user' | 'name' | 'role' | 'plan' | 'usage'>;
  /** Those that the service has. */
  readonly plans: readonly PlanView[];
  readonly origin: string;
}

export function overviewPage({ account, plans, origin }: AccountOverview): Page {
  const { name, role, plan, usage, user } = account;
  return accountPage('overview', {
    title: 'Account',
    body: html`<dl class="facts">
<div><dt>Name</dt><dd><bdi>${name}</bdi></dd></div>
<div><dt>Plan</dt><dd>${plan.name}</dd></div>
<div><dt>Role</dt><dd>${role === 'operator' ? 'Operator' : 'User'}</dd></div>
<div><dt>UUID</dt><dd class="breaks"><code>${user}</code></dd></div>
</dl>
<section aria-labelledby="used"><h2 id="used">Current usage</h2>
<div class="meters">${used('Unfinished jobs', usage.pending, plan.queue)}
${used('Skins in the last minute', usage.minute, plan.per_minute)}
${used('Skins in the last hour', usage.hour, plan.per_hour)}</div>
<p><a href="/ui/account/keys">${usage.keys} API ${usage.keys === 1 ? 'key' : 'keys'}</a></p></section>
<section aria-labelledby="plans"><h2 id="plans">What each plan gives</h2>
${planTable(plans, plan)}
<p class="quiet">The operator of this server assigns plans. Skins that already exist do not count towards any limit.</p></section>`,
    terminal: terminalOf('skinsmith whoami', origin, '/v2/account/me'),
  });
}

function used(label: string, spent: number, limit: number): Html {
  return html`<div class="meter"><p><strong>${label}</strong><br>${count(spent)} of ${count(limit)}</p>
<meter min="0" max="${limit}" value="${Math.min(spent, limit)}" aria-label="${label}: ${count(spent)} of ${count(limit)}"></meter></div>`;
}
