import type { WireCape } from '../../../../protocol/cape.ts';
import { actionButton } from '../../frame/action-button.ts';
import type { Page } from '../../frame/page.ts';
import { terminalOf } from '../../frame/terminal.ts';
import { type Html, html } from '../../html/html.ts';
import { listOr, operatorPage } from './section.ts';

const PATH = '/ui/operator/capes';

export function capesPage({
  capes,
  origin,
}: {
  readonly capes: readonly WireCape[];
  readonly origin: string;
}): Page {
  return operatorPage('capes', {
    title: 'Capes',
    body: html`<form class="panel" method="post" action="${PATH}" enctype="multipart/form-data"><div class="row">
<div><label for="file">Picture, 64×32 pixels</label><input id="file" type="file" name="file" accept="image/png" required></div>
<div><label for="alias">Alias</label><input id="alias" name="alias" required maxlength="48" autocomplete="off"></div>
<div class="end"><button>Add the cape</button></div></div></form>
${listOr('There are no capes.', capes.map(row))}`,
    terminal: terminalOf('skinsmith capes list', origin, '/v2/account/capes'),
  });
}

function row({ uuid, alias, hash, support }: WireCape): Html {
  const path = `${PATH}/${uuid}`;
  const isShown = support === 'public';
  return html`<div class="cape"><img src="/textures/${hash}" alt="The cape" width="384" height="192" loading="lazy"></div>
<div class="grow"><strong><bdi>${alias}</bdi></strong>${!isShown && html` <span class="tag">hidden</span>`}</div>
<div class="acts">${actionButton(path, isShown ? 'Hide' : 'Show', { about: alias, fields: { support: isShown ? 'none' : 'public' } })}
${actionButton(`${path}/delete`, 'Delete', { about: alias, isDanger: true })}</div>`;
}
