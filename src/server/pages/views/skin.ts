import { REPORT_REASONS } from '../../../protocol/moderation.ts';
import { options } from '../frame/fields.ts';
import { day } from '../frame/moment.ts';
import type { Page } from '../frame/page.ts';
import { pictureAddress } from '../frame/skin-card.ts';
import { terminalOf } from '../frame/terminal.ts';
import { type Html, html } from '../html/html.ts';
import { REASON_WORDS } from './operator/reports.ts';
import { copyFields } from './skin-copies.ts';

export interface SkinView {
  readonly uuid: string;
  readonly name: string | null;
  readonly visibility: 'public' | 'unlisted' | 'private';
  readonly variant: string;
  readonly texture_hash: string;
  readonly url: string;
  readonly value: string;
  readonly signature: string;
  readonly views: number;
  readonly skin_created_at: number;
  /** Its visibility before an operator hid it; null: none did. */
  readonly hidden_from: string | null;
  readonly cape_hash: string | null;
}

/** Who signed a skin: the game, this service, or another one. */
type Signer = 'game' | 'server' | 'other';

export interface SkinPageOptions {
  readonly isOwn: boolean;
  /** Whether the visitor has just reported it. */
  readonly isReported: boolean;
  readonly signer: Signer;
  /** Public skins of the same pixels. */
  readonly similar: readonly Pick<SkinView, 'uuid' | 'variant' | 'cape_hash'>[];
  /** The address of this server. */
  readonly origin: string;
}

export function skinPage(
  skin: SkinView,
  { isOwn, isReported, signer, similar, origin }: SkinPageOptions,
): Page {
  const { uuid, name, visibility, variant, views, skin_created_at, texture_hash, cape_hash } = skin;
  return {
    title: name ?? `Skin ${uuid.slice(0, 8)}`,
    hasOwnHeading: true,
    body: html`<div class="skin">
<div class="stage" data-viewer="/textures/${texture_hash}" data-model="${variant}"${cape_hash !== null && html` data-cape="/textures/${cape_hash}"`}>
<img src="${pictureAddress(skin, 'front', 384)}" alt="The skin from the front" width="192" height="384">
<img src="${pictureAddress(skin, 'back', 384)}" alt="The skin from behind" width="192" height="384">
<button type="button" data-open-viewer hidden>Show in 3D</button>
</div>
<div>
<h1><bdi>${name ?? `Skin ${uuid.slice(0, 8)}`}</bdi></h1>
<dl class="facts">
<div><dt>Arms</dt><dd>${variant === 'slim' ? 'Slim' : 'Classic'}</dd></div>
<div><dt>Visibility</dt><dd>${VISIBILITIES[visibility]}</dd></div>
<div><dt>Made</dt><dd>${day(skin_created_at)}</dd></div>
<div><dt>Views</dt><dd>${views}</dd></div>
${cape_hash !== null && html`<div><dt>Cape</dt><dd>yes, seen from behind</dd></div>`}
<div><dt>Accepted by</dt><dd>${ACCEPTED[signer]}</dd></div>
</dl>
<p><a class="button" href="/textures/${texture_hash}" download="${uuid}.png">Download the PNG</a></p>
${copyFields(skin)}
</div>
</div>
${similar.length > 0 && similarSkins(similar)}
${isOwn ? ownerForms(skin) : reportForm(skin, isReported)}`,
    terminal: terminalOf(`skinsmith skins get ${uuid}`, origin, `/v2/skins/${uuid}`),
  };
}

const ACCEPTED: Readonly<Record<Signer, string>> = {
  game: 'every server; the game signed it',
  server: "clients and servers that trust this server's key",
  other: 'clients and servers that trust the service that signed it',
};

function similarSkins(similar: SkinPageOptions['similar']): Html {
  return html`<section aria-labelledby="similar"><h2 id="similar">The same picture</h2>
<ul class="links">${similar.map(
    ({ uuid, variant, cape_hash }) =>
      html`<li><a href="/ui/skins/${uuid}">with ${variant === 'slim' ? 'slim' : 'classic'} arms${cape_hash !== null && ' and a cape'}</a></li>`,
  )}</ul></section>`;
}

const VISIBILITIES = { public: 'Public', unlisted: 'Unlisted', private: 'Private' } as const;

function ownerForms(skin: SkinView): Html {
  const { uuid, name } = skin;
  return html`<section class="panel" aria-labelledby="edit"><h2 id="edit">Your skin</h2>
<form method="post" action="/ui/skins/${uuid}"><div class="row">
<div><label for="name">Name</label><input id="name" name="name" maxlength="48" pattern="[A-Za-z0-9_.\\- ]*" value="${name ?? ''}"></div>
${visibilityField(skin)}
</div><button>Save</button></form>
<details><summary>Delete this skin</summary>
<form method="post" action="/ui/skins/${uuid}/delete"><p>Its page and its data go away. Copies that others made of the data keep working.</p>
<button class="danger">Delete for good</button></form></details></section>`;
}

function visibilityField({ visibility, hidden_from }: SkinView): Html {
  if (hidden_from !== null)
    return html`<p class="problem">The operator of this service has hidden this skin.</p>`;
  return html`<div><label for="visibility">Visibility</label><select id="visibility" name="visibility">
${options(VISIBILITIES, visibility)}
</select></div>`;
}

function reportForm({ uuid }: SkinView, isReported: boolean): Html {
  if (isReported) return html`<p class="panel" role="status">Thank you. Report sent.</p>`;
  return html`<details class="report"><summary>Report this skin</summary>
<form method="post" action="/ui/skins/${uuid}/report"><div class="row">
<div><label for="reason">What is wrong</label><select id="reason" name="reason">
${REPORT_REASONS.map((reason) => html`<option value="${reason}">${REASON_WORDS[reason]}</option>`)}
</select></div>
<div><label for="text">More about it</label><input id="text" name="text" maxlength="500" autocomplete="off"></div>
</div><button>Report it</button></form></details>`;
}
