import { type Content, count, counted, Html, html, say, separated } from '../html/html.ts';
import type { Identity } from '../protocol/account.ts';
import { ERRORS, type ErrorCode, isErrorCode } from '../protocol/errors.ts';
import { MAX_NAME_LENGTH } from '../protocol/skin-name.ts';
import type { Account, PlanView } from '../protocol/user.ts';
import type { Refusal } from '../server/service/refusal.ts';
import type { SkinWithData } from '../server/store/skins.ts';
import type { View } from '../skin/render/views.ts';

/** The person who views a page; undefined if nobody is signed in. */
export type Visitor =
  | {
      readonly name: string;
      /** Whether the person is an operator, with a key that may act as one. */
      readonly isOperator: boolean;
      /** Whether the person's key may read the person's own skins and jobs. */
      readonly mayRead: boolean;
      /** Reports that wait for the operator. */
      readonly openReports: number;
    }
  | undefined;

/** A page without its frame. */
export interface Page {
  /** Default: 200. */
  readonly status?: number;
  /** Shown in the browser's tab, and as the page's first heading unless it has its own. */
  readonly title: Content;
  readonly hasOwnHeading?: boolean;
  readonly body: Html;
  /** Additional response headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How to do the same from the command line. */
  readonly terminal?: TerminalLines;
  /** More elements of the document's head: what a link to the page unfolds to. */
  readonly head?: Html;
  /** The address of a picture for the browser's tab; default: the service's mark. */
  readonly icon?: Html;
  /** Whether search engines may show the page. */
  readonly isIndexed?: boolean;
  /** Whether this page is safe to compress, where that depends on what it shows; see `PageRoute`. */
  readonly isSafeToCompress?: boolean;
}

/** How to do the same from the command line. */
interface TerminalLines {
  readonly command: string;
  /** What curl requests from the API. */
  readonly path: string;
  /** Additional options for curl. */
  readonly options?: string;
}

/** A word of a command, in quotes if the shell would read it otherwise. */
export function shellWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The lines by their program. They name this service at `origin`, which may not be the machine's default one. */
export function linesFor(
  { command, path, options }: TerminalLines,
  { origin, isSignedIn }: { readonly origin: string; readonly isSignedIn: boolean },
): { readonly skinsmith: string; readonly curl: string } {
  // A person who is signed in needs an API key there; the line reads it from a variable.
  const key = isSignedIn && '-H "Authorization: Bearer $SKINSMITH_API_KEY"';
  const address = /[?&{]/.test(path) ? `'${origin}${path}'` : `${origin}${path}`;
  return {
    skinsmith: `${command} --base-url ${origin}`,
    curl: ['curl', options, key, address].filter(Boolean).join(' '),
  };
}

/** A time to the minute, in UTC. `time`: milliseconds since the epoch, or ISO 8601. */
export function minuteOf(time: number | string): Html {
  const date = new Date(time);
  return Html.forReader(({ language }) => {
    const text =
      language === 'en'
        ? date.toISOString().slice(0, 16).replace('T', ' ')
        : date.toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
    return `${text} UTC`;
  });
}

/** The day of a time, in UTC, for pages with little room. */
export function day(time: number): Html {
  const date = new Date(time);
  const text = date.toISOString();
  const shown = Html.forReader(({ language }) =>
    language === 'en'
      ? text.slice(0, 10)
      : date.toLocaleDateString(language, { dateStyle: 'medium', timeZone: 'UTC' }),
  );
  return html`<time datetime="${text}" data-day>${shown}</time>`;
}

/** A time to the minute for a page, machine-readable too. */
export function moment(time: number | string): Html {
  return html`<time datetime="${new Date(time).toISOString()}">${minuteOf(time)}</time>`;
}

/** What the service says in English to everyone, such as why a request was refused. */
export function inEnglish(text: string): Html {
  return Html.forReader(({ language }) => (language === 'en' ? text : html`<span lang="en">${text}</span>`));
}

/** Codes whose own message says nothing that the more specific one does not. */
const VAGUE: readonly string[] = ['invalid_request', 'validation_error'] satisfies ErrorCode[];

/** Why the service refused something, or a job failed: a translated message, or what the code means and the message. */
export function reasonOf({ code, message }: { readonly code: string; readonly message: string }): Html {
  return Html.forReader((reader) => {
    const whole = reader.translate(message);
    if (typeof whole === 'string') return whole;
    const meaning = isErrorCode(code) && !VAGUE.includes(code) && reader.translate(ERRORS[code].message);
    return html`${typeof meaning === 'string' && `${meaning} `}${inEnglish(message)}`;
  });
}

/** Why a form was refused, above its fields. */
export function problemOf({ code, message, details: { notes = [] } }: Refusal): Html {
  return html`<p class="problem" role="alert">${reasonOf({ code, message })} ${inEnglish(notes.map((note) => note.message).join(' '))}</p>`;
}

/** A title with what this page of a kind shows, for tabs and histories. */
export function titleOf(kind: Html, parts: readonly Content[]): Html {
  return separated(': ', [kind, parts.some(Boolean) && separated(', ', parts)]);
}

/** A button that copies a text, for browsers that run scripts. */
function copyButton(text: string, label: Content): Html {
  return html`<button type="button" class="copy needs-script" data-copy="${text}" aria-label="${label}">${say`Copy`}</button>`;
}

/** A text beside a button that copies it. `label`: of the button. */
export function copyLine(text: string, label: Content): Html {
  return html`<div class="line">${textToCopy(text, label)}</div>`;
}

/** A labelled text with a copy button. */
export function copyField(name: Content, text: string): Html {
  return html`<div class="field"><dt>${name}</dt><dd class="line">${textToCopy(text, say`Copy: ${name}`)}</dd></div>`;
}

/** The button copies what it is beside: long data need not be in the page twice. */
function textToCopy(text: string, label: Content): Html {
  return html`<pre tabindex="0"><code>${text}</code></pre>${copyButton('', label)}`;
}

/** The only page that ever shows a secret. */
export function secretPage(
  title: Html,
  { lead, secrets, back }: { readonly lead: Html; readonly secrets: Html; readonly back: string },
): Page {
  return {
    title,
    body: html`<p class="lead">${lead}</p>
<dl class="copyable">${secrets}</dl>
<p><a class="button" href="${back}">${say`I have copied it`}</a></p>`,
  };
}

/** The options of a select. `names`: the label of each value. */
export function options<Value extends string>(
  names: Readonly<Record<Value, Content>>,
  chosen: Value | undefined,
): Html[] {
  return Object.entries<Content>(names).map(
    ([value, name]) =>
      html`<option value="${value}"${value === (chosen ?? '') && html` selected`}>${name}</option>`,
  );
}

/** What `SKIN_NAME_RULE` says, for the fields of names. */
export const NAME_RULE = say`Names may contain only A–Z, a–z, 0–9, spaces, _ . and -, at most ${MAX_NAME_LENGTH} characters.`;

interface Check {
  readonly name: string;
  readonly value: string;
  readonly isChecked: boolean;
}

/** A checkbox, followed by its label. */
export function checkBox({ name, value, isChecked }: Check, label: Content): Html {
  return html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${isChecked && html` checked`}> ${label}</label>`;
}

interface ActionOptions {
  /** What the button acts on, for screen readers. */
  readonly about: Content;
  /** Hidden fields to send with it. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly isDanger?: boolean;
}

/** A form that is one button. */
export function actionButton(
  path: string,
  label: Content,
  { about, fields = {}, isDanger = false }: ActionOptions,
): Html {
  return html`<form method="post" action="${path}">
${hiddenFields(fields)}
<button class="${isDanger ? 'quiet-button danger' : 'quiet-button'}" aria-label="${say`${label}: ${about}`}">${label}</button></form>`;
}

/** A button that takes a tag away. `fields`: sent with the form. */
export function removeTag(uuid: string, tag: string, fields: Readonly<Record<string, string>> = {}): Html {
  return html`<form method="post" action="/ui/skins/${uuid}/tags">${hiddenFields({ ...fields, vote: 'down', tag })}
<button class="quiet-button" aria-label="${say`Remove the tag ${tag}`}">×</button></form>`;
}

interface Confirmation extends Omit<ActionOptions, 'isDanger'> {
  readonly path: string;
  /** What happens then. */
  readonly warning: Content;
  /** The label of the button. */
  readonly button: Content;
}

/** A button that asks before it does something that cannot be undone easily. */
export function confirmed(label: Content, { about, path, fields = {}, warning, button }: Confirmation): Html {
  return html`<details><summary aria-label="${say`${label}: ${about}`}">${label}</summary>
<form method="post" action="${path}">${hiddenFields(fields)}<p>${warning}</p><button class="danger">${button}</button></form></details>`;
}

function hiddenFields(fields: Readonly<Record<string, string>>): Html[] {
  return Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
}

/** A skin in a list. */
export type SkinCard = Pick<SkinWithData, 'uuid' | 'name' | 'visibility'>;

/** `below`: more about each skin, below its card; `beside`: a button that a browser without scripts shows on it. */
export function skinCards<Skin extends SkinCard>(
  skins: readonly Skin[],
  below: (skin: Skin) => Html | undefined = () => undefined,
  beside: (skin: Skin) => Html | undefined = (skin) => keepButton(skin, 'to-tray'),
): Html {
  return html`<ul class="cards">${skins.map((skin) => html`<li>${skinCard(skin)}${beside(skin)}${below(skin)}</li>`)}</ul>`;
}

export const VISIBILITIES = { public: say`Public`, unlisted: say`Unlisted`, private: say`Private` } as const;
/** The arms of the skins in a list. */
export const ARMS_OR_ALL = { '': say`All`, classic: say`Classic`, slim: say`Slim` } as const;

/** The box that selects a skin, below its card. */
export function skinSelector(
  { uuid, name }: Pick<SkinCard, 'uuid' | 'name'>,
  { isSelected = false }: { readonly isSelected?: boolean } = {},
): Html {
  const called = name ?? uuid.slice(0, 8);
  return html`<label class="check"><input type="checkbox" name="skin" value="${uuid}" aria-label="${say`Select ${called}`}"${isSelected && html` checked`}> ${say`Select`}</label>`;
}

/** Selects all skins of a form with `data-select`, for browsers that run scripts. */
export const SELECT_ALL = html`<p class="needs-script"><button type="button" class="quiet-button" data-select-all>${say`Select all on this page`}</button></p>`;
export const SELECTED = html`<span class="quiet" role="status" data-selected></span>`;

/** A search by name. `more`: its other fields, which are folded unless one of them is used. */
export function searchForm(
  path: string,
  { filter, isNarrow }: { readonly filter: string | undefined; readonly isNarrow: boolean },
  more: Html,
): Html {
  return html`<search><form method="get" action="${path}"><div class="row">
<div><label for="filter">${say`Name contains`}</label><input id="filter" type="search" name="filter" maxlength="48" value="${filter}"></div>
<div class="end"><button>${say`Search`}</button></div></div>
${isNarrow ? html`<details open>` : html`<details>`}<summary>${say`Order and filters`}</summary><div class="row">${more}</div></details></form></search>`;
}

/** The field for the name of the set that takes the selected skins, and its button. */
export function selectionToSet(set = '', label: Html = say`Add selected to the set`): Html {
  return html`<div class="row"><div><label for="set">${say`New or existing set`}</label><input id="set" name="set" maxlength="48" pattern="[A-Za-z0-9_.\\- ]*" title="${NAME_RULE}" value="${set}"></div>
<div class="end"><button name="act" value="set" class="quiet-button">${label}</button></div></div>`;
}

export function skinCount(skins: number): Html {
  return counted(skins, { one: say`${count(skins)} skin`, other: say`${count(skins)} skins` });
}

/** The view of the body takes fewer bytes than others. */
function skinCard(skin: SkinCard): Html {
  const { uuid, name } = skin;
  return html`<a class="card" href="/ui/skins/${uuid}">
<img ${pictureAt('src', { skin, view: 'body', size: 136 })} alt="" width="68" height="136" loading="lazy">
<bdi>${name ?? html`<span class="quiet">${uuid.slice(0, 8)}</span>`}</bdi>
</a>`;
}

/** Without scripts, puts a skin into the set that is then the person's tray. The page's frame has the form. */
export function keepButton(
  { uuid, name }: Pick<SkinCard, 'uuid' | 'name'>,
  look: string,
  label?: Html,
): Html {
  const about = say`${say`Keep in the tray`}: ${name ?? uuid.slice(0, 8)}`;
  return Html.forReader(
    ({ maySet }) =>
      maySet &&
      html`<button form="to-tray" name="ids" value="${uuid}" class="${look} quiet-button without-script" aria-label="${about}">${label}</button>`,
  );
}

/** A picture of a skin. */
interface SkinPicture {
  readonly skin: Pick<SkinCard, 'uuid' | 'visibility'>;
  readonly view: View;
  /** Height in pixels. */
  readonly size: number;
}

/**
 * An attribute with the address of a skin's picture. Some pictures are only for people whom the session identifies, and
 * the API ignores sessions: those of private skins, and all of a service that admits nobody without a key.
 */
export function pictureAt(attribute: 'href' | 'src' | 'srcset', { skin, view, size }: SkinPicture): Html {
  const { uuid, visibility } = skin;
  return Html.forReader(({ needsSession = false }) => {
    const path = `/ui/skins/${uuid}/pictures/${view}?size=${size}`;
    const address =
      visibility === 'private' || needsSession ? path : `/v2/skins/${uuid}/${view}.png?size=${size}`;
    if (attribute === 'srcset') return html`srcset="${address} 2x"`;
    return attribute === 'href' ? html`href="${address}"` : html`src="${address}"`;
  });
}

/** What a user has used of a plan. */
export function usageMeters({ pending, minute, hour }: Account['usage'], plan: PlanView): Html {
  return html`<div class="meters">${usageMeter(say`Unfinished jobs`, pending, plan.queue)}
${usageMeter(say`Skins in the last minute`, minute, plan.per_minute)}
${usageMeter(say`Skins in the last hour`, hour, plan.per_hour)}</div>`;
}

function usageMeter(label: Html, spent: number, limit: number): Html {
  const share = say`${count(spent)} of ${count(limit)}`;
  return html`<div class="meter"><p><strong>${label}</strong><br>${share}</p>
<meter min="0" max="${limit}" value="${Math.min(spent, limit)}" aria-label="${say`${label}: ${share}`}"></meter></div>`;
}

/** What a plan gives, in the order of the table. */
const BENEFITS: readonly (readonly [label: Html, tell: (plan: PlanView) => Html])[] = [
  [say`Unfinished jobs`, ({ queue }) => count(queue)],
  [say`Skins per minute`, ({ per_minute }) => count(per_minute)],
  [say`Skins per hour`, ({ per_hour }) => count(per_hour)],
  [
    say`Concurrent jobs`,
    ({ concurrency, burst = concurrency }) =>
      burst > concurrency ? say`${count(concurrency)}, up to ${count(burst)} when idle` : count(concurrency),
  ],
  [say`Priority`, ({ priority }) => html`${count(priority)}×`],
  [say`Private skins`, ({ private_skins }) => yesOrNo(private_skins)],
  [say`Batch requests`, ({ batch_generation }) => yesOrNo(batch_generation)],
  [say`Capes`, ({ capes }) => yesOrNo(capes)],
];

export function planTable(plans: readonly PlanView[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${say`Table of plans`}"><table>
<thead><tr><td></td>${plans.map(({ name }) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${BENEFITS.map(([label, tell]) => html`<tr><th scope="row">${label}</th>${plans.map((plan) => html`<td>${tell(plan)}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

function yesOrNo(is: boolean): Html {
  return is ? say`yes` : say`no`;
}

/** Rows of a list of single sign-on identities. `path`: of the forms, before `/<id>/unlink`. */
export function identityRows(identities: readonly Identity[], path: string): Html[] {
  const row = ({ id, issuer, subject, createdAt }: Identity) =>
    html`<li class="panel"><div class="grow"><strong><bdi class="breaks">${subject}</bdi></strong>
<p class="quiet">${say`at ${html`<bdi class="breaks">${issuer}</bdi>`}, linked ${moment(createdAt)}`}</p></div>
${actionButton(`${path}/${id}/unlink`, say`Unlink`, { about: subject, isDanger: true })}</li>`;
  return identities.map(row);
}

const SECTIONS = {
  overview: ['/ui/account', say`Plan`],
  keys: ['/ui/account/keys', say`API keys`],
  sessions: ['/ui/sessions', say`Sessions`],
  games: ['/ui/account/games', say`Game accounts`],
} as const;

/** A page about the person who is signed in, with links to the others. `mayManage`: the key has the scope `account`. */
export function accountPage(section: keyof typeof SECTIONS, page: Page, mayManage = true): Page {
  const { overview, sessions } = SECTIONS;
  const shown = mayManage ? SECTIONS : { overview, sessions };
  return { ...page, body: html`${sectionTabs(say`Account`, shown, section)}\n${page.body}` };
}

/** Links to the pages of one part of the service. */
export function sectionTabs(
  label: Html,
  sections: Readonly<Record<string, readonly [path: string, label: Html]>>,
  current: string,
): Html {
  return html`<nav class="tabs" aria-label="${label}">
${Object.entries(sections).map(([name, [path, text]]) => html`<a href="${path}"${name === current && html` aria-current="page"`}>${text}</a>`)}
</nav>`;
}

/** What the visitor has just done on a page. */
export function doneLine({
  reported,
  saved,
}: Readonly<Partial<Record<'reported' | 'saved', unknown>>>): Content {
  const text = reported ? say`Report sent. Thank you.` : Boolean(saved) && say`Saved.`;
  return text && html`<p class="done" role="status">${text}</p>`;
}

/** A list of rows, or a sentence if there are none. */
export function listOr(nothing: Content, rows: readonly Html[]): Html {
  return rows.length > 0
    ? html`<ul class="list">${rows.map((row) => html`<li class="panel">${row}</li>`)}</ul>`
    : html`<p class="empty">${nothing}</p>`;
}

/** A link to the next page of a list, if there is one. */
export function nextPageLink(
  path: string,
  query: Readonly<Record<string, string>>,
  next: string | undefined,
): Html {
  if (next === undefined) return html``;
  return html`<p class="more"><a class="button" href="${path}?${new URLSearchParams({ ...query, after: next }).toString()}">${say`More`}</a></p>`;
}
