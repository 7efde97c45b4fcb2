import type { HealthFinding, ServiceStats } from '../../../../protocol/service.ts';
import type { PlanView } from '../../../../protocol/user.ts';
import type { Page } from '../../frame/page.ts';
import { planTable } from '../../frame/plan-table.ts';
import { terminalOf } from '../../frame/terminal.ts';
import { type Html, html } from '../../html/html.ts';
import { operatorPage } from './section.ts';

export interface OperatorOverview {
  readonly version: string;
  /** Why the service takes no work; empty: it does. */
  readonly unready: readonly string[];
  readonly findings: readonly HealthFinding[];
  /** Unfinished jobs. */
  readonly jobs: { readonly waiting: number; readonly processing: number };
  readonly workers: { readonly count: number };
  /** Bytes; `most`: undefined without a limit. */
  readonly store: { readonly used: number; readonly most: number | undefined };
  readonly stats: ServiceStats;
  readonly openReports: number;
  readonly plans: readonly PlanView[];
  readonly origin: string;
}

export function overviewPage(view: OperatorOverview): Page {
  return operatorPage('overview', {
    title: 'Operator',
    body: html`${state(view)}
<section aria-labelledby="health"><h2 id="health">Health</h2><ul class="findings">${view.findings.map(finding)}</ul></section>
${figures(view)}
<section aria-labelledby="limits"><h2 id="limits">Limits</h2>${planTable(view.plans)}</section>`,
    terminal: terminalOf('skinsmith doctor', view.origin, '/v2/account/doctor'),
  });
}

function state({ unready, openReports, version }: OperatorOverview): Html {
  const isReady = unready.length === 0;
  return html`<p class="lead" role="status">${
    isReady
      ? 'The service accepts jobs.'
      : `The service takes no work: ${unready.join(', ').replaceAll('_', ' ')}.`
  }</p>
<p><span class="tag">skinsmith ${version}</span> ${
    openReports > 0
      ? html`<a href="/ui/operator/reports">${openReports} open ${openReports === 1 ? 'report' : 'reports'}</a>`
      : html`<span class="quiet">No open reports</span>`
  }</p>`;
}

/** Each with its class. */
const RESULTS: Readonly<Record<HealthFinding['result'], readonly [word: string, look: string]>> = {
  ok: ['OK', 'ok'],
  warning: ['Warning', 'trouble'],
  problem: ['Problem', 'trouble'],
};

function finding({ result, message }: HealthFinding): Html {
  const [word, look] = RESULTS[result];
  return html`<li class="${look}"><strong>${word}</strong> ${message}</li>`;
}

function figures({ jobs, workers, store, stats }: OperatorOverview): Html {
  const { generated, accounts, upstream, generator } = stats;
  const { hour, day } = generated.time;
  const failures = Object.entries(upstream.errors).map(([code, count]) => `${count} ${code}`);
  const most = store.most === undefined ? '' : ` of ${size(store.most)}`;
  const rows: readonly (readonly [string, string])[] = [
    ['Jobs waiting', String(jobs.waiting)],
    ['Jobs in progress', String(jobs.processing)],
    ['Workers', `${workers.count}`],
    ['Duration of a job', `${generator.duration.generate} ms`],
    ['Wait in the queue', `${generator.duration.pending} ms`],
    ['Store', `${size(store.used)}${most}`],
    ['Skins this hour', madeIn(hour.current)],
    ['Skins today', madeIn(day.current)],
    ['Skins in all', madeIn(generated.total)],
    ['Jobs that succeeded, 24 hours', `${day.successRate} %`],
    ['Failures, 10 minutes', failures.length > 0 ? failures.join(', ') : 'none'],
    ['Game accounts', `${accounts.usable.global} of ${accounts.total.global} usable`],
  ];
  return html`<section aria-labelledby="figures"><h2 id="figures">At a glance</h2>
<dl class="facts figures">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<p class="quiet">Prometheus finds more at <code>/metrics</code>, with an operator’s key.</p></section>`;
}

function madeIn({ new: fresh, duplicate }: { readonly new: number; readonly duplicate: number }): string {
  return `${fresh} new, ${duplicate} known`;
}

function size(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024;
  return mebibytes >= 1024 ? `${(mebibytes / 1024).toFixed(1)} GiB` : `${mebibytes.toFixed(1)} MiB`;
}
