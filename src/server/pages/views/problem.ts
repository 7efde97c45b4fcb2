import type { Page } from '../frame/page.ts';
import { html } from '../html/html.ts';

export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** More about it, such as the fields that are wrong. */
  readonly details: readonly string[];
  readonly requestId: string;
}

const TITLES: Readonly<Record<number, string>> = {
  401: 'Sign in first',
  403: 'Not allowed',
  404: 'Nothing here',
  413: 'Too large',
  429: 'Too fast',
  503: 'Not now',
};

/** What happened, and what to do. */
export function problemPage({ status, code, message, details, requestId }: Problem): Page {
  return {
    status,
    title: TITLES[status] ?? (status >= 500 ? 'Something went wrong' : 'That did not work'),
    body: html`<p class="lead">${message}</p>
${details.length > 0 && html`<ul>${details.map((detail) => html`<li>${detail}</li>`)}</ul>`}
<p>${adviceFor(status)}</p>
<p class="quiet">Error <code>${code}</code>, request <code>${requestId}</code></p>`,
  };
}

function adviceFor(status: number) {
  if (status === 401 || status === 403)
    return html`<a href="/ui/sign-in">Sign in</a> with a key that may do this.`;
  if (status === 404)
    return html`It may have been deleted, or it is private. <a href="/ui/">Go to the start page.</a>`;
  if (status === 429) return html`Wait a moment, and try again.`;
  if (status >= 500) return html`Try again in a moment. If it stays, tell the operator the request below.`;
  return html`Go back, and try again.`;
}
