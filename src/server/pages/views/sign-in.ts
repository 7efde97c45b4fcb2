import type { Page } from '../frame/page.ts';
import { type Html, html } from '../html/html.ts';

export interface SignInView {
  /** Why the last attempt failed, and the status that says so. */
  readonly problem?: { readonly message: string; readonly status: number } | undefined;
  /** Who else vouches for people, and where that begins. */
  readonly provider?: { readonly name: string; readonly address: string } | undefined;
  /** The page to go on to. */
  readonly next?: string | undefined;
}

export function signInPage({ problem, provider, next }: SignInView): Page {
  return {
    ...(problem && { status: problem.status }),
    title: 'Sign in',
    body: html`${problem && html`<p class="panel narrow problem" role="alert">${problem.message}</p>`}
${provider && html`<p class="narrow"><a class="button wide" href="${provider.address}">Sign in with ${provider.name}</a></p><p class="narrow or">or</p>`}
${keyForm(next)}
<p>On the machine that runs this server you need no key: <code>skinsmith open</code> opens these pages, signed in.</p>`,
  };
}

function keyForm(next: string | undefined): Html {
  return html`<form class="panel narrow" method="post" action="/ui/sign-in">
<label for="key">API key</label>
<input id="key" name="key" type="password" required autocomplete="off" spellcheck="false" aria-describedby="key-hint">
<p id="key-hint" class="quiet">Paste it once. This browser then stays signed in for 30 days, and you can end that at any time.</p>
${next !== undefined && html`<input type="hidden" name="next" value="${next}">`}<button>Sign in</button></form>`;
}

/** `name`: of the user that would be made; `problem`: why the key was not taken. */
export function firstSignInPage({
  name,
  provider,
  problem,
}: {
  readonly name: string;
  readonly provider: string;
  readonly problem?: string | undefined;
}): Page {
  return {
    ...(problem !== undefined && { status: 403 }),
    title: 'Welcome',
    body: html`<p class="lead">You signed in with ${provider} for the first time.</p>
<form class="panel narrow" method="post" action="/ui/sign-in/first"><h2>New here?</h2>
<p>You get an account of your own, named <bdi>${name}</bdi> if nobody has that name.</p>
<button>Make my account</button></form>
<form class="panel narrow" method="post" action="/ui/sign-in/first"><h2>Have an account already?</h2>
${problem !== undefined && html`<p class="problem" role="alert">${problem}</p>`}
<label for="key">An API key of it</label>
<input id="key" name="key" type="password" required autocomplete="off" spellcheck="false" aria-describedby="key-hint">
<p id="key-hint" class="quiet">It must have all rights of the account. From now on ${provider} opens that account.</p>
<button>Use this account</button></form>`,
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
