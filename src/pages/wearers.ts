import { z } from 'zod';
import { type Html, html, say } from '../html/html.ts';
import { type OwnPlayerName, wornNameSchema } from '../protocol/player.ts';
import { hasScope } from '../server/service/callers.ts';
import { mayDress, readNames, undress, wear } from '../server/service/players/wardrobe.ts';
import { Refusal } from '../server/service/refusal.ts';
import type { SkinWithData } from '../server/store/skins.ts';
import { actionButton } from './frame.ts';
import {
  checked,
  formFor,
  ofUuid,
  type PageCall,
  type PageRoute,
  type TypedForm,
  typedIn,
} from './page-route.ts';

const ofSkin = {
  ...ofUuid,
  leadsTo: ({ params: { uuid } }: { params: { uuid: string } }) => `/ui/skins/${uuid}?saved=yes` as const,
};
const wearing = z.object({ name: wornNameSchema, publish: checked });
const undressing = z.object({ name: wornNameSchema });
/** Names on one page of a skin. */
const NAMES = 50;

/** The last name of the page before. */
export const afterName = z.string().max(16).optional();

/** How player names put a skin on and take it off. `on`: the page of the skin. */
export function wearerForms(on: PageRoute): readonly PageRoute[] {
  return [
    formFor('skins', '/ui/skins/:uuid/wear', { ...ofSkin, fields: wearing, on }, async (call) => {
      const { name, publish } = call.fields;
      const wish = { skin: call.params.uuid, ...(publish && { publish: true as const }) };
      await keepingTyped(wear(call.context, call.caller, name, wish));
    }),
    formFor('skins', '/ui/skins/:uuid/undress', { ...ofSkin, fields: undressing }, async (call) => {
      await undress(call.context, call.caller, call.fields.name, { of: call.params.uuid });
    }),
  ];
}

/** A name that the person may not have, or not now, is a fault of the form: another name may do. */
async function keepingTyped(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const isOfName = error instanceof Refusal && (error.status === 403 || error.status === 503);
    throw isOfName ? error.with({ status: 400 }) : error;
  }
}

/** Which names wear a skin, for those who may let names wear it. */
export interface Wearers {
  readonly names: readonly OwnPlayerName[];
  /** The next page begins after this name. */
  readonly next: string | undefined;
  readonly typed: TypedForm | undefined;
}

/** Undefined for everyone who may not let a name wear the skin. */
export async function readWearers(
  { context, caller, typed }: Pick<PageCall, 'context' | 'caller' | 'typed'>,
  { uuid, hidden_from }: Pick<SkinWithData, 'uuid' | 'hidden_from'>,
  after: string | undefined,
): Promise<Wearers | undefined> {
  const isKnown = hasScope(caller, 'read') && hasScope(caller, 'skins');
  if (!isKnown || hidden_from !== null || !(await mayDress(context, caller))) return undefined;
  const all = caller.kind === 'user' && caller.isOperator;
  const names = await readNames(context, caller, { all, skins: [uuid], after, size: NAMES + 1 });
  const shown = names.slice(0, NAMES);
  return { names: shown, next: names.length > NAMES ? shown.at(-1)?.name : undefined, typed };
}

export function wearersPanel(
  { uuid, visibility }: Pick<SkinWithData, 'uuid' | 'visibility'>,
  { names, next, typed }: Wearers,
): Html {
  const isOpen = names.length > 0 || typed !== undefined;
  return html`<details class="panel" id="worn"${isOpen && html` open`}><summary>${say`Player names that wear it`}</summary>
${names.length > 0 && html`<ul class="list">${names.map((name) => wearerRow(uuid, name))}</ul>`}
${next !== undefined && html`<p class="more"><a class="button" rel="next" href="/ui/skins/${uuid}?worn=${next}#worn">${say`Next page`}</a></p>`}
<form method="post" action="/ui/skins/${uuid}/wear">${typed?.problem}<div class="row">
<div><label for="player">${say`Player name`}</label><input id="player" name="name" required maxlength="16" pattern="[A-Za-z0-9_]+" title="${say`Up to 16 letters, digits and _`}" spellcheck="false" value="${typedIn(typed, 'name')}"></div>
</div>${visibility === 'private' && html`<label class="check"><input type="checkbox" name="publish" value="yes" required> ${say`Let everyone see this private skin on the player`}</label>`}
<button>${say`Let the player wear it`}</button></form></details>`;
}

function wearerRow(uuid: string, { name, user }: OwnPlayerName): Html {
  return html`<li><div class="grow"><strong>${name}</strong>${user !== undefined && html` <span class="quiet"><bdi>${user}</bdi></span>`}</div>
${actionButton(`/ui/skins/${uuid}/undress`, say`Take it off`, { about: name, fields: { name } })}</li>`;
}
