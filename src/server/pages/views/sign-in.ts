import type { Page } from '../frame/page.ts';
import { html } from '../html/html.ts';

/** `problem`: why the last attempt failed. */
export function signInPage({ problem }: { readonly problem?: string } = {}): Page {
  return {
    ...(problem !== undefined && { status: 403 }),
    title: 'Sign in',
    body: html`<form class="panel narrow" method="post" action="/ui/sign-in">
${problem !== undefined && html`<p class="problem" role="alert">${problem}</p>`}
<label for="key">API key</label>
<input id="key" name="key" type="password" required autocomplete="off" spellcheck="false" aria-describedby="key-hint">
<p id="key-hint" class="quiet">Paste it once. This browser then stays signed in for 30 days, and you can end that at any time.</p>
<button>Sign in</button></form>
<p>On the machine that runs this server you need no key: <code>skinsmith open</code> opens this page signed in.</p>`,
  };
}

/** Asks before it signs in: a link that another site led to could be somebody else's. */
export function linkPage({ secret }: { readonly secret: string }): Page {
  return {
    title: 'Sign in with this link?',
    body: html`<form class="panel narrow" method="post" action="/ui/sign-in/link"><p>Go on only if you made this link yourself, with <code>skinsmith open</code>.</p>
<input type="hidden" name="secret" value="${secret}"><button>Sign in</button></form>`,
  };
}
