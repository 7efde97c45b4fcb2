import { z } from 'zod';
import { newUuid } from '../base/text.ts';
import { count, type Html, html, say, separated } from '../html/html.ts';
import { setNameSchema } from '../protocol/set.ts';
import { tagSchema, uuidSchema } from '../protocol/skin.ts';
import { hasScope } from '../server/service/callers.ts';
import { readPublicSkins, readRandomSkins, type SkinList } from '../server/service/skins/skins.ts';
import {
  ARMS_OR_ALL,
  options,
  type Page,
  SELECT_ALL,
  SELECTED,
  searchForm,
  selectionToSet,
  skinCards,
  skinCount,
  skinSelector,
  titleOf,
} from './frame.ts';
import { missingForSet, toSet } from './new-set.ts';
import {
  addressWith,
  formFor,
  listField,
  optionalField,
  type PageCall,
  type PageRoute,
  pageFor,
  seeOther,
} from './page-route.ts';
import { likeCount, tagLinks } from './tags-and-likes.ts';

/** Skins per page: full rows of two, three, six and nine. With all pictures, a page weighs less than 70 KB. */
const SIZE = 18;
/** Earlier pages that a page leads back to, one by one. */
const MAX_BACK = 40;
/** Between the places of earlier pages. */
const NEXT_PLACE = '~';

const PATH = '/ui/gallery';

const SORTS = {
  newest: say`Newest`,
  week: say`Popular this week`,
  popular: say`Most viewed`,
  random: say`Random`,
} as const;
const CAPES = { '': say`All`, true: say`With a cape`, false: say`Without a cape` } as const;
const SIGNERS = { '': say`All`, game: say`Mojang`, service: say`A service` } as const;

type Sort = keyof typeof SORTS;

const query = z.object({
  sort: z.enum(Object.keys(SORTS) as [Sort, ...Sort[]]).default('newest'),
  filter: optionalField(z.string().max(48)),
  variant: optionalField(z.enum(['classic', 'slim'])),
  cape: optionalField(z.enum(['true', 'false'])),
  signer: optionalField(z.enum(['game', 'service'])),
  tag: optionalField(tagSchema),
  /** Which of the random skins: the same address shows the same ones. */
  seed: optionalField(z.string().regex(/^\w{1,16}$/)),
  after: z
    .string()
    .regex(/^\d{1,15}(?:\.\d{1,15})?$/)
    .optional(),
  /** Where the pages before began, the last one first. */
  back: z
    .string()
    .max(2_000)
    .regex(/^[\d.~]*$/)
    .default(''),
});

type Query = z.output<typeof query>;
type Choice = Omit<Query, 'after' | 'back'>;

const selectionFields = z.object({
  /** The query of the page that they were selected on. */
  place: z.preprocess((text) => Object.fromEntries(new URLSearchParams(String(text))), query),
  skin: listField(uuidSchema).pipe(z.array(z.string()).max(SIZE)),
  set: optionalField(setNameSchema),
});

export const GALLERY_PAGES: readonly PageRoute[] = [
  pageFor(
    'callers',
    PATH,
    { isSafeToCompress: true, query }, // like the start page
    async (call) => {
      const { sort, seed } = call.query;
      if (sort === 'random' && seed === undefined)
        return seeOther(addressOf({ seed: newUuid().slice(0, 8), sort }));
      return await galleryPage(call);
    },
  ),
  // Puts selected skins into a set of the person.
  formFor('skins', PATH, { fields: selectionFields }, async (call) => {
    const { place, skin: skins, set } = call.fields;
    const problem = missingForSet(skins, set);
    if (set !== undefined && !problem) return await toSet(call, { name: set, skins });
    const selection = { skins, set, problem };
    return { ...(await galleryPage({ ...call, query: place }, selection)), status: 400 };
  }),
];

/** What a person has selected for a set, and what is missing. */
interface Selection {
  readonly skins: readonly string[];
  readonly set: string | undefined;
  readonly problem: Html | undefined;
}

type GalleryList = Pick<SkinList, 'skins' | 'next' | 'total'>;

async function readGallery({ context, caller, query }: PageCall<unknown, Query>): Promise<GalleryList> {
  const { sort, seed = '', back: _, ...filters } = query;
  if (sort === 'random') return { skins: await readRandomSkins(context, SIZE, seed), next: undefined };
  const page = { sort, size: SIZE, startsOver: true, counts: true };
  return await readPublicSkins(context, caller, { ...filters, ...page });
}

async function galleryPage(call: PageCall<unknown, Query>, selection?: Selection): Promise<Page> {
  const { context, caller, session } = call;
  const { after, back, seed, ...wanted } = call.query;
  const choice = wanted.sort === 'random' ? { sort: wanted.sort, seed } : wanted; // random ones are of all
  const { skins, next, total } = await readGallery(call);
  const { sort, filter, tag }: Choice = choice;
  const canSelect = session !== undefined && hasScope(caller, 'skins');
  const page = pageNumber({ after, back });
  const shown = [tag, filter, sort !== 'newest' && SORTS[sort], page > 1 && say`page ${count(page)}`];
  return {
    title: titleOf(say`Gallery`, shown),
    // Searches and further pages are for people.
    isIndexed: after === undefined && addressOf(choice) === PATH,
    head: html`<link rel="canonical" href="${`${context.publicUrl()}${PATH}`}">
<link rel="alternate" type="application/atom+xml" href="/ui/gallery.atom" title="${say`Newest skins`}">\n`,
    body: html`${selection && html`<p class="problem" role="alert">${selection.problem}</p>`}
${gallerySearch(choice)}
${after === undefined && (await tagLinks(context))}
${total !== undefined && total > 0 && html`<p class="quiet">${separated(', ', [skinCount(total), total > SIZE && say`page ${count(page)} of ${count(Math.ceil(total / SIZE))}`])}</p>`}
${skins.length === 0 ? nothing(choice, next !== undefined) : canSelect ? selectableCards(skins, addressOf(choice, { after, back }), selection) : html`<div class="gallery">${skinCards(skins, liked)}</div>`}
${turning(choice, { next, after, back })}`,
  };
}

/** Counted by the pages that it leads back to. */
function pageNumber({ after, back }: Pick<Place, 'after' | 'back'>): number {
  if (after === undefined) return 1;
  return back === '' ? 2 : back.split(NEXT_PLACE).length + 2;
}

/** For people who may put skins into sets. `address`: of the page. */
function selectableCards(
  skins: GalleryList['skins'],
  address: string,
  selection: Selection | undefined,
): Html {
  const below = (skin: GalleryList['skins'][number]) =>
    html`${skinSelector(skin, { isSelected: selection?.skins.includes(skin.uuid) ?? false })}${liked(skin)}`;
  return html`<form class="gallery" method="post" action="${PATH}" data-select><input type="hidden" name="place" value="${address.split('?')[1]}">
${SELECT_ALL}${skinCards(skins, below)}
<div class="panel bulk">${SELECTED}${selectionToSet(selection?.set)}</div></form>`;
}

function liked({ likes }: { readonly likes: number }): Html | undefined {
  return likes > 0 ? html`<p class="quiet">${likeCount(likes)}</p>` : undefined;
}

interface Place {
  readonly next: string | undefined;
  readonly after: string | undefined;
  readonly back: string;
}

/** Links to the pages around this one. */
function turning(choice: Choice, { next, after, back }: Place): Html | undefined {
  if (choice.sort === 'random')
    return html`<p class="more"><a class="button" href="${addressOf({ sort: choice.sort })}">${say`Show others`}</a></p>`;
  if (next === undefined && after === undefined) return undefined;
  const earlier = back === '' ? [] : back.split(NEXT_PLACE);
  const [before, ...others] = earlier;
  const previous = addressOf(choice, { after: before, back: others.join(NEXT_PLACE) });
  const places = [after ?? '', ...earlier].slice(0, MAX_BACK);
  return html`<nav class="more turning" aria-label="${say`Pages`}">
${after !== undefined && html`<a class="button" rel="prev" href="${previous}">${say`Previous page`}</a>`}
${next !== undefined && html`<a class="button" rel="next" href="${addressOf(choice, { after: next, back: places.join(NEXT_PLACE) })}">${say`Next page`}</a>`}
</nav>`;
}

/** `isMore`: the search has not covered all skins yet. */
function nothing(choice: Choice, isMore: boolean): Html {
  if (isMore) return html`<p class="empty">${say`No matches so far. There are more skins to search.`}</p>`;
  const { sort, seed: _, ...filters } = choice;
  if (Object.values(filters).some(Boolean))
    return html`<p class="empty">${say`No skins match. <a href="${PATH}">Show all skins.</a>`}</p>`;
  return sort === 'week'
    ? html`<p class="empty">${say`Nobody has looked at a skin this week. <a href="${PATH}">Show the newest.</a>`}</p>`
    : html`<p class="empty">${say`There are no public skins yet. <a href="${'/ui/make'}">Make the first one.</a>`}</p>`;
}

function gallerySearch({ sort, filter, variant, cape, signer, tag }: Choice): Html {
  const isNarrow = sort !== 'newest' || [variant, cape, signer, tag].some(Boolean);
  return searchForm(
    PATH,
    { filter, isNarrow },
    html`<div><label for="sort">${say`Order`}</label><select id="sort" name="sort">${options(SORTS, sort)}</select></div>
<div><label for="tag">${say`Tag`}</label><input id="tag" name="tag" maxlength="32" value="${tag}"></div>
<div><label for="arms">${say`Arms`}</label><select id="arms" name="variant">${options(ARMS_OR_ALL, variant)}</select></div>
<div><label for="cape">${say`Cape`}</label><select id="cape" name="cape">${options(CAPES, cape)}</select></div>
<div><label for="signer">${say`Signed by`}</label><select id="signer" name="signer">${options(SIGNERS, signer)}</select></div>`,
  );
}

/** The usual is left out. */
function addressOf(choice: Choice, place: Partial<Pick<Place, 'after' | 'back'>> = {}): `/ui${string}` {
  return addressWith(PATH, { ...choice, sort: choice.sort === 'newest' ? '' : choice.sort, ...place });
}
