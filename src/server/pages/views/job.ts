import type { Page } from '../frame/page.ts';
import { terminalOf } from '../frame/terminal.ts';
import { html } from '../html/html.ts';

export interface JobPageView {
  readonly uuid: string;
  readonly status: 'waiting' | 'processing' | 'completed' | 'failed';
  /** Why it failed. */
  readonly error: { readonly code: string; readonly message: string } | undefined;
  readonly origin: string;
}

/** A job without its skin: a completed one leads on to that. */
export function jobPage({ uuid, status, error, origin }: JobPageView): Page {
  const terminal = terminalOf(`skinsmith status ${uuid}`, origin, `/v2/queue/${uuid}`);
  if (error) {
    return {
      title: 'The skin was not made',
      body: html`<p class="lead">${error.message}</p><div class="acts"><form method="post" action="/ui/jobs/${uuid}/retry"><button>Try again</button></form> <a href="/ui/make">Make another one</a></div>
<p class="quiet">Error <code>${error.code}</code>, job <code>${uuid}</code></p>`,
      terminal,
    };
  }
  return {
    title: 'Making the skin',
    body: html`<p class="lead" data-job="${uuid}" role="status">${
      status === 'processing' ? 'It is being made.' : 'It waits for its turn.'
    }</p><p><a class="button" href="/ui/jobs/${uuid}">Look again</a></p>`,
    terminal,
  };
}
