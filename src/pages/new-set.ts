import { z } from 'zod';
import { count, type Html, html, say } from '../html/html.ts';
import { setNameSchema, slugOf } from '../protocol/set.ts';
import { visibilitySchema } from '../protocol/skin.ts';
import type { ServiceContext } from '../server/context.ts';
import type { Answer } from '../server/http/route.ts';
import { type Caller, ownerSeenBy } from '../server/service/callers.ts';
import { Refusal } from '../server/service/refusal.ts';
import { findListedSkins, type MissingSkin, readSkinList } from '../server/service/skins/listed-skins.ts';
import { createSet, editSet } from '../server/service/skins/sets.ts';
import { findSetByName } from '../server/store/sets.ts';
import { NAME_RULE, options, type Page, shellWord, VISIBILITIES } from './frame.ts';
import { formFor, type PageCall, type PageRoute, seeOther, type TypedForm, typedIn } from './page-route.ts';

const PATH = '/ui/sets';

interface NewSet {
  readonly name: string;
  readonly visibility: z.output<typeof visibilitySchema>;
  readonly skins: readonly string[];
}

/** Adds skins to the visitor's set of this name, or to a new one. @returns its UUID */
export async function putIntoSet(
  context: ServiceContext,
  caller: Caller,
  { name, visibility, skins }: NewSet,
): Promise<string> {
  try {
    const { set } = await editSet(context, caller, { reference: slugOf(name), add: [...skins] });
    return set.uuid;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'set_not_found') throw error;
    const { set } = await createSet(context, caller, { name, visibility, skins: [...skins] });
    return set.uuid;
  }
}

/** Puts selected skins into a set of the visitor, and leads there. */
export async function toSet(
  { context, caller }: Pick<PageCall, 'context' | 'caller'>,
  chosen: Pick<NewSet, 'name' | 'skins'>,
): Promise<Answer> {
  return seeOther(`${PATH}/${await putIntoSet(context, caller, { ...chosen, visibility: 'unlisted' })}`);
}

/** What is missing before `toSet`, if anything. */
export function missingForSet(skins: readonly string[], name: string | undefined): Html | undefined {
  if (skins.length === 0) return say`Select skins first.`;
  return name === undefined ? say`Type the name of a new or existing set first.` : undefined;
}

/** Refuses to put skins into an existing set, of which the visitor knows, whose visibility is not the chosen one. */
async function requireVisibility(
  context: ServiceContext,
  caller: Caller,
  { name, visibility }: z.output<typeof formSchema>,
): Promise<void> {
  const owner = ownerSeenBy(caller);
  const set = owner === undefined ? undefined : await findSetByName(context.db, { owner }, slugOf(name));
  if (set === undefined || set.visibility === visibility) return;
  throw new Refusal(
    'invalid_request',
    `You already have the set "${set.name}", and it is ${set.visibility}. Choose that visibility or another name.`,
  );
}

/** Largest list, in bytes: 500 lines of a lockfile take less than half of it. */
const MAX_LIST_BYTES = 2 * 1024 * 1024;

const formSchema = z.object({ name: setNameSchema, visibility: visibilitySchema });

/** `on`: the page that has the form. */
export const newSetFormRoute = (on: PageRoute) =>
  formFor('skins', PATH, { fields: formSchema, fileSize: MAX_LIST_BYTES, on }, async (call) => {
    const { context, caller, fields: input, file, fileName = 'list.csv' } = call;
    if (!file) throw new Refusal('invalid_request', String(say`Choose a list of skins first.`));
    await requireVisibility(context, caller, input);
    const listed = await readSkinList(file);
    if (listed.length === 0) throw new Refusal('invalid_request', String(say`The list names no skins.`));
    const { skins, missing } = await findListedSkins(context, caller, listed);
    const isEmpty = skins.length === 0;
    const uuid = isEmpty ? undefined : await putIntoSet(context, caller, { ...input, skins });
    if (uuid !== undefined && missing.length === 0) return seeOther(`${PATH}/${uuid}`);
    return missingPage(missing, { uuid, ...input, fileName });
  });

interface MissingView {
  /** UUID of the set with the other skins; undefined: there are none. */
  readonly uuid: string | undefined;
  readonly name: string;
  readonly visibility: NewSet['visibility'];
  readonly fileName: string;
}

function missingPage(missing: readonly MissingSkin[], view: MissingView): Page {
  const { uuid, name, visibility, fileName } = view;
  const generate = `skinsmith generate ${shellWord(fileName)} --out signed`;
  const command =
    uuid === undefined ? `create ${shellWord(name)} --visibility ${visibility}` : `edit ${uuid}`;
  const add = `skinsmith sets ${command} --from signed/skins.lock`;
  return {
    status: uuid === undefined ? 400 : 200,
    title: say`Some lines match no skin here`,
    body: html`${uuid !== undefined && html`<p class="done" role="status">${say`The other skins are in the set <a href="${`${PATH}/${uuid}`}"><bdi>${name}</bdi></a>.`}</p>`}
<ul class="list">${missing.map(missingRow)}</ul>
<p>${say`Make skins from pictures first: <code>${generate}</code>, then <code>${add}</code>.`}</p>
<p><a href="${PATH}">${say`Sets`}</a></p>`,
  };
}

function missingRow({ line, text, isAmbiguous }: MissingSkin): Html {
  return html`<li><div class="grow">${say`Line ${count(line)}: <bdi>${text}</bdi>`}
<p class="quiet">${isAmbiguous ? say`You have several skins with this name. Give the UUID.` : say`No skin here matches this line.`}</p></div></li>`;
}

/** Makes a set of a list of skins. */
export function newSetForm(typed: TypedForm | undefined): Html {
  return html`${typed ? html`<details open>` : html`<details>`}<summary>${say`New set from a list`}</summary><form class="panel" method="post" action="${PATH}" enctype="multipart/form-data">${typed?.problem}<div class="row">
<div><label for="name">${say`Name`}</label><input id="name" name="name" maxlength="48" required pattern="[A-Za-z0-9_.\\- ]+" title="${NAME_RULE}" value="${typedIn(typed, 'name')}"></div>
<div><label for="visibility">${say`Visibility`}</label><select id="visibility" name="visibility">${options<string>(VISIBILITIES, typedIn(typed, 'visibility', 'public'))}</select></div></div>
<div><label for="list">${say`List of skins: CSV, skins.lock or one per line`}</label><input id="list" type="file" name="file" accept=".csv,.tsv,.txt,.lock,.ndjson,.jsonl,text/plain,text/csv" required>
<p class="quiet">${say`Each line is a skin’s UUID or its address on this server; for your own skins, the name or file name works too.`}</p></div>
<p><button>${say`Make the set`}</button></p></form></details>`;
}
