import { z } from 'zod';
import { count, counted, type Html, html, say, separated } from '../html/html.ts';
import {
  type BlockedImage,
  blockBodySchema,
  blockedImageListQuerySchema,
  imageHashSchema,
  type Report,
  type ReportReason,
  reportListQuerySchema,
  reportNumberSchema,
} from '../protocol/moderation.ts';
import { PRIVATE_ANSWER, renderAnswer } from '../server/http/routes/pictures.ts';
import { inputFor } from '../server/pictures/renders.ts';
import {
  blockImage,
  deleteAnySkin,
  dismissReport,
  readAnyTexture,
  readBlockedImages,
  readReports,
  reopenReport,
  setHidden,
  unblockImage,
  whichAreBlocked,
  whichHavePictures,
} from '../server/service/moderation.ts';
import { readSent } from '../server/service/skins/capes.ts';
import { decideOnSet } from '../server/service/skins/sets.ts';
import { whichAreDisabled } from '../server/service/users/users.ts';
import { actionButton, confirmed, moment, removeTag } from './frame.ts';
import { operatorList } from './operator-list.ts';
import {
  addressWith,
  formFor,
  type LocalPath,
  ofUuid,
  type PageCall,
  type PageRoute,
  pageFor,
  type TypedForm,
  typedIn,
} from './page-route.ts';

/** Reports that the operator has just decided. They stay in place, so that no other report moves under the pointer. */
const decidedSchema = z
  .string()
  .regex(/^(?:\d{1,15}(?:\.\d{1,15}){0,99})?$/)
  .default('')
  .transform((text) => text.split('.').filter((id) => id !== ''));

const REPORTS = '/ui/operator/reports';
const IMAGES = '/ui/operator/images';

/** The part of the list of reports that a form is on. */
const placeSchema = z.object({
  decided: z.string(),
  after: z.string().default(''),
  state: z.string().default(''),
});

/** The part of the list of reports that a form was on; for forms elsewhere, the page in `otherwise`. */
export function placeOfForm({ request }: PageCall, otherwise: LocalPath): LocalPath {
  const { data: place } = placeSchema.safeParse(request.body ?? {});
  return place === undefined ? otherwise : addressWith(REPORTS, place);
}

/** Leads back to the list of reports. */
export const backToReports = { leadsTo: (call: PageCall) => placeOfForm(call, REPORTS) };
const backToImages = { leadsTo: (call: PageCall) => placeOfForm(call, IMAGES) };

const ofReport = { params: z.object({ id: reportNumberSchema }), ...backToReports };
const ofSkin = { ...ofUuid, ...backToReports };
const blockFields = z.object({ hash: z.string(), note: z.string() }).partial();
const blockForm = { fields: blockFields, fileSize: 'usual', ...backToImages } as const;
const ofImage = { params: z.object({ hash: imageHashSchema }) };
const hiding = z.object({ act: z.enum(['hide', 'show']) });

const imagePages = operatorList({
  section: 'images',
  query: blockedImageListQuerySchema,
  read: async ({ context, caller, query }) => {
    const entries = await readBlockedImages(context, caller, query);
    const hashes = entries.map(({ hash }) => hash);
    return { entries, pictures: await whichHavePictures(context, caller, hashes) };
  },
  placeOf: ({ hash }) => hash,
  page: (_, typed) => ({
    title: say`Blocked pictures`,
    none: say`No blocked pictures.`,
    above: blockForms(typed),
  }),
  row: (image, { pictures }) => imageRow(image, pictures.has(image.hash)),
  forms: (form) => [
    form('', blockForm, async ({ context, caller, fields: { hash, note }, file }) => {
      const picture = file && { hash: readSent(file).pixels };
      await blockImage(context, caller, blockBodySchema.parse({ hash, note, ...picture }));
    }),
    form('/:hash/unblock', { ...ofImage, ...backToImages }, async ({ context, caller, params }) => {
      await unblockImage(context, caller, { ...params, note: '' });
    }),
  ],
});

const reportPages = operatorList({
  section: 'reports',
  query: reportListQuerySchema.extend({ decided: decidedSchema }),
  read: async ({ context, caller, query }): Promise<ReportsView> => {
    const { decided, ...page } = query;
    const entries = await readReports(context, caller, { ...page, kept: decided.map(Number) });
    const images = entries.filter(({ id }) => decided.includes(id)).flatMap(({ texture }) => texture ?? []);
    const owners = entries.flatMap(({ owner }) => owner ?? []);
    return {
      entries,
      decided,
      after: query.after,
      blocked: await whichAreBlocked(context, caller, images),
      disabled: await whichAreDisabled(context, caller, owners),
      me: caller.kind === 'user' ? caller.name : undefined,
      state: query.state,
    };
  },
  placeOf: ({ id }) => id,
  page: ({ state }) => ({ ...REPORT_WORDS[state], filters: { state } }),
  row: reportRow,
  forms: (form) => [
    form('/:id/close', ofReport, async ({ context, caller, params }) => {
      await dismissReport(context, caller, { ...params, note: '' });
    }),
    form('/:id/reopen', ofReport, async ({ context, caller, params }) => {
      const { hidden, skin = '', set } = await reopenReport(context, caller, params);
      const shown = { hidden: false, note: '' };
      if (hidden && set !== undefined) await decideOnSet(context, caller, { ...shown, uuid: set });
      else if (hidden) await setHidden(context, caller, { ...shown, uuid: skin });
    }),
  ],
});

export const MODERATION_PAGES: readonly PageRoute[] = [
  ...reportPages,
  formFor('operator', '/ui/operator/skins/:uuid/hidden', { ...ofSkin, fields: hiding }, async (call) => {
    const hidden = call.fields.act === 'hide';
    await setHidden(call.context, call.caller, { ...call.params, hidden, note: '' });
  }),
  formFor('operator', '/ui/operator/skins/:uuid/delete', ofSkin, async ({ context, caller, params }) => {
    await deleteAnySkin(context, caller, { ...params, note: '' });
  }),
  ...imagePages,
  // The service serves blocked images to nobody else.
  pageFor('operator', `${IMAGES}/:hash/picture`, ofImage, async (call) => {
    const texture = await readAnyTexture(call.context, call.caller, call.params.hash);
    const choice = { view: 'front', size: 128, overlay: true, variant: 'auto' } as const;
    return await renderAnswer(call, inputFor(texture, choice), PRIVATE_ANSWER);
  }),
];

function blockForms(typed: TypedForm | undefined): Html {
  const byHash = typedIn(typed, 'hash');
  const note = typedIn(typed, 'note');
  return html`${typed?.problem}<p>${say`The service refuses a blocked picture in any file and no longer serves it. All skins that use it are hidden.`}</p>
<form class="panel" method="post" action="${IMAGES}" enctype="multipart/form-data"><div class="row">
<div><label for="file">${say`Skin picture (PNG)`}</label><input id="file" type="file" name="file" accept="image/png" required></div>
${reasonField('file-note', note)}
<div class="end"><button>${say`Block picture`}</button></div></div></form>
${byHash === '' ? html`<details>` : html`<details open>`}<summary>${say`Block a picture by its hash`}</summary><form class="panel" method="post" action="${IMAGES}"><div class="row">
<div><label for="hash">${say`Texture hash`}</label><input id="hash" name="hash" required pattern="[0-9a-f]{64}" maxlength="64" spellcheck="false" value="${byHash}">
<p class="quiet">${say`The last 64 characters of its texture URL on this server, <code>/textures/…</code>`}</p></div>
${reasonField('note', note)}
<div class="end"><button>${say`Block picture`}</button></div></div></form></details>`;
}

function reasonField(id: string, note: string): Html {
  return html`<div><label for="${id}">${say`Reason, for the log`}</label><input id="${id}" name="note" maxlength="500" value="${note}"></div>`;
}

function imageRow({ hash, note, blockedBy, blockedAt }: BlockedImage, hasPicture: boolean): Html {
  const front = `${IMAGES}/${hash}/picture`;
  return html`${hasPicture ? html`<img src="${front}" alt="${say`Front view`}" width="64" height="128" loading="lazy">` : html`<span class="quiet">${say`No picture stored`}</span>`}<div class="grow"><code class="breaks">${hash}</code>${note !== '' && html`<p><bdi>${note}</bdi></p>`}
<p class="quiet">${say`Blocked by <bdi>${blockedBy}</bdi>, ${moment(blockedAt)}`}</p></div>
<div class="acts">${actionButton(`${IMAGES}/${hash}/unblock`, say`Unblock`, { about: hash.slice(0, 8) })}</div>`;
}

interface ReportsView {
  readonly entries: readonly Report[];
  /** IDs of the reports that the operator has just decided, in order. */
  readonly decided: readonly string[];
  /** Hashes of blocked images that the decided reports are about. */
  readonly blocked: ReadonlySet<string>;
  /** Names of owners who are disabled. */
  readonly disabled: ReadonlySet<string>;
  /** Name of the operator. */
  readonly me: string | undefined;
  readonly state: 'open' | 'closed';
  /** Where the previous page ended. */
  readonly after: number | undefined;
}

/** The reasons that people choose from when they report a skin. */
export const REASON_WORDS: Readonly<Record<ReportReason, Html>> = {
  offensive: say`Offensive`,
  copyright: say`Copyright`,
  personal: say`Someone’s private information`,
  other: say`Something else`,
};

/** What pages say about the subject of a report. */
const TEXTS = {
  skin: {
    about: (id: string) => say`the skin of report ${id}`,
    of: (owner: Html) => say`Skin of ${owner}`,
    often: (reports: number) =>
      counted(reports, {
        one: say`the only report of this skin`,
        other: say`one of ${count(reports)} reports of this skin`,
      }),
    unchanged: say`The report is closed. The skin is unchanged.`,
    hidden: say`The skin is hidden, and its reports are closed.`,
    deleted: say`The skin was deleted.`,
    deleting: say`This deletes its page and its data, for its owner too.`,
    hiding: '/hidden',
  },
  set: {
    about: (id: string) => say`the set of report ${id}`,
    of: (owner: Html) => say`Set of ${owner}`,
    often: (reports: number) =>
      counted(reports, {
        one: say`the only report of this set`,
        other: say`one of ${count(reports)} reports of this set`,
      }),
    unchanged: say`The report is closed. The set is unchanged.`,
    hidden: say`The set is hidden, and its reports are closed.`,
    deleted: say`The set was deleted.`,
    deleting: say`The skins stay.`,
    hiding: '',
  },
} as const;

/** How many reports stay in place after a decision. */
const MAX_DECIDED = 100;

const REPORT_WORDS = {
  open: {
    title: say`Open reports`,
    none: say`No open reports.`,
    below: html`<p><a href="${REPORTS}?state=closed">${say`Show closed reports`}</a></p>`,
  },
  closed: {
    title: say`Closed reports`,
    none: say`No closed reports.`,
    below: html`<p><a href="${REPORTS}?state=open">${say`Show open reports`}</a></p>`,
  },
} as const;

/** Fields of a form that leads back to this part of the list, where these reports stay. */
function placeFields(
  { state, after }: ReportsView,
  decided: readonly string[],
): Readonly<Record<string, string>> {
  return {
    decided: decided.join('.'),
    ...(after !== undefined && { after: String(after) }),
    ...(state === 'closed' && { state }),
  };
}

function reportRow(report: Report, listed: ReportsView): Html {
  const { reason, text, createdAt, closedAt, reporter, reports = 1 } = report;
  const closed = closedAt !== undefined && say`closed ${moment(closedAt)}`;
  const often = reports > 1 && TEXTS[kindOf(report)].often(reports);
  const told =
    reporter === undefined
      ? say`Reported ${moment(createdAt)} by a visitor`
      : say`Reported ${moment(createdAt)} by ${userLink(reporter)}`;
  return html`${picture(report)}<div class="grow"><strong>${subjectLink(report)}</strong> ${stateOf(report)}
<p>${separated(': ', [REASON_WORDS[reason], text !== '' && html`<bdi>${text}</bdi>`])}</p>
<p class="quiet">${ownerOf(report, listed)}</p>
${tagsOf(report, placeFields(listed, listed.decided))}
<p class="quiet">${separated(', ', [told, often, closed])}</p>
${listed.decided.includes(report.id) ? decision(report, listed) : html`</div><div class="acts">${decisions(report, listed)}`}</div>`;
}

function picture({ texture }: Report): Html {
  if (texture === undefined) return html``;
  return html`<img src="/textures/${texture}/front.png?size=128" alt="${say`Front view`}" width="64" height="128" loading="lazy"><img src="/textures/${texture}/back.png?size=128" alt="${say`Back`}" width="64" height="128" loading="lazy">`;
}

function kindOf({ set }: Report): 'skin' | 'set' {
  return set === undefined ? 'skin' : 'set';
}

function subjectOf({ skin, set = '' }: Report): string {
  return skin ?? set;
}

/** What nobody sees has no page. */
function subjectLink(report: Report): Html {
  const uuid = subjectOf(report);
  const label = html`<bdi>${report.name ?? uuid.slice(0, 8)}</bdi>`;
  return isSeen(report) ? html`<a href="/ui/${kindOf(report)}s/${uuid}">${label}</a>` : label;
}

function isSeen({ hidden, visibility }: Report): boolean {
  return !hidden && visibility !== undefined && visibility !== 'private';
}

/** The tags of a skin that is seen, each with a button that takes it away. */
function tagsOf(report: Report, fields: Readonly<Record<string, string>>): Html | false {
  const { skin, tags = [] } = report;
  if (skin === undefined || tags.length === 0 || !isSeen(report)) return false;
  return html`<ul class="tags" aria-label="${say`Tags`}">${tags.map((tag) => html`<li><span>${tag}</span>${removeTag(skin, tag, fields)}</li>`)}</ul>`;
}

function userLink(name: string): Html {
  return html`<a href="${userPath(name)}"><bdi>${name}</bdi></a>`;
}

function ownerOf(report: Report, { disabled }: ReportsView): Html {
  const { owner, visibility } = report;
  if (owner === undefined)
    return visibility === undefined ? say`Its owner is unknown` : say`Made by a visitor`;
  return html`${TEXTS[kindOf(report)].of(userLink(owner))}${disabled.has(owner) && html` <span class="tag">${say`disabled`}</span>`}`;
}

/** The page of a user. */
export function userPath(name: string): `/ui${string}` {
  return `/ui/operator/users/${encodeURIComponent(name)}`;
}

/** Asks before a user is disabled. `fields`: sent with the form. */
export function disabling(
  name: string,
  { label = say`Disable`, fields = {} }: { label?: Html; fields?: Readonly<Record<string, string>> } = {},
): Html {
  return confirmed(label, {
    about: name,
    path: userPath(name),
    fields: { ...fields, disabled: 'yes' },
    warning: say`<bdi>${name}</bdi> is signed out, their API keys are refused, and their waiting jobs fail. Their skins stay.`,
    button: say`Disable user`,
  });
}

/** Disables the owner of a reported skin, or undoes that. Operators cannot disable themselves. */
function ownerAction({ owner }: Report, listed: ReportsView): Html {
  const { decided, disabled, me } = listed;
  if (owner === undefined || owner === me) return html``;
  const fields = placeFields(listed, decided);
  if (!disabled.has(owner)) return disabling(owner, { label: say`Disable owner`, fields });
  return actionButton(userPath(owner), say`Enable owner`, {
    about: owner,
    fields: { ...fields, disabled: 'no' },
  });
}

/** On tags. */
export const VISIBILITY_WORDS = {
  public: say`public`,
  unlisted: say`unlisted`,
  private: say`private`,
} as const;

function stateOf({ hidden, visibility }: Report): Html {
  if (hidden) return html`<span class="tag">${say`hidden`}</span>`;
  return html`<span class="tag">${visibility === undefined ? say`deleted` : VISIBILITY_WORDS[visibility]}</span>`;
}

/** The decision, in place of the buttons, so that a second click decides nothing. */
function decision(report: Report, listed: ReportsView): Html {
  const { id, hidden, visibility, texture } = report;
  const { entries, decided, blocked } = listed;
  const texts = TEXTS[kindOf(report)];
  if (visibility === undefined) return html`<p role="status">${texts.deleted}</p>`;
  if (texture !== undefined && blocked.has(texture))
    return html`<p role="status">${say`The picture is blocked. All skins that use it are hidden, and their reports are closed.`}</p>
${actionButton(`/ui/operator/images/${texture}/unblock`, say`Unblock`, { about: say`the picture of report ${id}`, fields: placeFields(listed, decided) })}`;
  // What is undone is to be decided again.
  const subject = subjectOf(report);
  const reopened = entries.filter((other) => subjectOf(other) === subject).map((other) => other.id);
  const others = decided.filter((one) => !reopened.includes(one));
  return html`<p role="status">${hidden ? texts.hidden : texts.unchanged}</p>
${actionButton(`${REPORTS}/${id}/reopen`, say`Undo`, { about: texts.about(id), fields: placeFields(listed, others) })}`;
}

function decisions(report: Report, listed: ReportsView): Html {
  const { entries, decided: before } = listed;
  const { id, hidden, visibility, texture, closedAt } = report;
  const kind = kindOf(report);
  const { deleting, hiding, about: aboutReport } = TEXTS[kind];
  const about = aboutReport(id);
  const after = (decided: readonly Pick<Report, 'id'>[]) => {
    const ids = new Set([...before, ...decided.map((other) => other.id)]);
    return placeFields(listed, [...ids].slice(-MAX_DECIDED));
  };
  // Hiding a skin, set or image closes all its reports.
  const subject = subjectOf(report);
  const path = `/ui/operator/${kind}s/${subject}`;
  const ofSubject = after(entries.filter((other) => subjectOf(other) === subject));
  const ofImage = after(entries.filter((other) => other.texture === texture));
  const isThere = visibility !== undefined && (hidden || visibility !== 'private');
  const hide = { about, fields: { ...ofSubject, act: hidden ? 'show' : 'hide' } };
  return html`${closedAt === undefined && actionButton(`${REPORTS}/${id}/close`, say`Dismiss`, { about, fields: after([report]) })}
${isThere && actionButton(`${path}${hiding}`, hidden ? say`Show again` : say`Hide`, hide)}
${isThere && kind === 'set' && actionButton(path, say`Clear name`, { about, fields: { ...after([]), act: 'clear-name' } })}
${texture !== undefined && actionButton(IMAGES, say`Block picture`, { about, fields: { ...ofImage, hash: texture } })}
${isThere && confirmed(say`Delete`, { about, path: `${path}/delete`, fields: ofSubject, warning: deleting, button: say`Delete for good` })}
${ownerAction(report, listed)}`;
}
