import { z } from 'zod';
import { count, Html, html, say } from '../html/html.ts';
import { reportBodySchema } from '../protocol/moderation.ts';
import { setNameSchema, setReferenceSchema, slugOf } from '../protocol/set.ts';
import { uuidOrShortIdSchema, uuidSchema, visibilitySchema } from '../protocol/skin.ts';
import type { ServiceContext } from '../server/context.ts';
import { FILES, setPackAnswer, skinsAnswer } from '../server/http/downloads.ts';
import type { Answer } from '../server/http/route.ts';
import { PRIVATE_ANSWER, renderAnswer } from '../server/http/routes/pictures.ts';
import { lineupInput } from '../server/pictures/renders.ts';
import { type Caller, hasScope } from '../server/service/callers.ts';
import { Refusal } from '../server/service/refusal.ts';
import { editSkins } from '../server/service/skins/changes.ts';
import { readReservedNames, releaseName } from '../server/service/skins/set-names.ts';
import {
  decideOnSet,
  deleteAnySet,
  deleteSet,
  editSet,
  type FullSet,
  isForEverybody,
  isSeenByAll,
  moveInSet,
  pictured,
  readOwnSets,
  readPublicSets,
  readSet,
  reportSet,
} from '../server/service/skins/sets.ts';
import { shownOwner } from '../server/service/users/users.ts';
import type { ReservedName } from '../server/store/set-names.ts';
import type { CountedSet } from '../server/store/sets.ts';
import { lineupSize, MAX_LINEUP } from '../skin/render/views.ts';
import {
  confirmed,
  copyField,
  doneLine,
  NAME_RULE,
  options,
  type Page,
  SELECT_ALL,
  SELECTED,
  type SkinCard,
  skinCards,
  skinCount,
  skinSelector,
  VISIBILITIES,
} from './frame.ts';
import { newSetForm, newSetFormRoute } from './new-set.ts';
import { backToReports } from './operator-moderation.ts';
import {
  formFor,
  listField,
  ofUuid,
  optionalField,
  type PageCall,
  type PageRoute,
  pageFor,
  seeOther,
  yes,
} from './page-route.ts';
import { shareButton, sharedSet } from './share.ts';
import { reportForm } from './skin.ts';

const PATH = '/ui/sets';
const RELEASE = '/ui/set-names/release';
/** Sets per page. */
const SIZE = 24;

const params = z.object({ set: setReferenceSchema });

const setQuery = z.object({
  reported: yes,
  saved: yes,
  /** Of the cards. */
  page: z.coerce.number().int().min(1).max(99).default(1),
  /** The button that has just moved a skin. */
  moved: z.string().max(40).optional(),
});

const MOVE = /^[0-9a-f]{32} [0-9a-f]{32}$/;

const setFields = z.object({
  act: z.enum(['save', 'remove', 'publish', 'delete', 'move']).default('move'),
  /** A skin, and the one whose place it takes. */
  move: z.string().regex(MOVE).optional(),
  page: z.coerce.number().int().min(1).default(1),
  skin: listField(uuidSchema),
  visibility: optionalField(visibilitySchema),
  name: optionalField(setNameSchema),
});
const releaseFields = z.object({ name: z.string().max(64).transform(slugOf) });
const decisionFields = z.object({ act: z.enum(['hide', 'show', 'clear-name']) });
const ofAnySet = { ...ofUuid, ...backToReports };

/** The files of a set for the visitor, who may see more than callers without a key. */
const fileRoutes: readonly PageRoute[] = [
  ...(Object.keys(FILES) as (keyof typeof FILES)[]).map((kind) =>
    fileRoute(`skins.${kind}`, async (call) => {
      const read = async () => {
        const { set, skins } = await setOf(call);
        return { file: set.slug, skins };
      };
      return await skinsAnswer(kind, call, read);
    }),
  ),
  ...(['resource', 'data'] as const).map((kind) =>
    fileRoute(kind === 'data' ? 'datapack.zip' : 'pack.zip', async (call) =>
      setPackAnswer(call, { kind, read: async () => await setOf(call) }),
    ),
  ),
];

const listRoute = pageFor(
  'callers',
  PATH,
  { query: z.object({ after: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional() }) },
  listPage,
);

export const SET_PAGES: readonly PageRoute[] = [
  listRoute,
  newSetFormRoute(listRoute),
  pageFor('callers', `${PATH}/:set`, { params, query: setQuery }, setPage),
  formFor('skins', RELEASE, { fields: releaseFields, leadsTo: PATH }, async ({ context, caller, fields }) => {
    await releaseName(context, caller, fields.name);
  }),
  formFor('skins', `${PATH}/:set`, { params, fields: setFields }, async (call) => {
    const { context, caller } = call;
    const { act, skin, move, visibility, name, page } = call.fields;
    const { set: reference } = call.params;
    if (act === 'delete') {
      await deleteSet(context, caller, reference);
      return seeOther(PATH);
    }
    if (act === 'publish') await publishHidden(context, caller, await readSet(context, caller, reference));
    if (move !== undefined) return await moved(call, reference, move);
    const edit = act === 'remove' ? { remove: skin } : act === 'save' ? { name, visibility } : undefined;
    if (edit) await editSet(context, caller, { ...edit, reference });
    return seeOther(`${PATH}/${reference}?${act === 'remove' ? `page=${page}` : 'saved=yes'}`);
  }),
  formFor('callers', `${PATH}/:set/report`, { params, fields: reportBodySchema }, async (call) => {
    const { set: reference } = call.params;
    await reportSet(call.context, call.caller, { ...call.fields, reference });
    return seeOther(`${PATH}/${reference}?reported=yes`);
  }),
  fileRoute('group.png', async (call) => {
    const input = await lineupInput(call.context, pictured(await setOf(call)));
    return await renderAnswer(call, input, PRIVATE_ANSWER);
  }),
  ...fileRoutes,
  // An operator's decisions about a reported set.
  formFor('operator', '/ui/operator/sets/:uuid', { ...ofAnySet, fields: decisionFields }, async (call) => {
    const { act } = call.fields;
    const decision = act === 'clear-name' ? { clearName: true as const } : { hidden: act === 'hide' };
    await decideOnSet(call.context, call.caller, { ...call.params, ...decision, note: '' });
  }),
  formFor('operator', '/ui/operator/sets/:uuid/delete', ofAnySet, async ({ context, caller, params }) => {
    await deleteAnySet(context, caller, { ...params, note: '' });
  }),
];

/** Moves a skin, and shows the page that it is on now. The button that moved it stays under the keyboard. */
async function moved({ context, caller }: PageCall, reference: string, move: string): Promise<Answer> {
  const [skin = '', to = ''] = move.split(' ');
  const { skins } = await readSet(context, caller, reference);
  const placeOf = (uuid: string) => skins.findIndex((one) => one.uuid === uuid);
  await moveInSet(context, caller, { reference, skin, to });
  const page = Math.floor(placeOf(to) / SHOWN_TO_OWNER) + 1;
  const by = placeOf(skin) < placeOf(to) ? 'down' : 'up';
  return seeOther(`${PATH}/${reference}?page=${page}&moved=${by}-${skin}`);
}

/** Makes what only the owner sees in a set as visible as the set. @throws Refusal `set_not_found` for others */
async function publishHidden(context: ServiceContext, caller: Caller, full: FullSet): Promise<void> {
  const { uuid, visibility, owner } = full.set;
  if (owner !== caller.owner) throw new Refusal('set_not_found', `You have no set ${uuid}.`);
  const edits = hiddenIn(full).map((skin) => ({ uuid: skin.uuid, visibility }));
  if (edits.length > 0) await editSkins(context, caller, edits);
}

/** The owner's skins in a set that others see without them, except what an operator has hidden. */
function hiddenIn({ set, skins }: FullSet): FullSet['skins'] {
  if (set.visibility === 'private') return [];
  return skins.filter(
    (skin) => skin.owner === set.owner && skin.hidden_from === null && !isSeenByAll(skin, set),
  );
}

const WAYS_TO_SETS = html`<p class="quiet">${say`For a new set, select skins among <a href="/ui/skins">your skins</a> or in the <a href="/ui/gallery">gallery</a>, or give a list of them.`}</p>`;

/** All sets of the visitor: nobody has more. */
const MAX_OWN = 500;

async function listPage(call: PageCall<unknown, { readonly after?: number | undefined }>): Promise<Page> {
  const { context, caller, session, typed, query } = call;
  const { sets, next } = await readPublicSets(context, caller, { before: query.after, size: SIZE });
  const isOfUser = session !== undefined && query.after === undefined;
  const mayRead = isOfUser && hasScope(caller, 'read');
  const mayChange = isOfUser && hasScope(caller, 'skins');
  const own = mayRead ? (await readOwnSets(context, caller, { size: MAX_OWN })).sets : [];
  const reserved = mayRead && mayChange ? await readReservedNames(context, caller) : [];
  return {
    title: say`Sets`,
    body: html`<p class="lead">${say`Skins that belong together: with one page, one download and one resource pack.`}</p>
${mayChange && html`${mayRead && WAYS_TO_SETS}${newSetForm(typed)}`}
${own.length > 0 && html`<h2>${say`Your sets`}</h2>${setList(own)}`}
${reserved.length > 0 && reservedNames(reserved)}
<h2>${say`Public sets`}</h2>
${sets.length > 0 ? setList(sets) : html`<p class="empty">${say`There are no public sets yet. Make one: select skins among <a href="${'/ui/skins'}">your skins</a>.`}</p>`}
${next !== undefined && html`<p class="more"><a class="button" rel="next" href="${PATH}?after=${next}">${say`Older sets`}</a></p>`}`,
  };
}

/** Names that only the visitor can give to a public set. */
function reservedNames(names: readonly ReservedName[]): Html {
  return html`<details><summary>${say`Reserved names`}</summary><p class="quiet">${say`Public sets of yours had these names. Nobody else can have them, because game servers may use their packs.`}</p>
<ul class="list">${names.map(
    ({ slug, uuid, name }) => html`<li><div class="grow"><bdi>${slug}</bdi>
<p class="quiet">${uuid === null ? say`The set was deleted.` : say`Leads to <a href="${`${PATH}/${uuid}`}"><bdi>${name}</bdi></a>`}</p></div>
${confirmed(say`Release`, {
  about: slug,
  path: RELEASE,
  fields: { name: slug },
  warning: say`Everyone can then have the name. Game servers that still use it may get the pack of another user.`,
  button: say`Release the name`,
})}</li>`,
  )}</ul></details>`;
}

function setList(sets: readonly CountedSet[]): Html {
  return html`<ul class="list">${sets.map(listedSet)}</ul>`;
}

function listedSet({ uuid, name, skins, seenByAll, visibility }: CountedSet): Html {
  return html`<li><div class="grow"><a href="${PATH}/${uuid}">${skins > 0 && html`<img class="lineup" ${groupAt(uuid, visibility !== 'private' && skins === seenByAll)} alt="" height="96" loading="lazy">`}<bdi>${name}</bdi></a>
<p class="quiet">${SKINS_IN_LIST[visibility](skinCount(skins))}</p></div></li>`;
}

const SKINS_IN_LIST = {
  public: (skins: Html) => skins,
  unlisted: (skins: Html) => say`${skins}, unlisted`,
  private: (skins: Html) => say`${skins}, private`,
} as const;

/** Skins on a page of a set: with all pictures, it weighs less than 70 KB. Those that can be moved have more buttons. */
const SHOWN = 16;
const SHOWN_TO_OWNER = 12;

type SetCall = PageCall<z.output<typeof params>, z.output<typeof setQuery>>;

async function setPage(call: SetCall): Promise<Page> {
  const { context, caller, session, query } = call;
  const full = await setOf(call);
  const { set, skins } = full;
  const { uuid, name, slug, visibility } = set;
  const isOwn = session !== undefined && set.owner === caller.owner;
  const mayChange = isOwn && hasScope(caller, 'skins');
  const owner = await shownOwner(context, set);
  const origin = context.publicUrl();
  const hidden = mayChange ? hiddenIn(full) : [];
  return {
    title: name,
    body: html`${doneLine(query)}<p class="quiet">${SKINS_OF_PAGE[visibility](skinCount(skins.length))}</p>
${hidden.length > 0 && onlyForOwner(full, hidden.length)}
${owner !== undefined && html`<p class="quiet">${say`Owner: <bdi>${owner}</bdi>`}</p>`}
${pictured(full).length > 1 && groupPicture(full)}
${skins.length > 0 && visibility !== 'private' && Html.forReader(({ needsSession }) => !needsSession && shared(set, origin))}
${skins.length > 0 && downloads(set, origin)}
${skins.length > 0 ? html`<div class="gallery">${cardsOf(full, mayChange, query)}</div>` : html`<p class="empty">${say`You cannot see any of the skins in this set.`}</p>`}
${mayChange && ownForm(set)}${!isOwn && !query.reported && reportForm(`${PATH}/${uuid}/report`, say`Report this set`)}`,
    terminal: {
      command: `skinsmith sets export ${visibility === 'public' ? slug : uuid}`,
      path: `/v2/sets/${uuid}`,
    },
    ...sharedSet(context, full),
  };
}

/** The address to send to others. A name that looks like a skin’s short address has none in its place. */
function shared({ uuid, name, slug, visibility }: FullSet['set'], origin: string): Html {
  const isShort = visibility === 'public' && !uuidOrShortIdSchema.safeParse(slug).success;
  const address = `${origin}${isShort ? `/s/${slug}` : `${PATH}/${uuid}`}`;
  return html`${isShort && html`<dl>${copyField(say`Short address of this page`, address)}</dl>`}<div class="acts">${shareButton(address, name)}</div>`;
}

/** Tells the owner what others do not see, and offers to show it. */
function onlyForOwner({ set: { uuid }, skins }: FullSet, hidden: number): Html {
  return html`<form class="acts" method="post" action="${PATH}/${uuid}"><span>${say`Everyone sees ${count(skins.length - hidden)}, and only you see ${count(hidden)} more.`}</span>
<button name="act" value="publish" class="quiet-button">${say`Show them to everyone`}</button></form>`;
}

function cardsOf(
  { set: { uuid }, skins }: FullSet,
  mayChange: boolean,
  { page, moved }: SetCall['query'],
): Html {
  const size = mayChange ? SHOWN_TO_OWNER : SHOWN;
  const pages = Math.ceil(skins.length / size);
  const at = Math.min(page, pages);
  const shown = skins.slice((at - 1) * size, at * size);
  const link = (to: number, rel: string, label: Html) =>
    to >= 1 &&
    to <= pages &&
    html`<a class="button" rel="${rel}" href="${PATH}/${uuid}?page=${to}">${label}</a>`;
  return html`${
    mayChange
      ? html`<form method="post" action="${PATH}/${uuid}" data-select data-order><button hidden disabled></button><input type="hidden" name="page" value="${at}">${SELECT_ALL}${skinCards(shown, (skin) => html`${skinSelector(skin)}${movers(skin, skins, moved)}`)}
<p class="panel bulk"><button name="act" value="remove" class="quiet-button">${say`Remove selected`}</button> ${SELECTED}</p></form>`
      : skinCards(shown)
  }
${pages > 1 && html`<nav class="more turning" aria-label="${say`Pages`}">${link(at - 1, 'prev', say`Previous page`)} <span>${say`page ${count(at)}`}</span> ${link(at + 1, 'next', say`Next page`)}</nav>`}`;
}

/** Buttons that move a skin of a set by one place. */
function movers(skin: SkinCard, skins: FullSet['skins'], moved: string | undefined): Html {
  const at = skins.findIndex(({ uuid }) => uuid === skin.uuid);
  const name = skin.name ?? skin.uuid.slice(0, 8);
  const mover = (by: string, to: SkinCard | undefined, label: Html, sign: string) =>
    to &&
    html`<button name="move" value="${skin.uuid} ${to.uuid}" class="quiet-button" aria-label="${label}"${moved === `${by}-${skin.uuid}` && html` autofocus`}>${sign}</button>`;
  return html`<div class="acts">${mover('up', skins[at - 1], say`Move up: ${name}`, '‹')}${mover('down', skins[at + 1], say`Move down: ${name}`, '›')}</div>`;
}

/**
 * The address of a set's picture. What only the visitor may see, the page has to fetch for the session; the API ignores
 * sessions.
 */
function groupAt(uuid: string, isForAll: boolean): Html {
  return Html.forReader(({ needsSession }) => {
    const folder = isForAll && !needsSession ? '/v2/sets' : PATH;
    return html`src="${`${folder}/${uuid}/group.png`}"`;
  });
}

function groupPicture(full: FullSet): Html {
  const { set } = full;
  const skins = pictured(full);
  const { width, height } = lineupSize(Math.min(skins.length, MAX_LINEUP));
  const picture = html`<img class="lineup" ${groupAt(set.uuid, isForEverybody(full))} alt="${say`The skins of the set ${set.name} side by side`}" width="${width}" height="${height}" loading="lazy">`;
  return skins.length <= SMALL
    ? picture
    : html`<details><summary>${say`Picture of all`}</summary>${picture}
${skins.length > MAX_LINEUP && html`<p class="quiet">${say`The picture shows the first ${count(MAX_LINEUP)}.`}</p>`}</details>`;
}

/** A picture of more skins is folded: it would weigh more than all else on the page. */
const SMALL = 8;

const SKINS_OF_PAGE = {
  public: (skins: Html) => skins,
  unlisted: (skins: Html) => say`${skins}, for everyone who has the address of this page`,
  private: (skins: Html) => say`${skins}, only for you`,
} as const;

function downloads({ uuid, namespace, visibility }: FullSet['set'], origin: string): Html {
  const pack = `${origin}/packs/${uuid}.zip`;
  return html`<section class="panel"><h2>${say`All of them at once`}</h2>
<p class="acts"><a class="button" href="${PATH}/${uuid}/skins.zip" download>${say`Pictures and data (zip)`}</a>
<a href="${PATH}/${uuid}/pack.zip" download>${say`Resource pack`}</a>
<a href="${PATH}/${uuid}/datapack.zip" download>${say`Data pack`}</a>
<a href="${PATH}/${uuid}/skins.customskin.zip" download>${say`Files for SkinsRestorer (zip)`}</a>
${visibility !== 'private' && Html.forReader(({ needsSession }) => !needsSession && html`<a href="/v2/sets/${uuid}/card.png">${say`Picture of all`}</a>`)}</p>
<p>${say`Minecraft 1.21.9 and later show these skins from a resource pack, without a signature.`}</p>
<dl class="copyable">${visibility !== 'private' && copyField(say`For server.properties`, `resource-pack=${pack}`)}
${copyField(say`Command that summons them all (needs the data pack)`, `/function ${namespace}:lineup`)}</dl>
<details><summary>${say`For programs`}</summary><p><a href="${PATH}/${uuid}/skins.lock" download>${say`Data only (skins.lock)`}</a></p></details></section>`;
}

function ownForm({ uuid, name, visibility, hidden_from }: FullSet['set']): Html {
  return html`<section class="panel"><h2>${say`Change this set`}</h2><form method="post" action="${PATH}/${uuid}"><div class="row">
<div><label for="name">${say`Name`}</label><input id="name" name="name" maxlength="48" required pattern="[A-Za-z0-9_.\\- ]+" value="${name}" title="${NAME_RULE}"></div>
${hidden_from === null ? html`<div><label for="visibility">${say`Visibility`}</label><select id="visibility" name="visibility">${options(VISIBILITIES, visibility)}</select></div>` : html`<p class="problem">${say`The operator of this server has hidden this set.`}</p>`}
<div class="end"><button name="act" value="save">${say`Save`}</button></div></div></form>
${confirmed(say`Delete this set`, {
  about: name,
  path: `${PATH}/${uuid}`,
  fields: { act: 'delete' },
  warning: say`The skins stay.`,
  button: say`Delete it`,
})}</section>`;
}

type FileCall = PageCall<z.output<typeof params>>;

function fileRoute(file: string, handle: (call: FileCall) => ReturnType<typeof skinsAnswer>): PageRoute {
  return pageFor('callers', `${PATH}/:set/${file}`, { params }, handle);
}

async function setOf({ context, caller, params }: FileCall): Promise<FullSet> {
  return await readSet(context, caller, params.set);
}
