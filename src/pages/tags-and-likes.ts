import { z } from 'zod';
import { count, counted, type Html, html, say } from '../html/html.ts';
import { MAX_TAGS, tagVoteSchema, uuidSchema } from '../protocol/skin.ts';
import { type Caller, hasScope } from '../server/service/callers.ts';
import { Refusal } from '../server/service/refusal.ts';
import { likeSkin, unlikeSkin, voteOnTag } from '../server/service/skins/changes.ts';
import type { Db } from '../server/store/db.ts';
import { frequentTags } from '../server/store/skin-search.ts';
import { hasLiked, type SkinWithData, tagsOf } from '../server/store/skins.ts';
import { actionButton, removeTag } from './frame.ts';
import { placeOfForm } from './operator-moderation.ts';
import { formFor, type PageRoute, seeOther } from './page-route.ts';

const params = z.object({ uuid: uuidSchema });
const likeFields = z.object({ act: z.enum(['like', 'unlike']) });

export const TAG_AND_LIKE_PAGES: readonly PageRoute[] = [
  formFor('skins', '/ui/skins/:uuid/like', { params, fields: likeFields }, async (call) => {
    const { context, caller, fields } = call;
    const { uuid } = call.params;
    if (fields.act === 'like') await likeOnce(context, caller, uuid);
    else await unlikeSkin(context, caller, uuid);
    return seeOther(`/ui/skins/${uuid}`);
  }),
  formFor('skins', '/ui/skins/:uuid/tags', { params, fields: tagVoteSchema }, async (call) => {
    await voteOnTag(call.context, call.caller, { ...call.fields, ...call.params });
    return seeOther(placeOfForm(call, `/ui/skins/${call.params.uuid}?saved=yes`));
  }),
];

/** In another tab, the person may have liked it before. */
async function likeOnce(
  context: Parameters<typeof likeSkin>[0],
  caller: Caller,
  uuid: string,
): Promise<void> {
  try {
    await likeSkin(context, caller, uuid);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'already_liked') throw error;
  }
}

/** The likes and tags of a skin, and what the visitor may do about them. */
export interface Reactions {
  readonly likes: number;
  readonly tags: readonly string[];
  /** `sign-in`: everyone who is signed in may like it; `no`: the person's key may not. */
  readonly like: 'like' | 'unlike' | 'sign-in' | 'no';
  readonly mayAddTags: boolean;
  readonly mayRemoveTags: boolean;
}

export async function readReactions(
  { db }: { readonly db: Db },
  caller: Caller,
  skin: SkinWithData,
): Promise<Reactions> {
  const may = caller.kind === 'user' && hasScope(caller, 'skins');
  const isOwn = skin.owner === caller.owner;
  const isLiked = may && (await hasLiked(db, skin.id, caller.owner));
  return {
    likes: skin.likes,
    tags: tagsOf(skin),
    like: may ? (isLiked ? 'unlike' : 'like') : caller.kind === 'user' ? 'no' : 'sign-in',
    mayAddTags: may && isOwn,
    mayRemoveTags: may && (isOwn || caller.isOperator),
  };
}

export function reactions(uuid: string, view: Reactions): Html {
  const { tags, mayAddTags } = view;
  return html`<div class="reactions"><div class="acts">${likeButton(uuid, view)} <span class="quiet">${likeCount(view.likes)}</span></div>
${tags.length > 0 && html`<ul class="tags" aria-label="${say`Tags`}">${tags.map((tag) => html`<li>${tagLink(tag)}${view.mayRemoveTags && removeTag(uuid, tag)}</li>`)}</ul>`}
${mayAddTags && tags.length < MAX_TAGS && tagForm(uuid)}</div>`;
}

function likeButton(uuid: string, { like }: Reactions): Html | false {
  if (like === 'no') return false;
  if (like === 'sign-in') {
    const query = new URLSearchParams({ next: `/ui/skins/${uuid}` });
    return html`<a class="button quiet-button" href="/ui/sign-in?${query.toString()}">${say`Sign in to like it`}</a>`;
  }
  const label = like === 'like' ? say`Like` : say`Unlike`;
  return actionButton(`/ui/skins/${uuid}/like`, label, { about: say`this skin`, fields: { act: like } });
}

export function likeCount(likes: number): Html {
  return counted(likes, { one: say`${count(likes)} like`, other: say`${count(likes)} likes` });
}

function tagLink(tag: string): Html {
  return html`<a href="/ui/gallery?${new URLSearchParams({ tag }).toString()}">${tag}</a>`;
}

function tagForm(uuid: string): Html {
  return html`<details><summary>${say`Add a tag`}</summary><form method="post" action="/ui/skins/${uuid}/tags"><input type="hidden" name="vote" value="up"><div class="row">
<div><label for="tag">${say`Tag`}</label><input id="tag" name="tag" required maxlength="32" pattern="[A-Za-z]([A-Za-z \\-]*[A-Za-z])?" title="${say`Tags may contain a-z, spaces and -.`}"></div>
<div class="end"><button class="quiet-button">${say`Add`}</button></div></div></form></details>`;
}

/** Skins whose tags the gallery offers, and tags there. */
const OFFERED = { among: 1_000, size: 12 } as const;

/** Links to the skins with frequent tags. */
export async function tagLinks({ db }: { readonly db: Db }): Promise<Html | undefined> {
  const tags = await frequentTags(db, OFFERED);
  if (tags.length === 0) return undefined;
  return html`<ul class="tags" aria-label="${say`Frequent tags`}">${tags.map((tag) => html`<li>${tagLink(tag)}</li>`)}</ul>`;
}
