import { SKIN_NAME_RULE } from '../../../protocol/generate.ts';
import { type Html, html } from '../html/html.ts';

/** What a skin is made from. */
export const FROM = ['file', 'url', 'player'] as const;
export type From = (typeof FROM)[number];

const INPUTS: Readonly<Record<From, Html>> = {
  file: html`<label class="drop" for="file"><strong>Skin picture</strong>
<span class="quiet">PNG, 64×64 or 64×32 pixels, at most 20,000 bytes</span>
<span class="quiet" data-needs-script hidden>Drop files or a folder here, or paste a picture.</span>
<input id="file" type="file" name="file" accept="image/png" required></label>
<p data-needs-script hidden><button type="button" class="quiet-button" data-choose-folder>Choose a folder</button></p>`,
  url: html`<label for="url">Address of a picture</label>
<input id="url" type="url" name="url" required maxlength="256" placeholder="https://">`,
  player: html`<label for="user">Player name or UUID</label>
<input id="user" name="user" required maxlength="36" autocomplete="off" spellcheck="false">`,
};

/** Whom the form is for. */
export interface FormMaker {
  /** Name of the user who is signed in. */
  readonly name: string | undefined;
  readonly hasPrivateSkins: boolean;
}

/** The form that makes a skin. It works without a script; with one, several pictures go at once. */
export function makeForm(from: From, maker: FormMaker): Html {
  return html`<form class="panel make" method="post" action="/ui/make" enctype="multipart/form-data" data-make="${from}">
${maker.name !== undefined && html`<input type="hidden" name="maker" value="${maker.name}">`}
${INPUTS[from]}
<div class="row">
<div><label for="name">Name</label>
<input id="name" name="name" maxlength="48" pattern="[A-Za-z0-9_.\\- ]+" title="Names may contain ${SKIN_NAME_RULE}." autocomplete="off">
<p class="quiet" data-names-hint hidden>Several pictures are named after their files.</p></div>
<div><label for="variant">Arms</label>
<select id="variant" name="variant"><option value="unknown">Detect</option><option value="classic">Classic, 4 pixels</option><option value="slim">Slim, 3 pixels</option></select></div>
<div><label for="visibility">Visibility</label>
<select id="visibility" name="visibility"><option value="public">Public</option><option value="unlisted">Unlisted</option>${privateOption(maker)}</select></div>
</div>
<button>Make the skin</button>
</form>
<div class="stage preview" data-preview hidden></div>
<ol class="results" data-results aria-live="polite" aria-label="Results" hidden></ol>`;
}

function privateOption({ name, hasPrivateSkins }: FormMaker): Html {
  if (hasPrivateSkins) return html`<option value="private">Private</option>`;
  const why = name === undefined ? 'sign in first' : 'not in your plan';
  return html`<option value="private" disabled>Private (${why})</option>`;
}
