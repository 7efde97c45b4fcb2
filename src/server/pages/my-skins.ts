import { z } from 'zod';
import {
  MAX_BULK,
  SKIN_NAME_RULE,
  skinNameSchema,
  skinPackQuerySchema,
  uuidSchema,
  visibilitySchema,
} from '../../protocol/skin.ts';
import { exportAnswer, skinPackAnswer } from '../http/downloads.ts';
import { deleteSkins, editSkins } from '../service/skins/changes.ts';
import { packSkins, type SkinPack } from '../service/skins/skin-pack.ts';
import { readOwnSkins } from '../service/skins/skins.ts';
import { copyField, day, options, type Page, type SkinCard, skinCards, terminalOf } from './frame.ts';
import { type Html, html } from './html.ts';
import { listField, optionalField, type PageRoute, pageRoute, seeOther } from './page-route.ts';
import { PACK_NAMESPACE } from './skin-uses.ts';

const PATH = '/ui/skins';
/** Skins per page. */
const SIZE = 48;

const query = z.object({
  sort: z.enum(['newest', 'popular']).default('newest'),
  filter: z.string().max(48).default(''),
  visibility: z.union([z.literal(''), visibilitySchema]).default(''),
  variant: z.enum(['', 'classic', 'slim']).default(''),
  after: z.string().max(64).optional(),
  changed: z.coerce.number().int().min(0).max(MAX_BULK).optional().catch(undefined),
  deleted: z.coerce.number().int().min(0).max(MAX_BULK).optional().catch(undefined),
});

export const mySkinsRoute = pageRoute({
  method: 'GET',
  path: PATH,
  isFor: 'users',
  scopes: ['read'],
  query,
  handle: async ({ context, caller, query: { after, changed, deleted, ...choice } }) => {
    const { sort, filter, visibility, variant } = choice;
    const list = await readOwnSkins(context, caller, {
      size: SIZE,
      after,
      filter: filter || undefined,
      visibility: visibility || undefined,
      variant: variant || undefined,
      sort: sort === 'popular' ? sort : undefined,
    });
    const { skins, next, total } = list;
    return mySkinsPage({
      skins,
      next,
      total,
      ...choice,
      done: doneOf(changed, deleted),
      origin: context.publicUrl(),
    });
  },
});

function doneOf(changed: number | undefined, deleted: number | undefined) {
  if (changed !== undefined) return { act: 'changed', count: changed } as const;
  return deleted === undefined ? undefined : ({ act: 'deleted', count: deleted } as const);
}

/** The files of /v2/me/skins.zip and .lock for the person who is signed in. Empty search fields are left out. */
export const exportPageRoutes: readonly PageRoute[] = (['zip', 'lock'] as const).map((kind) => {
  const path = `${PATH}/export.${kind}` as const;
  return pageRoute({
    method: 'GET',
    path,
    isFor: 'users',
    scopes: ['read'],
    query: query.pick({ filter: true, visibility: true, variant: true, after: true }),
    handle: async ({ query: { after, filter, visibility, variant }, ...call }) => {
      const chosen = {
        after,
        filter: filter || undefined,
        visibility: visibility || undefined,
        variant: variant || undefined,
      };
      return await exportAnswer(kind, path, { ...call, query: chosen });
    },
  });
});

/** The file of /v2/skins/pack.zip for the person who is signed in, who has private skins too. */
export const skinPackPageRoute = pageRoute({
  method: 'GET',
  path: `${PATH}/pack.zip`,
  isFor: 'users',
  scopes: ['read'],
  query: skinPackQuerySchema,
  handle: async ({ context, caller, query }) => await skinPackAnswer(context, caller, query),
});

const formSchema = z.object({
  act: z.enum(['change', 'pack', 'delete', 'delete-for-good']),
  skin: listField(uuidSchema).pipe(z.array(z.string()).max(MAX_BULK)),
  visibility: optionalField(visibilitySchema),
  name: optionalField(skinNameSchema),
});

export const mySkinsFormRoute = pageRoute({
  method: 'POST',
  path: PATH,
  isFor: 'users',
  scopes: ['skins'],
  handle: async ({ context, caller, request }) => {
    const { act, skin: skins, visibility, name } = formSchema.parse(request.body ?? {});
    if (skins.length === 0) return nothingToDoPage('No skins selected.');
    if (act === 'pack') {
      const pack = await packSkins(context, caller, { ids: skins, namespace: PACK_NAMESPACE });
      return skinPackPage(skins, pack, context.publicUrl());
    }
    if (act === 'delete') return deleteSkinsPage(skins, context.publicUrl());
    if (act === 'delete-for-good') {
      const { done } = await deleteSkins(context, caller, skins);
      return seeOther(`${PATH}?deleted=${done.length}`);
    }
    if (visibility === undefined && name === undefined)
      return nothingToDoPage('Choose a visibility or a new name.');
    const { done } = await editSkins(context, caller, { skins, visibility, name });
    return seeOther(`${PATH}?changed=${done.length}`);
  },
});

/** One of the visitor's own skins. */
export interface OwnSkin extends SkinCard {
  /** Milliseconds since the epoch. */
  readonly skin_created_at: number;
  readonly views: number;
  /** Its visibility before an operator hid it; null: not hidden. */
  readonly hidden_from: string | null;
}

interface Choice {
  readonly sort: 'newest' | 'popular';
  /** Text that the names contain; empty: all skins. */
  readonly filter: string;
  readonly visibility: '' | SkinCard['visibility'];
  readonly variant: '' | 'classic' | 'slim';
}

export interface MySkinsView extends Choice {
  readonly skins: readonly OwnSkin[];
  /** `after` of the next page. */
  readonly next: string | undefined;
  /** Skins on all pages, if known. */
  readonly total: number | undefined;
  /** What the last form did. */
  readonly done: BulkResult | undefined;
  readonly origin: string;
}

/** How many skins a form changed or deleted. */
export interface BulkResult {
  readonly act: 'changed' | 'deleted';
  readonly count: number;
}

const SORTS = { newest: 'Newest', popular: 'Most viewed' } as const;
const ARMS = { '': 'All', classic: 'Classic', slim: 'Slim' } as const;
const VISIBILITIES = { public: 'Public', unlisted: 'Unlisted', private: 'Private' } as const;

export function mySkinsPage({ skins, next, total, done, origin, ...choice }: MySkinsView): Page {
  return {
    title: 'My skins',
    body: html`${done && html`<p class="done" role="status">${done.count} ${done.count === 1 ? 'skin' : 'skins'} ${done.act}.</p>`}
${searchForm(choice)}
${total !== undefined && html`<p class="quiet">${total} ${total === 1 ? 'skin' : 'skins'}</p>`}
${skins.length > 0 && exportLinks(choice)}
${skins.length > 0 ? bulkForm(skins) : nothing(choice)}
${next !== undefined && html`<p class="more"><a class="button" href="${PATH}?${new URLSearchParams({ ...choice, after: next }).toString()}">More skins</a></p>`}`,
    terminal: terminalOf('skinsmith skins list', origin, '/v2/me/skins'),
  };
}

function nothing({ filter, visibility, variant }: Choice): Html {
  return filter || visibility || variant
    ? html`<p class="empty">No skins match. <a href="${PATH}">Clear the search.</a></p>`
    : html`<p class="empty">You have no skins yet. <a href="/ui/make">Make your first one.</a></p>`;
}

function searchForm({ sort, filter, visibility, variant }: Choice): Html {
  return html`<search><form method="get" action="${PATH}"><div class="row">
<div><label for="filter">Name contains</label><input id="filter" type="search" name="filter" maxlength="48" value="${filter}"></div>
<div><label for="who">Visibility</label><select id="who" name="visibility">${options({ '': 'All', ...VISIBILITIES }, visibility)}</select></div>
<div><label for="arms">Arms</label><select id="arms" name="variant">${options(ARMS, variant)}</select></div>
<div><label for="sort">Order</label><select id="sort" name="sort">${options(SORTS, sort)}</select></div>
<div class="end"><button>Search</button></div></div></form></search>`;
}

/** Files of all matching skins, not only those on this page. */
function exportLinks({ filter, visibility, variant }: Choice): Html {
  const query = new URLSearchParams({ filter, visibility, variant }).toString();
  return html`<p class="acts">Download ${filter || visibility || variant ? 'all matches' : 'all'}:
<a href="${PATH}/export.zip?${query}" download>pictures and data (zip)</a>
<a href="${PATH}/export.lock?${query}" download>data only (skins.lock)</a></p>`;
}

/** One form for everything, so that selected skins can be changed or deleted without scripts. */
function bulkForm(skins: readonly OwnSkin[]): Html {
  return html`<form method="post" action="${PATH}" data-select>
${skinCards(skins, { below: selector })}
<div class="panel bulk"><p><button type="button" class="quiet-button" data-select-all hidden>Select all</button></p>
<div class="row"><div><label for="visibility">Visibility<span class="unseen"> of the selected skins</span></label><select id="visibility" name="visibility">${options({ '': 'Unchanged', ...VISIBILITIES }, '')}</select></div>
<div><label for="name">New name</label><input id="name" name="name" maxlength="48" pattern="[A-Za-z0-9_.\\- ]*" title="Names may contain ${SKIN_NAME_RULE}." autocomplete="off"></div></div>
<div class="acts"><button name="act" value="change">Change selected</button>
<button name="act" value="pack" class="quiet-button">Resource pack of selected</button>
<button name="act" value="delete" class="quiet-button danger">Delete selected</button></div></div></form>`;
}

/** What a game server needs of a resource pack. */
function skinPackPage(
  skins: readonly string[],
  { sha1, isPublic }: Pick<SkinPack, 'sha1' | 'isPublic'>,
  origin: string,
): Page {
  const path = `/v2/skins/pack.zip?ids=${skins.join()}`;
  const lines = `resource-pack=${origin}${path}\nresource-pack-sha1=${sha1}`;
  return {
    title: `Resource pack of ${skins.length === 1 ? 'this skin' : `these ${skins.length} skins`}`,
    body: html`<p class="lead">Minecraft 1.21.9 and later show these skins on heads and mannequins, without a signature.</p>
<p><a class="button" href="${PATH}/pack.zip?ids=${skins.join()}" download="pack.zip">Download the pack</a></p>
${
  isPublic
    ? html`<dl class="copyable">${copyField('For server.properties', lines)}
${copyField('SHA-1, which changes with the skins', sha1)}</dl>`
    : html`<p class="problem">Game clients cannot fetch this pack from here, because a skin in it is private. Make it unlisted or public, or host the file elsewhere.</p>`
}
<p class="quiet">The file <code>skins.json</code> in the pack tells which skin has which name.</p>
<p><a href="${PATH}">Back to my skins</a></p>`,
    terminal: terminalOf('skinsmith skins list', origin, path),
  };
}

function selector({ uuid, name, visibility, skin_created_at, views, hidden_from }: OwnSkin): Html {
  const called = name ?? uuid.slice(0, 8);
  return html`<label class="check"><input type="checkbox" name="skin" value="${uuid}" aria-label="Select ${called}"> Select</label>
<p class="quiet">${hidden_from === null ? VISIBILITIES[visibility] : 'Hidden by the operator'}, ${day(skin_created_at)}, ${views} ${views === 1 ? 'view' : 'views'}</p>`;
}

/** Asks for confirmation before skins are deleted. */
export function deleteSkinsPage(skins: readonly string[], origin: string): Page {
  const isOne = skins.length === 1;
  return {
    title: `Delete ${isOne ? 'this skin' : `these ${skins.length} skins`}?`,
    body: html`<form class="panel" method="post" action="${PATH}">
<p class="links">${skins.map(shown)}</p>
<p>${isOne ? 'This deletes its page and its data.' : 'This deletes their pages and their data.'} Copies of the data keep working.</p>
${skins.map((uuid) => html`<input type="hidden" name="skin" value="${uuid}">`)}
<div class="acts"><button name="act" value="delete-for-good" class="danger">Delete for good</button> <a href="${PATH}">${isOne ? 'Keep it' : 'Keep them'}</a></div></form>`,
    terminal: terminalOf(`skinsmith skins delete ${skins[0]}`, origin, `/v2/skins/${skins[0]}`, '-X DELETE'),
  };
}

function shown(uuid: string): Html {
  return html`<img src="/ui/skins/${uuid}/pictures/front?size=128" alt="Skin ${uuid.slice(0, 8)}" width="64" height="128" loading="lazy">`;
}

/** Says that the form selected no skins, or no change. */
export function nothingToDoPage(message: string): Page {
  return {
    status: 400,
    title: 'Nothing changed',
    body: html`<p class="lead">${message}</p><p><a class="button" href="${PATH}">Back to my skins</a></p>`,
  };
}
