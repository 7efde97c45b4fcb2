import { isIP } from 'node:net';
import { z } from 'zod';
import { REPORT_REASONS, reportBodySchema } from '../../protocol/moderation.ts';
import { skinEditSchema, uuidSchema } from '../../protocol/skin.ts';
import { MAX_SIZE, MIN_SIZE, VIEWS } from '../../skin/render/render.ts';
import {
  citizensCommand,
  giveCommand,
  giveCommand116,
  giveCommand1205,
  headCommand,
  mannequinCommand,
  skinsRestorerCommand,
  textObjectCommand,
  UnsafeSkinDataError,
} from '../../textures/commands.ts';
import { renderAnswer } from '../http/routes/pictures.ts';
import { checkAddress } from '../outbound/target.ts';
import { skinInput } from '../pictures/texture-renders.ts';
import { reportSkin } from '../service/moderation.ts';
import { deleteSkin, editSkin } from '../service/skins/changes.ts';
import { readSkin, signedBy, viewSkin } from '../service/skins/skins.ts';
import { similarSkins } from '../store/skins.ts';
import { copyField, day, options, type Page, pictureAddress, terminalOf } from './frame.ts';
import { type Html, html } from './html.ts';
import { REASON_WORDS } from './operator-moderation.ts';
import { pageRoute, seeOther } from './page-route.ts';

const params = z.object({ uuid: uuidSchema });

export const skinPageRoute = pageRoute({
  method: 'GET',
  path: '/ui/skins/:uuid',
  isFor: 'callers',
  params,
  query: z.object({ reported: z.literal('yes').optional().catch(undefined) }),
  handle: async ({ context, caller, session, params, query }) => {
    const skin = await readSkin(context, caller, params.uuid);
    await viewSkin(context, caller, params.uuid);
    const isOwn = session !== undefined && skin.owner === caller.owner;
    const view = {
      isOwn,
      isReported: query.reported !== undefined,
      similar: await similarSkins(context.db, skin),
      signer: signedBy(context, skin),
    };
    return skinPage(skin, { ...view, origin: context.publicUrl() });
  },
});

/** For private skins, whose owner the session identifies; the API ignores sessions. */
export const skinPictureRoute = pageRoute({
  method: 'GET',
  path: '/ui/skins/:uuid/pictures/:view',
  isFor: 'callers',
  params: z.object({ uuid: uuidSchema, view: z.enum(VIEWS) }),
  query: z.object({ size: z.coerce.number().int().min(MIN_SIZE).max(MAX_SIZE) }),
  handle: async (call) => {
    const { view, uuid } = call.params;
    const choice = { view, size: call.query.size, overlay: true };
    const { input } = await skinInput(call.context, call.caller, uuid, choice);
    return await renderAnswer(call, input, {
      'Cache-Control': 'private, no-store',
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
  },
});

export const editSkinFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/skins/:uuid',
  isFor: 'users',
  scopes: ['skins'],
  params,
  handle: async ({ context, caller, params, request }) => {
    const edit = skinEditSchema.parse(request.body ?? {});
    const { uuid } = await editSkin(context, caller, { ...edit, uuid: params.uuid });
    return seeOther(`/ui/skins/${uuid}`);
  },
});

export const deleteSkinFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/skins/:uuid/delete',
  isFor: 'users',
  scopes: ['skins'],
  params,
  handle: async ({ context, caller, params }) => {
    await deleteSkin(context, caller, params.uuid);
    return seeOther('/ui/');
  },
});

export const reportSkinFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/skins/:uuid/report',
  isFor: 'callers',
  params,
  handle: async ({ context, caller, params, request }) => {
    const report = reportBodySchema.parse(request.body ?? {});
    await reportSkin(context, caller, { ...report, ...params });
    return seeOther(`/ui/skins/${params.uuid}?reported=yes`);
  },
});

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
  /** Its visibility before an operator hid it; null: not hidden. */
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
  /** Public skins with the same pixels. */
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
<img src="${pictureAddress(skin, 'front', 384)}" alt="Front view" width="192" height="384">
<img src="${pictureAddress(skin, 'back', 384)}" alt="Back view" width="192" height="384">
<button type="button" data-open-viewer hidden>Show in 3D</button>
</div>
<div>
<h1><bdi>${name ?? `Skin ${uuid.slice(0, 8)}`}</bdi></h1>
<dl class="facts">
<div><dt>Arms</dt><dd>${variant === 'slim' ? 'Slim' : 'Classic'}</dd></div>
<div><dt>Visibility</dt><dd>${VISIBILITIES[visibility]}</dd></div>
<div><dt>Made</dt><dd>${day(skin_created_at)}</dd></div>
<div><dt>Views</dt><dd>${views}</dd></div>
${cape_hash !== null && html`<div><dt>Cape</dt><dd>Yes, visible from behind</dd></div>`}
<div><dt>Accepted by</dt><dd>${ACCEPTED[signer]}</dd></div>
</dl>
<p><a class="button" href="/textures/${texture_hash}" download="${uuid}.png">Download the PNG</a></p>
${copyFields(skin)}
</div>
</div>
${similar.length > 0 && similarCards(similar)}
${isOwn ? ownerForms(skin) : reportForm(skin, isReported)}`,
    terminal: terminalOf(`skinsmith skins get ${uuid}`, origin, `/v2/skins/${uuid}`),
  };
}

const ACCEPTED: Readonly<Record<Signer, string>> = {
  game: 'every server; the game signed it',
  server: "clients and servers that trust this server's key",
  other: 'clients and servers that trust the service that signed it',
};

function similarCards(similar: SkinPageOptions['similar']): Html {
  return html`<section aria-labelledby="similar"><h2 id="similar">Other skins with this picture</h2>
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
<form method="post" action="/ui/skins/${uuid}/delete"><p>This deletes its page and its data. Copies of the data keep working.</p>
<button class="danger">Delete for good</button></form></details></section>`;
}

function visibilityField({ visibility, hidden_from }: SkinView): Html {
  if (hidden_from !== null)
    return html`<p class="problem">The operator of this server has hidden this skin.</p>`;
  return html`<div><label for="visibility">Visibility</label><select id="visibility" name="visibility">
${options(VISIBILITIES, visibility)}
</select></div>`;
}

function reportForm({ uuid }: SkinView, isReported: boolean): Html {
  if (isReported) return html`<p class="panel" role="status">Report sent. Thank you.</p>`;
  return html`<details class="report"><summary>Report this skin</summary>
<form method="post" action="/ui/skins/${uuid}/report"><div class="row">
<div><label for="reason">Reason</label><select id="reason" name="reason">
${REPORT_REASONS.map((reason) => html`<option value="${reason}">${REASON_WORDS[reason]}</option>`)}
</select></div>
<div><label for="text">Details</label><input id="text" name="text" maxlength="500" autocomplete="off"></div>
</div><button>Send report</button></form></details>`;
}

export interface CopiedSkin {
  readonly uuid: string;
  readonly name: string | null;
  readonly variant: string;
  readonly value: string;
  readonly signature: string;
  readonly url: string;
}

/** Everything to copy from a skin: its data, and commands that use it. */
export function copyFields({ uuid, value, signature, url, name, variant }: CopiedSkin): Html {
  const property = JSON.stringify({ name: 'textures', value, signature });
  return html`<dl class="copyable">
${copyField('Value', value)}${copyField('Signature', signature)}${copyField('Profile property (JSON)', property)}
${copyField('Texture URL', url)}
${copyField('UUID', uuid)}
</dl>
${commandFields({ value, signature, url, variant, ...(name !== null && { name }) })}`;
}

interface CommandInput {
  readonly name?: string;
  readonly value: string;
  readonly signature: string;
  readonly url: string;
  readonly variant: string;
}

/** Offers no commands for data that cannot be quoted safely. */
function commandFields({ url, variant, ...skin }: CommandInput): Html {
  try {
    return html`<h2>Commands</h2><dl class="copyable">
${copyField('Head, Minecraft 1.21.5 and later', giveCommand(skin))}
${copyField('Citizens, for the selected NPC', citizensCommand(skin))}
${profileFields({ url, variant, name: skin.name })}
${isReachable(url) && copyField('SkinsRestorer, in-game command', skinsRestorerCommand(url, variant))}
</dl>
${!isReachable(url) && html`<p class="quiet">There is no SkinsRestorer command, because its service cannot reach this server to fetch the picture. Use <code>skinsmith generate --format skinsrestorer</code> instead: it writes a file for SkinsRestorer’s skins folder.</p>`}
<details><summary>Heads in older versions of Minecraft</summary><dl class="copyable">
${copyField('1.20.5 to 1.21.4', giveCommand1205(skin))}
${copyField('1.16 to 1.20.4', giveCommand116(skin))}
</dl></details>`;
  } catch (error) {
    if (error instanceof UnsafeSkinDataError) return html`<p class="quiet">${error.message}</p>`;
    throw error;
  }
}

/** Commands without a signature: they fit into a line of chat. */
function profileFields({ url, variant, name }: Pick<CommandInput, 'url' | 'variant' | 'name'>): Html {
  const skin = { name, variant: variant === 'slim' ? 'slim' : 'classic', look: { url } } as const;
  return html`${copyField('Head, in-game command, 1.21.9 and later', `/${headCommand(skin)}`)}
${copyField('Mannequin, in-game command, 1.21.9 and later', `/${mannequinCommand(skin)}`)}
${copyField('Face in chat, in-game command, 1.21.9 and later', `/${textObjectCommand(skin)}`)}`;
}

/** Whether an address looks reachable from the internet, and not only from this machine or network. */
function isReachable(address: string): boolean {
  const { hostname } = new URL(address);
  const bare = hostname.replaceAll(/[[\]]/g, '');
  if (isIP(bare) !== 0) return checkAddress(bare, []).allowed;
  return hostname.includes('.') && !/\.(?:local|localhost|internal|lan|home|test)$/.test(hostname);
}
