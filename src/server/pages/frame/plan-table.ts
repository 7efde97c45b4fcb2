import type { PlanView } from '../../../protocol/user.ts';
import { type Html, html } from '../html/html.ts';

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

/** `own`: the plan of the person who looks; it is among them, even if the service does not have it any more. */
export function planTable(plans: readonly PlanView[], own?: PlanView): Html {
  const all = own === undefined || plans.some(({ name }) => name === own.name) ? plans : [own, ...plans];
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of plans"><table>
<thead><tr><td></td>${all.map(({ name }) => html`<th scope="col"${name === own?.name && html` class="own"`}>${name}${name === own?.name && html`<br><span class="quiet">yours</span>`}</th>`)}</tr></thead>
<tbody>${Object.entries(BENEFITS).map(([label, tell]) => html`<tr><th scope="row">${label}</th>${all.map((plan) => html`<td>${tell(plan)}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

/** A number with commas. */
export function count(number: number): string {
  return number.toLocaleString('en');
}

function yesOrNo(is: boolean): string {
  return is ? 'yes' : 'no';
}
