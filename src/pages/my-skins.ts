import { z } from 'zod';
import { count, counted, type Html, html, say, separated } from '../html/html.ts';
import { setNameSchema } from '../protocol/set.ts';
import {
  MAX_BULK,
  skinNameSchema,
  skinPackQuerySchema,
  uuidSchema,
  visibilitySchema,
} from '../protocol/skin.ts';
import { MAX_NAME_LENGTH } from '../protocol/skin-name.ts';
import { exportAnswer, skinPackAnswer } from '../server/http/downloads.ts';
import { hasScope, requireScope } from '../server/service/callers.ts';
import { deleteSkins, editSkins, ownSkinsAmong, type SkinEditOf } from '../server/service/skins/changes.ts';
import { packSkins, type SkinPack } from '../server/service/skins/skin-pack.ts';
import { readOwnSkins } from '../server/service/skins/skins.ts';
import type { SkinWithData } from '../server/store/skins.ts';
import {
  ARMS_OR_ALL,
  copyField,
  day,
  NAME_RULE,
  options,
  type Page,
  SELECT_ALL,
  SELECTED,
  type SkinCard,
  searchForm,
  selectionToSet,
  skinCards,
  skinCount,
  skinSelector,
  titleOf,
  VISIBILITIES,
} from './frame.ts';
import { toSet } from './new-set.ts';
import {
  addressWith,
  formFor,
  type LocalPath,
  listField,
  optionalField,
  type PageCall,
  type PageRoute,
  pageFor,
  seeOther,
} from './page-route.ts';
import { PACK_NAMESPACE } from './skin-uses.ts';

const PATH = '/ui/skins';
/** Skins per page. With all pictures, it weighs less than 70 KB. */
const SIZE = 16;

const query = z.object({
  sort: z.enum(['newest', 'popular']).default('newest'),
  filter: optionalField(z.string().max(48)),
  visibility: optionalField(visibilitySchema),
  variant: optionalField(z.enum(['classic', 'slim'])),
  after: z.string().max(64).optional(),
  changed: z.coerce.number().int().min(0).max(MAX_BULK).optional().catch(undefined),
  deleted: z.coerce.number().int().min(0).max(MAX_BULK).optional().catch(undefined),
});

/** The part of the list that a form was on, as the query of its address. */
const listSchema = z
  .string()
  .max(1_024)
  .default('')
  .transform((text) => {
    const place = query.safeParse(Object.fromEntries(new URLSearchParams(text)));
    const { changed: _, deleted: __, ...known } = place.data ?? query.parse({});
    return known;
  });

type Place = z.output<typeof listSchema>;

const formSchema = z.object({
  list: listSchema,
  act: z.enum(['enter', 'change', 'change-all', 'set', 'pack', 'delete', 'delete-for-good']),
  skin: listField(uuidSchema).pipe(z.array(z.string()).max(MAX_BULK)),
  visibility: optionalField(visibilitySchema),
  name: optionalField(skinNameSchema),
  /** Name of a set. */
  set: optionalField(setNameSchema),
});

/** The files of /v2/me/skins.zip and .lock for the person who is signed in. */
const exportPageRoutes: readonly PageRoute[] = (['zip', 'lock'] as const).map((kind) => {
  const path = `${PATH}/export.${kind}` as const;
  return pageFor(
    'read',
    path,
    { query: query.pick({ filter: true, visibility: true, variant: true, after: true }) },
    async (call) => await exportAnswer(kind, path, call),
  );
});

export const MY_SKINS_PAGES: readonly PageRoute[] = [
  pageFor('read', PATH, { query }, async (call) => {
    const { changed, deleted, ...place } = call.query;
    return await mySkinsPage(call, place, { done: doneOf(changed, deleted) });
  }),
  formFor('skins', PATH, { fields: formSchema }, async (call) => {
    const { context, caller, fields: form } = call;
    const { list, skin: skins, set, act: _, ...change } = form;
    const act = actOf(form);
    const missing = missingIn(form, act);
    if (missing) {
      requireScope(caller, 'read'); // as the list does, which is shown again
      const page = await mySkinsPage(call, list, { selected: skins, ...change, set, missing });
      return { ...page, status: 400 };
    }
    if (act === 'pack') {
      const { signal } = call.request;
      const pack = await packSkins(context, caller, { ids: skins, namespace: PACK_NAMESPACE, signal });
      return skinPackPage(skins, pack, { origin: context.publicUrl(), back: listAddress(list) });
    }
    if (act === 'set') return await toSet(call, { name: set ?? '', skins });
    if (act === 'delete') return deleteSkinsPage(skins, list);
    if (act === 'delete-for-good') {
      const { done } = await deleteSkins(context, caller, skins);
      return seeOther(listAddress(list, { deleted: String(done.length) }));
    }
    if (act === 'change' && skins.length > 1) {
      const own = await ownSkinsAmong(context, caller, skins);
      if (own.length > 0) return changeSkinsPage(own, change, list);
    }
    const { done } = await editSkins(context, caller, editsOf(skins, change));
    return seeOther(listAddress(list, { changed: String(done.length) }));
  }),
  ...exportPageRoutes,
  // The file of /v2/skins/pack.zip for the person who is signed in, who has private skins too.
  pageFor('read', `${PATH}/pack.zip`, { query: skinPackQuerySchema }, async (call) => {
    return await skinPackAnswer(call, call.query);
  }),
];

/** How many skins the last form changed or deleted. */
function doneOf(changed: number | undefined, deleted: number | undefined): Html | undefined {
  if (changed !== undefined)
    return counted(changed, {
      one: say`${count(changed)} skin changed.`,
      other: say`${count(changed)} skins changed.`,
    });
  if (deleted === undefined) return undefined;
  return counted(deleted, {
    one: say`${count(deleted)} skin deleted.`,
    other: say`${count(deleted)} skins deleted.`,
  });
}

function listAddress({ sort, ...place }: Place, more: Readonly<Record<string, string>> = {}): LocalPath {
  return addressWith(PATH, { sort: sort === 'newest' ? '' : sort, ...place, ...more });
}

/** The place in the list, for the form that leads back there. */
function placeField(place: Place): Html {
  return html`<input type="hidden" name="list" value="${listAddress(place).split('?')[1]}">`;
}

type Form = z.output<typeof formSchema>;
type Change = Pick<Form, 'visibility' | 'name'>;

/** Without scripts, Enter tells not in which field it was pressed: the one with a text. `enter`: several or none. */
function actOf({ act, set, name }: Form): Form['act'] {
  if (act !== 'enter' || (set === undefined) === (name === undefined)) return act;
  return set === undefined ? 'change' : 'set';
}

/** What the person has to do first, if anything. */
function missingIn({ skin: skins, set, visibility, name }: Form, act: Form['act']): Html | undefined {
  if (skins.length === 0) return say`Select skins first.`;
  if (act === 'enter') return say`Press the button for what you want to do with the selected skins.`;
  if (act === 'set' && set === undefined) return say`Type the name of a new or existing set first.`;
  const isEmpty = act.startsWith('change') && visibility === undefined && name === undefined;
  return isEmpty ? say`Choose a visibility or a new name first.` : undefined;
}

/** A change of skins: a new name is numbered where there are several, and cut where the numbers make it too long. */
function editsOf(skins: readonly string[], { name, visibility }: Change): SkinEditOf[] {
  const end = skins.length === 1 ? 0 : ` ${skins.length}`.length;
  const base = name?.slice(0, MAX_NAME_LENGTH - end).trimEnd();
  return skins.map((uuid, index) => ({
    uuid,
    visibility,
    name: base !== undefined && end > 0 ? `${base} ${index + 1}` : base,
  }));
}

/** One of the visitor's own skins. */
type OwnSkin = SkinCard & Pick<SkinWithData, 'skin_created_at' | 'views' | 'hidden_from'>;

/** Which skins the list has; an empty field: all. */
type Choice = Omit<Place, 'after'>;

/** The last form: what it did or lacked, which skins were selected in it, and what was to become of them. */
interface LastForm extends Partial<Change & Pick<Form, 'set'>> {
  readonly done?: Html | undefined;
  readonly missing?: Html;
  readonly selected?: readonly string[];
}

const SORTS = { newest: say`Newest`, popular: say`Most viewed` } as const;

async function mySkinsPage({ context, caller }: PageCall, place: Place, last: LastForm): Promise<Page> {
  const { done, missing } = last;
  const { after: _, ...choice } = place;
  const { filter, visibility, variant } = choice;
  const { skins, next, total } = await readOwnSkins(context, caller, { ...place, size: SIZE });
  const cards = () => (hasScope(caller, 'skins') ? bulkForm(skins, place, last) : skinCards(skins));
  const shown = [filter, visibility && VISIBILITIES[visibility], variant && ARMS_OR_ALL[variant]];
  return {
    title: titleOf(say`My skins`, shown),
    body: html`<p class="quiet"><a href="/ui/jobs">${say`My jobs`}</a></p>
${done && html`<p class="done" role="status">${done}</p>`}
${missing && html`<p class="problem" role="alert">${missing}</p>`}
${mySearch(choice)}
${total !== undefined && total > 0 && html`<p class="quiet">${skinCount(total)}</p>`}
${skins.length > 0 && exportLinks(choice)}
${skins.length === 0 ? nothing(choice) : cards()}
${next !== undefined && html`<p class="more"><a class="button" href="${listAddress({ ...choice, after: next })}">${say`More skins`}</a></p>`}`,
  };
}

function nothing({ filter, visibility, variant }: Choice): Html {
  return filter || visibility || variant
    ? html`<p class="empty">${say`No skins match. <a href="${PATH}">Clear the search.</a>`}</p>`
    : html`<p class="empty">${say`You have no skins yet. <a href="/ui/make">Make your first one.</a>`}</p>`;
}

function mySearch({ sort, filter, visibility, variant }: Choice): Html {
  const isNarrow = sort !== 'newest' || visibility !== undefined || variant !== undefined;
  return searchForm(
    PATH,
    { filter, isNarrow },
    html`<div><label for="sort">${say`Order`}</label><select id="sort" name="sort">${options(SORTS, sort)}</select></div>
<div><label for="who">${say`Visibility`}</label><select id="who" name="visibility">${options<string>({ '': say`All`, ...VISIBILITIES }, visibility)}</select></div>
<div><label for="arms">${say`Arms`}</label><select id="arms" name="variant">${options(ARMS_OR_ALL, variant)}</select></div>`,
  );
}

/** Files of all matching skins, not only those on this page. */
function exportLinks({ sort: _, ...filters }: Choice): Html {
  const link = (kind: string) => addressWith(`${PATH}/export.${kind}`, filters);
  return html`<div class="acts">${Object.values(filters).some(Boolean) ? say`Download all matches:` : say`Download all:`}
<a href="${link('zip')}" download>${say`pictures and data (zip)`}</a>
<details><summary>${say`For programs`}</summary><a href="${link('lock')}" download>${say`Data only (skins.lock)`}</a></details></div>`;
}

/** Boxes put skins into any set here, and a second way on each card would make the page heavier. */
const withoutTray = () => undefined;

/** One form for everything, so that selected skins can be changed or deleted without scripts. */
function bulkForm(
  skins: readonly OwnSkin[],
  place: Place,
  { selected = [], visibility, name, set }: LastForm,
): Html {
  return html`<form method="post" action="${PATH}" data-select><button name="act" value="enter" hidden></button>${placeField(place)}
${SELECT_ALL}${skinCards(skins, (skin) => selector(skin, selected.includes(skin.uuid)), withoutTray)}
<div class="panel bulk">${SELECTED}<details open data-fold><summary>${say`Change selected`}</summary><div class="row"><div><label for="visibility">${say`Visibility<span class="unseen"> of the selected skins</span>`}</label><select id="visibility" name="visibility">${options<string>({ '': say`Unchanged`, ...VISIBILITIES }, visibility)}</select></div>
<div><label for="name">${say`New name`}</label><input id="name" name="name" maxlength="48" pattern="[A-Za-z0-9_.\\- ]*" title="${NAME_RULE}" value="${name}"></div>
<div class="end"><button name="act" value="change">${say`Change selected`}</button></div></div>
${selectionToSet(set)}
<div class="acts"><button name="act" value="pack" class="quiet-button">${say`Resource pack of selected`}</button>
<button name="act" value="delete" class="quiet-button danger">${say`Delete selected`}</button></div></details></div></form>`;
}

/** What a game server needs to use a resource pack. */
function skinPackPage(
  skins: readonly string[],
  { sha1, isPublic }: Pick<SkinPack, 'sha1' | 'isPublic'>,
  { origin, back }: { readonly origin: string; readonly back: string },
): Page {
  const path = `/v2/skins/pack.zip?ids=${skins.join()}`;
  const lines = `resource-pack=${origin}${path}\nresource-pack-sha1=${sha1}`;
  return {
    title: counted(skins.length, {
      one: say`Resource pack of this skin`,
      other: say`Resource pack of these ${count(skins.length)} skins`,
    }),
    body: html`<p class="lead">${say`Minecraft 1.21.9 and later show these skins on heads and mannequins, without a signature.`}</p>
<p><a class="button" href="${PATH}/pack.zip?ids=${skins.join()}" download="pack.zip">${say`Download the pack`}</a></p>
${
  isPublic
    ? html`<dl class="copyable">${copyField(say`For server.properties`, lines)}
${copyField(say`SHA-1, which changes with the skins`, sha1)}</dl>`
    : html`<p class="problem">${say`Minecraft cannot load this pack from here, because a skin in it is private. Make it unlisted or public, or host the file elsewhere.`}</p>`
}
<p class="quiet">${say`The file <code>skins.json</code> in the pack tells which skin has which name.`}</p>
<p><a href="${back}">${say`Back to my skins`}</a></p>`,
  };
}

function selector(skin: OwnSkin, isSelected: boolean): Html {
  const { visibility, skin_created_at, views, hidden_from } = skin;
  return html`${skinSelector(skin, { isSelected })}
<p class="quiet">${separated(', ', [
    hidden_from === null ? VISIBILITIES[visibility] : say`Hidden by the operator`,
    day(skin_created_at),
    counted(views, { one: say`${count(views)} view`, other: say`${count(views)} views` }),
  ])}</p>`;
}

/** Shows what several skins will be, and asks. */
function changeSkinsPage(skins: readonly SkinWithData[], change: Change, list: Place): Page {
  const edits = editsOf(
    skins.map(({ uuid }) => uuid),
    change,
  );
  const { name = '', visibility = '' } = change;
  const title = counted(skins.length, {
    one: say`Change this skin?`,
    other: say`Change these ${count(skins.length)} skins?`,
  });
  return {
    title,
    body: html`<form class="panel" method="post" action="${PATH}">${placeField(list)}
<input type="hidden" name="name" value="${name}"><input type="hidden" name="visibility" value="${visibility}">
<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table><thead><tr><th scope="col">${say`Before`}</th><th scope="col">${say`After`}</th></tr></thead>
<tbody>${skins.map((skin, index) => changeRow(skin, edits[index]!))}</tbody></table></div>
<div class="acts"><button name="act" value="change-all">${say`Change them`}</button> <a href="${listAddress(list)}">${say`Leave them as they are`}</a></div></form>`,
  };
}

function changeRow(before: SkinWithData, { name, visibility }: SkinEditOf): Html {
  const after = { name: name ?? before.name, visibility: visibility ?? before.visibility };
  const cell = (skin: typeof after) =>
    separated(', ', [
      html`<bdi class="breaks">${skin.name ?? before.uuid.slice(0, 8)}</bdi>`,
      visibility && VISIBILITIES[skin.visibility],
    ]);
  return html`<tr><td><input type="hidden" name="skin" value="${before.uuid}">${cell(before)}</td><td>${cell(after)}</td></tr>`;
}

/** Asks for confirmation before skins are deleted. */
function deleteSkinsPage(skins: readonly string[], list: Place): Page {
  const isOne = skins.length === 1;
  return {
    title: counted(skins.length, {
      one: say`Delete this skin?`,
      other: say`Delete these ${count(skins.length)} skins?`,
    }),
    body: html`<form class="panel" method="post" action="${PATH}">${placeField(list)}
<p class="links">${skins.map(shown)}</p>
<p>${isOne ? say`This deletes its page and its data. Copies of the data keep working.` : say`This deletes their pages and their data. Copies of the data keep working.`}</p>
${skins.map((uuid) => html`<input type="hidden" name="skin" value="${uuid}">`)}
<div class="acts"><button name="act" value="delete-for-good" class="danger">${say`Delete for good`}</button> <a href="${listAddress(list)}">${isOne ? say`Keep it` : say`Keep them`}</a></div></form>`,
  };
}

function shown(uuid: string): Html {
  return html`<img src="/ui/skins/${uuid}/pictures/front?size=128" alt="${say`Skin ${uuid.slice(0, 8)}`}" width="64" height="128" loading="lazy">`;
}
