import { z } from 'zod';
import { type Content, count, type Html, html, say } from '../html/html.ts';
import { reportBodySchema } from '../protocol/moderation.ts';
import { setReferenceSchema } from '../protocol/set.ts';
import { SHORT_ID_LENGTH, skinEditSchema, uuidOrShortIdSchema, uuidSchema } from '../protocol/skin.ts';
import { renderAnswer } from '../server/http/routes/pictures.ts';
import { isLinkBot } from '../server/http/visitors.ts';
import { skinInput } from '../server/pictures/renders.ts';
import { hasScope } from '../server/service/callers.ts';
import { reportSkin } from '../server/service/moderation.ts';
import { Refusal } from '../server/service/refusal.ts';
import { deleteSkin, editSkin } from '../server/service/skins/changes.ts';
import { readSet } from '../server/service/skins/sets.ts';
import {
  findVisible,
  readSimilarSkins,
  readSkin,
  type SignerKind,
  signedBy,
  viewSkin,
} from '../server/service/skins/skins.ts';
import { shownOwner } from '../server/service/users/users.ts';
import type { SimilarSkinRow } from '../server/store/similar-skins.ts';
import { type SkinWithData, skinsBeginningWith } from '../server/store/skins.ts';
import { MAX_SIZE, MIN_SIZE, VIEWS, widthOf } from '../skin/render/views.ts';
import { cookieName, readCookie } from './cookies.ts';
import {
  copyField,
  copyLine,
  day,
  doneLine,
  keepButton,
  options,
  type Page,
  pictureAt,
  skinCards,
  VISIBILITIES,
} from './frame.ts';
import { assetAddress } from './layout.ts';
import { REASON_WORDS } from './operator-moderation.ts';
import { formFor, type PageCall, type PageRoute, pageFor, seeOther, yes } from './page-route.ts';
import { sharedSkin, sharePanel } from './share.ts';
import {
  AUDIENCES,
  type Audience,
  fileOf,
  type GroupId,
  isReachable,
  USE_IDS,
  USES,
  type UsableSkin,
  type UseFile,
  type UseId,
  type Way,
  waysOf,
} from './skin-uses.ts';
import { reactions, readReactions } from './tags-and-likes.ts';
import { afterName, readWearers, type Wearers, wearerForms, wearersPanel } from './wearers.ts';

const params = z.object({ uuid: uuidSchema });

const pageQuery = z.object({ use: z.enum(USE_IDS).optional(), reported: yes, saved: yes, worn: afterName });

const skinRoute = pageFor(
  'callers',
  '/ui/skins/:uuid',
  { params: z.object({ uuid: uuidOrShortIdSchema }), query: pageQuery },
  async (call) => {
    const { context, caller, params } = call;
    if (params.uuid.length === SHORT_ID_LENGTH) return await publicSkinsPage(call, params.uuid);
    const skin = await readSkin(context, caller, params.uuid);
    if (!isLinkBot(call.request.headers)) await viewSkin(context, caller, params.uuid);
    return await skinPage(call, skin);
  },
);

export const SKIN_PAGES: readonly PageRoute[] = [
  skinRoute,
  ...wearerForms(skinRoute),
  // The short address of a public skin, which anyone could guess, or the name of a set.
  pageFor('callers', '/s/:id', { params: z.object({ id: setReferenceSchema }) }, async (call) => {
    const { id } = call.params;
    if (!uuidOrShortIdSchema.safeParse(id).success) {
      const { set } = await readSet(call.context, call.caller, id);
      return seeOther(`/ui/sets/${set.slug}`);
    }
    return id.length === SHORT_ID_LENGTH ? await publicSkinsPage(call, id) : seeOther(`/ui/skins/${id}`);
  }),
  // For private skins, whose owner the session identifies; the API ignores sessions.
  pageFor(
    'callers',
    '/ui/skins/:uuid/pictures/:view',
    {
      params: z.object({ uuid: uuidSchema, view: z.enum(VIEWS) }),
      query: z.object({ size: z.coerce.number().int().min(MIN_SIZE).max(MAX_SIZE) }),
    },
    async (call) => {
      const { view, uuid } = call.params;
      const choice = { view, size: call.query.size, overlay: true };
      const { input } = await skinInput(call.context, call.caller, uuid, choice);
      return await renderAnswer(call, input, { 'Cross-Origin-Resource-Policy': 'same-origin' });
    },
  ),
  // A file for the folder of a plugin.
  pageFor(
    'callers',
    '/ui/skins/:uuid/files/:file',
    { params: params.extend({ file: z.string().max(96) }) },
    async ({ context, caller, params }) => {
      const content = fileOf(params.file, await readSkin(context, caller, params.uuid));
      if (!content) throw new Refusal('not_found');
      const headers = {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Disposition': `attachment; filename="${params.file}"`,
      };
      return { status: 200, body: Buffer.from(`${JSON.stringify(content, null, 2)}\n`), headers };
    },
  ),
  formFor('skins', '/ui/skins/:uuid', { params, fields: skinEditSchema }, async (call) => {
    const { uuid } = await editSkin(call.context, call.caller, { ...call.fields, ...call.params });
    return seeOther(`/ui/skins/${uuid}?saved=yes`);
  }),
  formFor('skins', '/ui/skins/:uuid/delete', { params }, async ({ context, caller, params }) => {
    await deleteSkin(context, caller, params.uuid);
    return seeOther(hasScope(caller, 'read') ? '/ui/skins?deleted=1' : '/ui/');
  }),
  formFor('callers', '/ui/skins/:uuid/report', { params, fields: reportBodySchema }, async (call) => {
    await reportSkin(call.context, call.caller, { ...call.fields, ...call.params });
    return seeOther(`/ui/skins/${call.params.uuid}?reported=yes`);
  }),
];

/**
 * Whether the page holds no secret beside texts of others: those of a similar skin are its owner's, who must not guess
 * the names and UUIDs of the visitor's own hidden ones, nor who wears a skin.
 */
function isSafe(skin: SkinView, similar: readonly SimilarSkinRow[], wearers: Wearers | undefined): boolean {
  if (wearers && wearers.names.length > 0) return false;
  return similar.length === 0 || [skin, ...similar].every(({ visibility }) => visibility === 'public');
}

/** Full rows of two, three and six; with fewer skins, styles hide those of a row that is not full. */
const MAX_SIMILAR = 6;

/** What the visitor has last used a skin for. */
export function rememberedUse({ request, context }: Pick<PageCall, 'request' | 'context'>): UseId {
  const remembered = readCookie('skinsmith-use', request, context.publicUrl());
  return USE_IDS.find((id) => id === remembered) ?? USE_IDS[0]!;
}

/** Leads to the public skin whose UUID begins so, or shows all of them. @throws Refusal `skin_not_found` */
async function publicSkinsPage({ context, caller }: PageCall, start: string) {
  const uuids = await skinsBeginningWith(context.db, start, { size: MAX_SHARING });
  if (uuids.length === 1) return seeOther(`/ui/skins/${uuids[0]}`);
  const found = await Promise.all(uuids.map(async (uuid) => await findVisible(context, caller, uuid)));
  const skins = found.filter((skin) => skin !== undefined);
  if (skins.length === 0) throw new Refusal('skin_not_found');
  return {
    title: say`Skins at ${start}`,
    body: html`<p>${say`Several skins share this short address.`}</p>${skinCards(skins)}`,
  };
}

/** More skins than will ever share a short address. */
const MAX_SHARING = 12;

type SkinView = UsableSkin & Pick<SkinWithData, 'hidden_from'>;

type SkinCall = PageCall<unknown, z.output<typeof pageQuery>>;

async function skinPage(call: SkinCall, skin: SkinWithData): Promise<Page> {
  const { context, caller, session, query, request } = call;
  const { uuid, name } = skin;
  const isOwn = session !== undefined && skin.owner === caller.owner;
  const similar = await readSimilarSkins(context, caller, { skin, size: MAX_SIMILAR });
  const wearers = await readWearers(call, skin, query.worn);
  const signer = await signedBy(context, skin);
  const origin = context.publicUrl();
  const remembers = cookieName('skinsmith-use', request, origin);
  const title = name ?? say`Skin ${uuid.slice(0, 8)}`;
  return {
    title,
    hasOwnHeading: true,
    isSafeToCompress: isSafe(skin, similar, wearers),
    ...sharedSkin(context, skin, signer),
    body: html`${doneLine(query)}
<h1><bdi>${title}</bdi></h1>
<div class="skin">
${stage(skin)}
<div>
${usePanel(skin, { signer, use: query.use ?? rememberedUse(call), remembers })}
${signer === 'server' && trustSteps(origin)}
</div>
<div>
${pictures(skin)}
${shareLine(skin, origin)}
<div class="acts"><button type="button" class="quiet-button needs-script" data-to-tray="${uuid}" data-name="${title}">${say`Keep in the tray`}</button>${keepButton(skin, '', say`Keep in the tray`)}${sharePanel(skin, origin)}</div>
</div>
<div>
${facts(skin, { owner: await shownOwner(context, skin), signer, isOwn })}
${reactions(uuid, await readReactions(context, caller, skin))}
<details><summary>${say`Value, signature and other data`}</summary>${dataFields(skin)}</details>
</div>
</div>
${similar.length > 0 && similarCards(similar)}
${wearers && wearersPanel(skin, wearers)}
${isOwn && hasScope(caller, 'skins') && ownerForms(skin)}${!isOwn && !query.reported && reportForm(`/ui/skins/${uuid}/report`, say`Report this skin`)}`,
    terminal: { command: `skinsmith skins get ${uuid}`, path: `/v2/skins/${uuid}` },
  };
}

/** The figure, which a script turns into a model to look at from all sides. */
function stage(skin: SkinWithData): Html {
  const { texture_hash, variant, cape_hash } = skin;
  return html`<div class="stage" data-script="${assetAddress('skin-viewer.js')}" data-viewer="/textures/${texture_hash}" data-model="${variant}"${cape_hash !== null && html` data-cape="/textures/${cape_hash}"`}>
<div class="view"><img ${pictureAt('src', { skin, view: 'isometric', size: 384 })} ${pictureAt('srcset', { skin, view: 'isometric', size: 768 })} alt="${say`The skin at an angle`}" width="192" height="384"></div>
<div class="controls"><button type="button" class="quiet-button needs-script" data-open-viewer>${say`Show in 3D`}</button></div>
</div>`;
}

interface FactsView {
  readonly owner: string | undefined;
  readonly signer: SignerKind;
  readonly isOwn: boolean;
}

function facts(skin: SkinWithData, { owner, signer, isOwn }: FactsView): Html {
  const { variant, cape_hash, skin_created_at, views, visibility } = skin;
  return html`<dl class="facts">
${owner !== undefined && html`<div><dt>${say`Owner`}</dt><dd><bdi>${owner}</bdi></dd></div>`}
<div><dt>${say`Arms`}</dt><dd>${variant === 'slim' ? say`Slim` : say`Classic`}</dd></div>
${cape_hash !== null && html`<div><dt>${say`Cape`}</dt><dd>${say`Yes`}</dd></div>`}
<div><dt>${say`Signed by`}</dt><dd>${SIGNERS[signer]}</dd></div>
<div><dt>${say`Made`}</dt><dd>${day(skin_created_at)}</dd></div>
<div><dt>${say`Views`}</dt><dd>${count(views)}</dd></div>
${(isOwn || visibility !== 'public') && html`<div><dt>${say`Visibility`}</dt><dd>${VISIBILITIES[visibility]}</dd></div>`}
</dl>`;
}

const SIGNERS: Readonly<Record<SignerKind, Html>> = {
  game: say`Mojang`,
  server: say`This server, with its own key`,
  earlier: say`This server, with an earlier key`,
  other: say`Another service`,
};

/** What players do so that their Minecraft shows skins that this server signs. */
function trustSteps(origin: string): Html {
  return html`<details class="trust"><summary>${say`Let Minecraft trust this server: three steps`}</summary>
<ol id="trust">
<li>${say`This works on game servers in offline mode: <code>online-mode=false</code> in server.properties.`}</li>
<li>${say`Each player downloads <a href="${'https://github.com/yushijinhun/authlib-injector'}">authlib-injector</a> into the folder of Minecraft.`}</li>
<li>${say`Each player adds this to the Java arguments in the launcher:`}
${copyLine(`-javaagent:authlib-injector.jar=${origin}`, say`Copy: Java argument`)}</li>
</ol></details>`;
}

/** Pictures to look at and to save. */
const PICTURES = {
  front: say`Front`,
  back: say`Back`,
  bust: say`Bust`,
  head: say`Head`,
  face: say`Face`,
} as const;

function pictures(skin: SkinView): Html {
  const shown = Object.entries(PICTURES) as [keyof typeof PICTURES, Html][];
  return html`<ul class="pictures" aria-label="${say`Pictures`}">
${shown.map(([view, label]) => html`<li><a ${pictureAt('href', { skin, view, size: 512 })}><img ${pictureAt('src', { skin, view, size: 128 })} alt="" width="${widthOf(view, 64)}" height="64" loading="lazy">${label}</a></li>`)}
<li><a href="/textures/${skin.texture_hash}" download="${skin.uuid}.png"><img src="/textures/${skin.texture_hash}" alt="" width="64" height="64" loading="lazy">${say`Skin file`}</a></li>
</ul>`;
}

interface UseOptions {
  readonly signer: SignerKind;
  /** The use whose answer is open. */
  readonly use: UseId;
  /** Name of the cookie that keeps the use. */
  readonly remembers: string;
}

/** Asks where the skin will be used, and answers with one thing to copy. It works without scripts. */
function usePanel(skin: SkinView, options: UseOptions): Html {
  const groups = Object.entries(USES) as [GroupId, (typeof USES)[GroupId]][];
  return html`<fieldset class="panel uses" data-remember="${options.remembers}"><legend>${say`Where will you use it?`}</legend>
${groups.map(([id, [label, uses]]) => {
  const isChosen = options.use in uses;
  return html`<div class="use">${choice('for', id, { label, isChecked: isChosen })}<div class="answer">
${Object.keys(uses).length === 1 ? answerFor(Object.keys(uses)[0] as UseId, skin, options) : usesOf(id, label, { uses, skin, options })}
</div></div>`;
})}
</fieldset>`;
}

interface UsesView {
  readonly uses: Readonly<Record<string, Content>>;
  readonly skin: SkinView;
  readonly options: UseOptions;
}

function usesOf(group: GroupId, label: Html, { uses, skin, options }: UsesView): Html {
  const open = options.use in uses ? options.use : Object.keys(uses)[0];
  return html`<fieldset class="uses" aria-label="${say`${label}: with what?`}">
${Object.entries(uses).map(([id, name]) => html`<div class="use">${choice(group, id, { label: name, isChecked: id === open })}<div class="answer">${answerFor(id as UseId, skin, options)}</div></div>`)}
</fieldset>`;
}

function choice(
  name: string,
  value: string,
  { label, isChecked }: { label: Content; isChecked: boolean },
): Html {
  return html`<label class="chip"><input type="radio" name="${name}" value="${value}"${isChecked && html` checked`}>${label}</label>`;
}

function answerFor(use: UseId, skin: SkinView, { signer }: UseOptions): Html {
  const [best, ...others] = waysOf(use, skin, signer);
  if (!best) return html`<p class="problem">${say`The data of this skin cannot be used in commands.`}</p>`;
  return html`${wayShown(best)}${others.map(
    (way) =>
      html`<details><summary>${OTHER_WAY[best.audience] ?? say`With a resource pack`}</summary>${wayShown(way)}</details>`,
  )}`;
}

const OTHER_WAY: Readonly<Partial<Record<Audience, Html>>> = { 'signed-again': say`Without MineSkin` };

function wayShown({ file, text, where, also, audience }: Way): Html {
  const isForFew = audience === 'server' || audience === 'earlier' || audience === 'other';
  const seen = html`<p class="${isForFew ? 'seen few' : 'seen'}">${AUDIENCES[audience]}${audience === 'server' && html` <a href="#trust">${say`Three steps`}</a>`}</p>`;
  const paste = html`<p>${where}${also && html` ${also}`}</p>${text !== undefined && copyLine(text, say`Copy: what to paste`)}`;
  if (!file) return html`${paste}${seen}`;
  if (text === undefined) return html`${fileLink(file)}${paste}${seen}`;
  if (file.isExtra) return html`${paste}${fileLink(file)}${seen}`;
  return html`<ol class="todo"><li>${fileLink(file)}</li><li>${paste}</li></ol>${seen}`;
}

function fileLink({ label, name, address, folder, isExtra }: UseFile): Html {
  return html`<p><a class="${isExtra ? 'button quiet-button' : 'button'}" href="${address}" download="${name}">${label}</a>${folder !== undefined && html` <span class="into">${say`into <code>${folder}</code>`}</span>`}</p>`;
}

/** The address to send to others. Short ones can be guessed, so only public skins have one. */
function shareLine({ uuid, visibility }: SkinView, origin: string): Html {
  const isPublic = visibility === 'public';
  const address = `${origin}${isPublic ? `/s/${uuid.slice(0, SHORT_ID_LENGTH)}` : `/ui/skins/${uuid}`}`;
  return html`<dl>${copyField(isPublic ? say`Short address of this page` : say`Address of this page`, address)}</dl>
${!isReachable(new URL(origin)) && html`<p class="quiet">${say`Only this machine and its own network can open this address.`}</p>`}`;
}

/** The data itself, for everything else. The property is one of the uses. */
function dataFields({ uuid, value, signature, url }: SkinView): Html {
  return html`<dl class="copyable">
${copyField(say`Value`, value)}${copyField(say`Signature`, signature)}
${copyField(say`Texture URL`, url)}
${copyField('UUID', uuid)}
</dl>`;
}

function similarCards(similar: readonly SimilarSkinRow[]): Html {
  return html`<section class="gallery similar" aria-labelledby="similar"><h2 id="similar">${say`Similar skins`}</h2>${skinCards(similar, sameness)}</section>`;
}

/** How a skin with the same picture differs. */
function sameness({ distance, variant, cape_hash }: SimilarSkinRow): Html | undefined {
  if (distance > 0) return undefined;
  const cape = cape_hash !== null && html`<br>${say`With a cape`}`;
  const arms = variant === 'slim' ? say`Same picture, slim arms` : say`Same picture, classic arms`;
  return html`<p class="quiet">${arms}${cape}</p>`;
}

function ownerForms(skin: SkinView): Html {
  const { uuid, name } = skin;
  return html`<section class="panel" aria-labelledby="edit"><h2 id="edit">${say`Your skin`}</h2>
<form method="post" action="/ui/skins/${uuid}"><div class="row">
<div><label for="name">${say`Name`}</label><input id="name" name="name" maxlength="48" pattern="[A-Za-z0-9_.\\- ]*" value="${name ?? ''}"></div>
${visibilityField(skin)}
</div><button>${say`Save`}</button></form>
<details><summary>${say`Delete this skin`}</summary>
<form method="post" action="/ui/skins/${uuid}/delete"><p>${say`This deletes its page and its data. Copies of the data keep working.`}</p>
<button class="danger">${say`Delete for good`}</button></form></details></section>`;
}

function visibilityField({ visibility, hidden_from }: SkinView): Html {
  if (hidden_from !== null)
    return html`<p class="problem">${say`The operator of this server has hidden this skin.`}</p>`;
  return html`<div><label for="visibility">${say`Visibility`}</label><select id="visibility" name="visibility">
${options(VISIBILITIES, visibility)}
</select></div>`;
}

/** How visitors report a skin or set. */
export function reportForm(path: `/ui${string}`, label: Html): Html {
  return html`<details class="report"><summary>${label}</summary>
<form method="post" action="${path}"><div class="row">
<div><label for="reason">${say`Reason`}</label><select id="reason" name="reason">
${options(REASON_WORDS, undefined)}
</select></div>
<div><label for="text">${say`Details`}</label><input id="text" name="text" maxlength="500"></div>
</div><button>${say`Send report`}</button></form></details>`;
}
