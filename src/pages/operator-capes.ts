import { type Html, html, say } from '../html/html.ts';
import { capeChangeSchema, capeFieldsSchema, type WireCape } from '../protocol/cape.ts';
import { capeView } from '../server/http/views.ts';
import { Refusal } from '../server/service/refusal.ts';
import { addCape, deleteCape, editCape, readAllCapes } from '../server/service/skins/capes.ts';
import { actionButton, confirmed } from './frame.ts';
import { operatorList } from './operator-list.ts';
import { ofUuid, type TypedForm, typedIn } from './page-route.ts';

const CAPES = '/ui/operator/capes';

export const CAPE_PAGES = operatorList({
  section: 'capes',
  read: async ({ context, caller }) => ({
    entries: (await readAllCapes(context, caller)).map((cape) => capeView(cape, context.textureUrl)),
  }),
  page: (_, typed) => ({ title: say`Capes`, none: say`No capes yet.`, above: newCape(typed) }),
  row: capeRow,
  forms: (form) => [
    form('', { fields: capeFieldsSchema, fileSize: 'usual' }, async ({ context, caller, fields, file }) => {
      if (!file) throw new Refusal('missing_file', String(say`Choose the picture of the cape.`));
      await addCape(context, caller, { image: file, ...fields });
    }),
    form('/:uuid', { ...ofUuid, fields: capeChangeSchema }, async ({ context, caller, params, fields }) => {
      await editCape(context, caller, params.uuid, fields);
    }),
    form('/:uuid/delete', ofUuid, async ({ context, caller, params }) => {
      await deleteCape(context, caller, params.uuid);
    }),
  ],
});

function newCape(typed: TypedForm | undefined): Html {
  return html`<form class="panel" method="post" action="${CAPES}" enctype="multipart/form-data">${typed?.problem}<div class="row">
<div><label for="file">${say`Picture, 64×32 pixels`}</label><input id="file" type="file" name="file" accept="image/png" required></div>
<div><label for="alias">${say`Alias`}</label><input id="alias" name="alias" required maxlength="48" value="${typedIn(typed, 'alias')}"></div>
<div class="end"><button>${say`Add the cape`}</button></div></div></form>`;
}

function capeRow({ uuid, alias, hash, support }: WireCape): Html {
  const path = `${CAPES}/${uuid}`;
  const isShown = support === 'public';
  return html`<div class="cape"><img src="/textures/${hash}" alt="${say`The cape`}" width="384" height="192" loading="lazy"></div>
<div class="grow"><strong><bdi>${alias}</bdi></strong>${!isShown && html` <span class="tag">${say`hidden`}</span>`}</div>
<div class="acts">${actionButton(path, isShown ? say`Hide` : say`Show`, { about: alias, fields: { support: isShown ? 'none' : 'public' } })}
${confirmed(say`Delete`, { about: alias, path: `${path}/delete`, warning: say`This removes the cape from the list. Skins that have it keep it.`, button: say`Delete the cape` })}</div>`;
}
