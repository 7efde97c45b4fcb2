import type { JobStatus } from '../../../protocol/job.ts';
import { actionButton } from '../frame/action-button.ts';
import { moment } from '../frame/moment.ts';
import type { Page } from '../frame/page.ts';
import { terminalOf } from '../frame/terminal.ts';
import { type Html, html } from '../html/html.ts';

/** A job of one's own. Times are milliseconds since the epoch. */
export interface OwnJob {
  readonly uuid: string;
  readonly status: JobStatus;
  /** What it is made from; null: unknown. */
  readonly source: string | null;
  /** Of the skin. */
  readonly name: string | null;
  readonly skin_uuid: string | null;
  readonly created_at: number;
  readonly finished_at: number | null;
  /** When it is expected to end. */
  readonly eta: number | undefined;
  /** Why it failed. */
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

export interface JobsView {
  readonly jobs: readonly OwnJob[];
  /** Only jobs with this status; empty: all. */
  readonly status: '' | JobStatus;
  /** `after` of the next page. */
  readonly next: string | undefined;
  /** Whether these are the newest jobs; all of them are kept up to date by the page's script. */
  readonly isFirst: boolean;
  /** Jobs on all pages, where that is known. */
  readonly total: number | undefined;
  readonly now: number;
  readonly origin: string;
}

const PATH = '/ui/jobs';
const STATES: Readonly<Record<JobStatus, string>> = {
  waiting: 'Waiting',
  processing: 'Being made',
  completed: 'Completed',
  failed: 'Failed',
};

export function jobsPage({ jobs, status, next, isFirst, total, now, origin }: JobsView): Page {
  const isLive = isFirst && status === '';
  const tabs = Object.entries({ '': 'All', ...STATES });
  return {
    title: 'My jobs',
    body: html`<nav class="tabs" aria-label="Status">
${tabs.map(([value, label]) => html`<a href="${PATH}${value !== '' && html`?status=${value}`}"${value === status && html` aria-current="page"`}>${label}</a>`)}
</nav>
${total !== undefined && html`<p class="quiet">${total} ${total === 1 ? 'job' : 'jobs'}</p>`}
<p class="quiet" role="status" data-news hidden></p>
${
  jobs.length > 0
    ? html`<ol class="list"${isLive && html` data-jobs`}>${jobs.map((job) => row(job, now))}</ol>`
    : html`<p class="empty"${isLive && html` data-jobs`}>There are no such jobs. <a href="/ui/make">Make a skin.</a></p>`
}
${next !== undefined && html`<p class="more"><a class="button" href="${PATH}?${new URLSearchParams({ status, after: next }).toString()}">Older jobs</a></p>`}`,
    terminal: terminalOf('skinsmith jobs', origin, '/v2/queue?size=50'),
  };
}

function row(job: OwnJob, now: number): Html {
  const { uuid, status, source, name, skin_uuid, created_at, error } = job;
  const short = uuid.slice(-8); // it begins with the time
  return html`<li class="panel" data-own-job="${uuid}" data-status="${status}"><div class="grow">
<a href="${PATH}/${uuid}"><strong><bdi>${source ?? name ?? `Job ${short}`}</bdi></strong></a>
<span class="tag ${status}" data-state>${STATES[status]}</span>
<p class="quiet">${name !== null && source !== null && !source.startsWith(`${name}.`) && html`Named <bdi>${name}</bdi>. `}Submitted ${moment(created_at)}<span data-time>${timeOf(job, now)}</span></p>
${error && html`<p class="problem"><bdi>${error.message}</bdi></p>`}</div>
<div class="acts" data-acts>${skin_uuid !== null && status === 'completed' && html`<a class="button quiet-button" href="/ui/skins/${skin_uuid}">Open the skin</a>`}
${status === 'failed' && actionButton(`${PATH}/${uuid}/retry`, 'Try again', { about: source ?? uuid })}</div></li>`;
}

/** How long it took, or when it is expected to end. */
function timeOf({ created_at, finished_at, eta }: OwnJob, now: number): string {
  if (finished_at !== null) return `, took ${span(finished_at - created_at)}`;
  if (eta === undefined) return '';
  return `, done in about ${span(Math.max(0, eta - now))}`;
}

/** Milliseconds in words. */
function span(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
