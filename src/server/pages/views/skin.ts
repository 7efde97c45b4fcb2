import { copyField } from '../frame/copy.ts';
import type { Page } from '../frame/page.ts';
import { pictureAddress } from '../frame/skin-card.ts';
import { type Html, html } from '../html/html.ts';

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
}

/** `origin`: the address of this server. */
export function skinPage(skin: SkinView, { isOwn, origin }: { isOwn: boolean; origin: string }): Page {
  const { uuid, name, visibility, variant, views, skin_created_at, texture_hash } = skin;
  const made = new Date(skin_created_at);
  return {
    title: name ?? `Skin ${uuid.slice(0, 8)}`,
    hasOwnHeading: true,
    body: html`<div class="skin">
<div class="stage" data-viewer="/textures/${texture_hash}" data-model="${variant}">
<img src="${pictureAddress(skin, 'front', 384)}" alt="The skin from the front" width="192" height="384">
<img src="${pictureAddress(skin, 'back', 384)}" alt="The skin from behind" width="192" height="384">
<button type="button" data-open-viewer hidden>Show in 3D</button>
</div>
<div>
<h1><bdi>${name ?? `Skin ${uuid.slice(0, 8)}`}</bdi></h1>
<dl class="facts">
<div><dt>Arms</dt><dd>${variant === 'slim' ? 'Slim' : 'Classic'}</dd></div>
<div><dt>Visibility</dt><dd>${visibility}</dd></div>
<div><dt>Made</dt><dd><time datetime="${made.toISOString()}">${made.toISOString().slice(0, 10)}</time></dd></div>
<div><dt>Views</dt><dd>${views}</dd></div>
</dl>
<p><a class="button" href="/textures/${texture_hash}" download="${uuid}.png">Download the PNG</a></p>
${copyFields(skin)}
</div>
</div>
${isOwn && ownerForms(skin)}`,
    terminal: { skinsmith: `skinsmith skins get ${uuid}`, curl: `curl ${origin}/v2/skins/${uuid}` },
  };
}

function copyFields({ uuid, value, signature, url }: SkinView): Html {
  const property = JSON.stringify({ name: 'textures', value, signature });
  return html`<dl class="copyable">
${copyField('Value', value)}${copyField('Signature', signature)}${copyField('Property, as servers take it', property)}
${copyField('Texture address', url)}
${copyField('Give the head (1.21.5 and later)', giveCommand(value, signature))}
${copyField('SkinsRestorer', `skin url ${url}`)}
${copyField('UUID', uuid)}
</dl>`;
}

/** Data that could end a command and begin another becomes no command. */
function giveCommand(value: string, signature: string): string {
  const [safeValue, safeSignature] = [value, signature].map((text) => text.replace(/[^A-Za-z0-9+/=]/g, ''));
  return `give @p minecraft:player_head[profile={properties:[{name:"textures",value:"${safeValue}",signature:"${safeSignature}"}]}]`;
}

const VISIBILITIES = ['public', 'unlisted', 'private'] as const;

function ownerForms({ uuid, name, visibility }: SkinView): Html {
  return html`<section class="panel" aria-labelledby="edit"><h2 id="edit">Your skin</h2>
<form method="post" action="/ui/skins/${uuid}"><div class="row">
<div><label for="name">Name</label><input id="name" name="name" maxlength="48" pattern="[A-Za-z0-9_.\\- ]*" value="${name ?? ''}"></div>
<div><label for="visibility">Visibility</label><select id="visibility" name="visibility">
${VISIBILITIES.map((one) => html`<option value="${one}"${one === visibility && html` selected`}>${one}</option>`)}
</select></div>
</div><button>Save</button></form>
<details><summary>Delete this skin</summary>
<form method="post" action="/ui/skins/${uuid}/delete"><p>Its page and its data go away. Copies that others made of the data keep working.</p>
<button class="danger">Delete for good</button></form></details></section>`;
}
