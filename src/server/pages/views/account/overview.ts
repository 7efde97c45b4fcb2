import type { PlanView } from '../../../../protocol/plan.ts';
import type { Account } from '../../../../protocol/user.ts';
import type { Page } from '../../frame/page.ts';
import { terminalOf } from '../../frame/terminal.ts';
import { type Html, html } from '../../html/html.ts';
import { accountPage } from './section.ts';

export interface OverviewView {
  readonly account: Pick<Account, 'user' | 'name' | 'role' | 'plan' | 'usage'>;
  /** Those that the service has. */
  readonly plans: readonly PlanView[];
  readonly origin: string;
}

/** What a plan gives, in the order of the table. */
const BENEFITS: Readonly<Record<string, (plan: PlanView) => string>> = {
  'Unfinished jobs': ({ queue }) => count(queue),
  'Skins in a minute': ({ per_minute }) => count(per_minute),
  'Skins in an hour': ({ per_hour }) => count(per_hour),
  'Made at the same time': ({ concurrency, burst = concurrency }) =>
    burst > concurrency ? `${count(concurrency)}, up to ${count(burst)} when idle` : count(concurrency),
  'Share of the server': ({ priority }) => `${count(priority)}×`,
  'Private skins': ({ private_skins }) => yesOrNo(private_skins),
  'Several in one request': ({ batch_generation }) => yesOrNo(batch_generation),
  Capes: ({ capes }) => yesOrNo(capes),
};

export function overviewPage({ account, plans, origin }: OverviewView): Page {
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

/** The own plan is among them, even if the service does not have it any more. */
function planTable(plans: readonly PlanView[], own: PlanView): Html {
  const all = plans.some(({ name }) => name === own.name) ? plans : [own, ...plans];
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of plans"><table>
<thead><tr><td></td>${all.map(({ name }) => html`<th scope="col"${name === own.name && html` class="own"`}>${name}${name === own.name && html`<br><span class="quiet">yours</span>`}</th>`)}</tr></thead>
<tbody>${Object.entries(BENEFITS).map(([label, tell]) => html`<tr><th scope="row">${label}</th>${all.map((plan) => html`<td>${tell(plan)}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

function count(number: number): string {
  return number.toLocaleString('en');
}

function yesOrNo(is: boolean): string {
  return is ? 'yes' : 'no';
}
