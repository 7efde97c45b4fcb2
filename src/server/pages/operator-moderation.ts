import { z } from 'zod';
import {
  type BlockedImage,
  blockBodySchema,
  blockedImageListQuerySchema,
  imageHashSchema,
  type LogEntry,
  logQuerySchema,
  type OperatorAction,
  type Report,
  type ReportReason,
  reportListQuerySchema,
  reportNumberSchema,
} from '../../protocol/moderation.ts';
import { uuidSchema } from '../../protocol/skin.ts';
import type { Answer } from '../http/route.ts';
import { placeAfter } from '../http/views.ts';
import {
  blockImage,
  deleteAnySkin,
  dismissReport,
  readBlockedImages,
  readOperatorLog,
  readReports,
  setHidden,
  unblockImage,
  whichAreBlocked,
} from '../service/moderation.ts';
import { actionButton, listOr, moment, nextPageLink, operatorPage, type Page, terminalOf } from './frame.ts';
import { type Html, html } from './html.ts';
import { type PageCall, type PageRoute, pageRoute, seeOther } from './page-route.ts';

const isFor = 'users' as const;
const scopes = ['operator'] as const;

/** Reports that the operator has just decided. They stay in place, so that no other report moves under the pointer. */
const decidedSchema = z
  .string()
  .regex(/^(?:\d{1,15}(?:\.\d{1,15}){0,99})?$/)
  .default('')
  .transform((text) => text.split('.').filter((id) => id !== ''));

const REPORTS = '/ui/operator/reports';

/** Redirects to the list of reports if the form was there, otherwise to the page in `otherwise`. */
function toReports({ request }: PageCall, otherwise: `/ui${string}` = REPORTS): Answer {
  const sent = z.object({ decided: z.string().optional() }).safeParse(request.body ?? {});
  const { decided } = sent.data ?? {};
  return seeOther(decided ? `${REPORTS}?${new URLSearchParams({ decided })}` : otherwise);
}

const reportsRoute = pageRoute({
  method: 'GET',
  path: REPORTS,
  isFor,
  scopes,
  query: reportListQuerySchema.extend({ decided: decidedSchema }),
  handle: async ({ context, caller, query }) => {
    const { decided, ...page } = query;
    const reports = await readReports(context, caller, { ...page, kept: decided.map(Number) });
    const next = placeAfter(reports, query.size, ({ id }) => id);
    const images = reports.filter(({ id }) => decided.includes(id)).flatMap(({ texture }) => texture ?? []);
    const blocked = await whichAreBlocked(context, caller, images);
    return reportsPage({ reports, decided, blocked, state: query.state, next, origin: context.publicUrl() });
  },
});

const closeReportFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/operator/reports/:id/close',
  isFor,
  scopes,
  params: z.object({ id: reportNumberSchema }),
  handle: async (call) => {
    await dismissReport(call.context, call.caller, { ...call.params, note: '' });
    return toReports(call);
  },
});

const skinParams = z.object({ uuid: uuidSchema });

const hideFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/operator/skins/:uuid/hidden',
  isFor,
  scopes,
  params: skinParams,
  handle: async (call) => {
    const { context, caller, params, request } = call;
    const { hidden } = z.object({ hidden: z.enum(['yes', 'no']) }).parse(request.body ?? {});
    await setHidden(context, caller, { ...params, hidden: hidden === 'yes', note: '' });
    return toReports(call);
  },
});

const deleteFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/operator/skins/:uuid/delete',
  isFor,
  scopes,
  params: skinParams,
  handle: async (call) => {
    await deleteAnySkin(call.context, call.caller, { ...call.params, note: '' });
    return toReports(call);
  },
});

const imagesRoute = pageRoute({
  method: 'GET',
  path: '/ui/operator/images',
  isFor,
  scopes,
  query: blockedImageListQuerySchema,
  handle: async ({ context, caller, query }) => {
    const images = await readBlockedImages(context, caller, query);
    const next = placeAfter(images, query.size, ({ hash }) => hash);
    return imagesPage({ images, next, origin: context.publicUrl() });
  },
});

const blockFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/operator/images',
  isFor,
  scopes,
  handle: async (call) => {
    const { decided: _, ...input } = z.looseObject({}).parse(call.request.body ?? {});
    await blockImage(call.context, call.caller, blockBodySchema.parse(input));
    return toReports(call, '/ui/operator/images');
  },
});

const unblockFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/operator/images/:hash/unblock',
  isFor,
  scopes,
  params: z.object({ hash: imageHashSchema }),
  handle: async (call) => {
    await unblockImage(call.context, call.caller, { ...call.params, note: '' });
    return toReports(call, '/ui/operator/images');
  },
});

const logPageRoute = pageRoute({
  method: 'GET',
  path: '/ui/operator/log',
  isFor,
  scopes,
  query: logQuerySchema,
  handle: async ({ context, caller, query }) => {
    const entries = await readOperatorLog(context, caller, query);
    const next = placeAfter(entries, query.size, ({ id }) => id);
    return logPage({ entries, next, origin: context.publicUrl() });
  },
});

export const MODERATION_PAGES: readonly PageRoute[] = [
  reportsRoute,
  closeReportFormRoute,
  hideFormRoute,
  deleteFormRoute,
  imagesRoute,
  blockFormRoute,
  unblockFormRoute,
  logPageRoute,
];

export interface ImagesView {
  readonly images: readonly BlockedImage[];
  /** `after` of the next page. */
  readonly next: string | undefined;
  readonly origin: string;
}

const PATH = '/ui/operator/images';

export function imagesPage({ images, next, origin }: ImagesView): Page {
  return operatorPage('images', {
    title: 'Blocked images',
    body: html`<p>The service refuses a blocked image in any file and no longer serves it. Skins that have it are hidden.</p>
<form class="panel" method="post" action="${PATH}"><div class="row">
<div><label for="hash">Image hash</label><input id="hash" name="hash" required pattern="[0-9a-f]{64}" maxlength="64" autocomplete="off" spellcheck="false"></div>
<div><label for="note">Reason, for the log</label><input id="note" name="note" maxlength="500" autocomplete="off"></div>
<div class="end"><button>Block image</button></div></div></form>
${listOr('No blocked images.', images.map(row))}
${nextPageLink(PATH, {}, next)}`,
    terminal: terminalOf('skinsmith moderation list', origin, '/v2/account/blocked-images'),
  });
}

function row({ hash, note, blockedBy, blockedAt }: BlockedImage): Html {
  return html`<div class="grow"><code class="breaks">${hash}</code>${note !== '' && html`<p><bdi>${note}</bdi></p>`}
<p class="quiet">Blocked by <bdi>${blockedBy}</bdi>, ${moment(blockedAt)}</p></div>
<div class="acts">${actionButton(`${PATH}/${hash}/unblock`, 'Unblock', { about: hash.slice(0, 8) })}</div>`;
}

export interface LogView {
  readonly entries: readonly LogEntry[];
  /** `after` of the next page. */
  readonly next: string | undefined;
  readonly origin: string;
}

const ACTIONS: Readonly<Record<OperatorAction, string>> = {
  hide_skin: 'hid the skin',
  show_skin: 'showed the skin',
  delete_skin: 'deleted the skin',
  hide_set: 'hid the set',
  show_set: 'showed the set',
  delete_set: 'deleted the set',
  close_report: 'closed the report',
  block_image: 'blocked the image',
  unblock_image: 'unblocked the image',
  create_user: 'created the user',
  change_plan: 'changed the plan of the user',
  disable_user: 'disabled the user',
  enable_user: 'enabled the user',
  unlink_identity: 'unlinked an identity of the user',
  create_key: 'created a key for the user',
  change_key: 'changed a key of the user',
  revoke_key: 'revoked a key of the user',
};

export function logPage({ entries, next, origin }: LogView): Page {
  return operatorPage('log', {
    title: 'Operator log',
    body: html`${listOr('Nothing yet.', entries.map(logRow))}
${nextPageLink('/ui/operator/log', {}, next)}`,
    terminal: terminalOf('skinsmith moderation log', origin, '/v2/account/log'),
  });
}

function logRow({ at, operator, action, subject, note }: LogEntry): Html {
  return html`<div class="grow"><bdi>${operator}</bdi> ${ACTIONS[action]} <code class="breaks">${subject}</code>${note !== '' && html`${isAboutPlan(action) ? ', plan ' : ': '}<bdi>${note}</bdi>`}
<p class="quiet">${moment(at)}</p></div>`;
}

/** Whether the note names a plan. */
function isAboutPlan(action: OperatorAction): boolean {
  return action === 'create_user' || action === 'change_plan';
}

export interface ReportsView {
  readonly reports: readonly Report[];
  /** IDs of the reports that the operator has just decided, in order. */
  readonly decided: readonly string[];
  /** Hashes of blocked images that the decided reports are about. */
  readonly blocked: ReadonlySet<string>;
  readonly state: 'open' | 'closed';
  /** `after` of the next page. */
  readonly next: string | undefined;
  readonly origin: string;
}

/** The reasons that people choose from when they report a skin. */
export const REASON_WORDS: Readonly<Record<ReportReason, string>> = {
  offensive: 'Offensive',
  copyright: 'Copyright',
  personal: 'Someone’s private information',
  other: 'Something else',
};

const REPORTS_PATH = '/ui/operator/reports';
/** How many reports stay in place after a decision. */
const MAX_DECIDED = 100;

export function reportsPage({ reports, decided, blocked, state, next, origin }: ReportsView): Page {
  const other = state === 'open' ? 'closed' : 'open';
  return operatorPage('reports', {
    title: state === 'open' ? 'Open reports' : 'Closed reports',
    body: html`${listOr(
      `No ${state} reports.`,
      reports.map((report) => reportRow(report, { reports, decided, blocked })),
    )}
${nextPageLink(REPORTS_PATH, { state }, next)}
<p><a href="${REPORTS_PATH}?state=${other}">Show ${other} reports</a></p>`,
    terminal: terminalOf('skinsmith reports list', origin, '/v2/account/reports'),
  });
}

type Listed = Pick<ReportsView, 'reports' | 'decided' | 'blocked'>;

function reportRow(report: Report, listed: Listed): Html {
  const { skin, name, reason, text, createdAt, closedAt } = report;
  return html`${picture(report)}<div class="grow"><strong><bdi>${name ?? skin.slice(0, 8)}</bdi></strong> ${stateOf(report)}
<p>${REASON_WORDS[reason]}${text !== '' && html`: <bdi>${text}</bdi>`}</p>
<p class="quiet">Reported ${moment(createdAt)}${closedAt !== undefined && html`, closed ${moment(closedAt)}`}</p>
${listed.decided.includes(report.id) ? decision(report, listed) : html`</div><div class="acts">${decisions(report, listed)}`}</div>`;
}

function picture({ texture }: Report): Html {
  if (texture === undefined) return html``;
  return html`<img src="/textures/${texture}/front.png?size=128" alt="Front view" width="64" height="128" loading="lazy">`;
}

function stateOf({ hidden, visibility }: Report): Html {
  if (hidden) return html`<span class="tag">hidden</span>`;
  return html`<span class="tag">${visibility ?? 'deleted'}</span>`;
}

/** The decision, in place of the buttons, so that a second click decides nothing. */
function decision(report: Report, { decided: ids, blocked }: Listed): Html {
  const { id, skin, hidden, visibility, texture } = report;
  const decided = ids.join('.');
  if (visibility === undefined) return html`<p role="status">The skin is deleted.</p>`;
  if (texture !== undefined && blocked.has(texture))
    return html`<p role="status">The image is blocked. Skins that have it are hidden, and their reports are closed.</p>
${actionButton(`/ui/operator/images/${texture}/unblock`, 'Unblock', { about: `the image of report ${id}`, fields: { decided } })}`;
  if (!hidden) return html`<p role="status">The report is closed. The skin is unchanged.</p>`;
  return html`<p role="status">The skin is hidden, and its reports are closed.</p>
${actionButton(`/ui/operator/skins/${skin}/hidden`, 'Undo', { about: `the skin of report ${id}`, fields: { hidden: 'no', decided } })}`;
}

/** Asks for confirmation, because nothing brings the skin back. */
function deletion(path: string, about: string, decided: string): Html {
  return html`<details><summary aria-label="Delete: ${about}">Delete</summary>
<form method="post" action="${path}"><input type="hidden" name="decided" value="${decided}"><p>This deletes its page and its data, for its owner too.</p><button class="danger">Delete for good</button></form></details>`;
}

function decisions(report: Report, { reports, decided: before }: Listed): Html {
  const { id, skin, hidden, visibility, texture, closedAt } = report;
  const about = `the skin of report ${id}`;
  const after = (ids: readonly string[]) => [...new Set([...before, ...ids])].slice(-MAX_DECIDED).join('.');
  // Hiding a skin or an image closes all its reports.
  const decided = after(reports.filter((other) => other.skin === skin).map((other) => other.id));
  const ofImage = after(reports.filter((other) => other.texture === texture).map((other) => other.id));
  const path = `/ui/operator/skins/${skin}`;
  const isThere = visibility !== undefined && (hidden || visibility !== 'private');
  return html`${closedAt === undefined && actionButton(`${REPORTS_PATH}/${id}/close`, 'Dismiss', { about, fields: { decided: after([id]) } })}
${isThere && actionButton(`${path}/hidden`, hidden ? 'Show again' : 'Hide', { about, fields: { hidden: hidden ? 'no' : 'yes', decided } })}
${texture !== undefined && actionButton('/ui/operator/images', 'Block image', { about, fields: { hash: texture, decided: ofImage } })}
${isThere && deletion(`${path}/delete`, about, decided)}`;
}
