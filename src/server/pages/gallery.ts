import { z } from 'zod';
import { readPublicSkins } from '../service/skins/skins.ts';
import { type Page, type SkinCard, skinCards, terminalOf } from './frame.ts';
import { type Html, html } from './html.ts';
import { pageRoute } from './page-route.ts';

/** Skins per page, which weighs less than 60 KB with all pictures. */
const SIZE = 20;

const text = (max: number) => z.string().max(max).optional();

export const galleryRoute = pageRoute({
  method: 'GET',
  path: '/ui/gallery',
  isFor: 'callers',
  query: z.object({
    sort: z.enum(['newest', 'popular']).default('newest'),
    filter: text(48),
    variant: z.enum(['', 'classic', 'slim']).default(''),
    after: text(64),
  }),
  handle: async ({ context, caller, query }) => {
    const { sort, filter, variant, after } = query;
    const { skins, next } = await readPublicSkins(context, caller, {
      size: SIZE,
      after,
      filter: filter || undefined,
      variant: variant || undefined,
      sort: sort === 'popular' ? sort : undefined,
    });
    return galleryPage({ skins, next, sort, filter: filter ?? '', variant, origin: context.publicUrl() });
  },
});

interface Choice {
  readonly sort: 'newest' | 'popular';
  /** Text that the names contain; empty: all skins. */
  readonly filter: string;
  readonly variant: '' | 'classic' | 'slim';
}

export interface GalleryView extends Choice {
  readonly skins: readonly SkinCard[];
  /** `after` of the next page. */
  readonly next: string | undefined;
  readonly origin: string;
}

export function galleryPage({ skins, next, origin, ...choice }: GalleryView): Page {
  return {
    title: 'Gallery',
    // Searches and further pages are for people.
    isIndexed: choice.filter === '' && choice.variant === '',
    head: html`<link rel="canonical" href="${`${origin}/ui/gallery`}">
<link rel="alternate" type="application/atom+xml" href="/ui/gallery.atom" title="Newest skins">\n`,
    body: html`${searchForm(choice)}
${skins.length > 0 ? skinCards(skins, { look: 'front' }) : nothing(choice, next !== undefined)}
${next !== undefined && html`<p class="more"><a class="button" href="${addressOf({ ...choice, after: next })}">More skins</a></p>`}`,
    terminal: terminalOf('skinsmith skins list --public', origin, '/v2/skins'),
  };
}

/** `isMore`: the search has not covered all skins yet. */
function nothing({ filter, variant }: Choice, isMore: boolean): Html {
  if (isMore) return html`<p class="empty">No matches so far. There are more skins to search.</p>`;
  return filter === '' && variant === ''
    ? html`<p class="empty">There are no public skins yet. <a href="/ui/make">Make the first one.</a></p>`
    : html`<p class="empty">No skins match. <a href="/ui/gallery">Show all skins.</a></p>`;
}

function searchForm({ sort, filter, variant }: Choice): Html {
  const option = (value: string, label: string, chosen: string) =>
    html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;
  return html`<search><form method="get" action="/ui/gallery"><div class="row">
<div><label for="filter">Name contains</label><input id="filter" type="search" name="filter" maxlength="48" value="${filter}"></div>
<div><label for="sort">Order</label><select id="sort" name="sort">${option('newest', 'Newest', sort)}${option('popular', 'Popular', sort)}</select></div>
<div><label for="arms">Arms</label><select id="arms" name="variant">${option('', 'All', variant)}${option('classic', 'Classic', variant)}${option('slim', 'Slim', variant)}</select></div>
<div class="end"><button>Search</button></div></div></form></search>`;
}

function addressOf(query: Choice & { readonly after: string }): string {
  return `/ui/gallery?${new URLSearchParams({ ...query })}`;
}
