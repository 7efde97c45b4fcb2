import { z } from 'zod';
import { newUuid } from '../base/text.ts';
import { count, counted, type Html, html, say, separated } from '../html/html.ts';
import {
  type ApiKey,
  type ApiKeyMade,
  apiKeyBodySchema,
  apiKeyChangeSchema,
  SCOPES,
  type Scope,
} from '../protocol/api-key.ts';
import { type Caller, hasScope } from '../server/service/callers.ts';
import { Refusal } from '../server/service/refusal.ts';
import { changeOwnKey, createKey, listOwnKeys, revokeOwnKey } from '../server/service/users/keys.ts';
import {
  type Deletion,
  type DeletionObstacle,
  deleteAccount,
  readAccount,
  readDeletion,
  showName,
  showsName,
} from '../server/service/users/users.ts';
import { GAME_PAGES } from './account-games.ts';
import { sessionCookie } from './cookies.ts';
import {
  accountPage,
  checkBox,
  copyField,
  doneLine,
  moment,
  type Page,
  planTable,
  secretPage,
  usageMeters,
} from './frame.ts';
import {
  checked,
  formFor,
  lines,
  listField,
  type PageCall,
  type PageRoute,
  pageFor,
  seeOther,
  typedIn,
  yes,
} from './page-route.ts';

const PATH = '/ui/account/keys';
const params = z.object({ id: z.string().max(64) });

const NAME_PATH = '/ui/account/name';
const nameFields = z.object({ shown: checked });

const DELETE_PATH = '/ui/account/delete';
const DELETED_PATH = '/ui/account/deleted';

const deletionFields = z.object({ confirm: z.string(), shared: z.enum(['delete', 'leave']).optional() });

const keyFields = z.object({
  name: z.string(),
  scope: listField(z.string()),
  allowedIps: lines,
  allowedOrigins: lines,
  allowedAgents: lines,
  v2Compat: checked,
});

/** The form brings along the new key's ID. */
const newKeyFields = keyFields.extend({
  id: z
    .string()
    .regex(/^[0-9a-f]{24}$/)
    .optional(),
});

/** The fields in the shape that the API takes. */
function keyIn({ name, scope, allowedIps, allowedOrigins, allowedAgents, v2Compat }: KeyFields) {
  return { name, scopes: scope, allowedIps, allowedOrigins, allowedAgents, v2Compat };
}

type KeyFields = z.output<typeof keyFields>;

const deletionRoute = pageFor('account', DELETE_PATH, {}, deleteAccountPage);

const keysQuery = z.object({ created: z.literal('before').optional() });
const keysRoute = pageFor('account', PATH, { query: keysQuery }, keysPage);

export const ACCOUNT_PAGES: readonly PageRoute[] = [
  pageFor('users', '/ui/account', { query: z.object({ saved: yes }) }, overviewPage),
  formFor('account', NAME_PATH, { fields: nameFields, leadsTo: '/ui/account?saved=yes' }, async (call) => {
    await showName(call.context, call.caller, call.fields.shown);
  }),
  deletionRoute,
  formFor('account', DELETE_PATH, { fields: deletionFields, on: deletionRoute }, async (call) => {
    const { context, caller, session, request } = call;
    const { confirm, shared } = call.fields;
    const mayChoose = isShared((await readDeletion(context, caller)).shared);
    if (confirm.trim() !== session?.caller.name || (mayChoose && shared === undefined)) {
      const missing = mayChoose
        ? say`Type your name exactly as shown, and choose what happens to your skins.`
        : say`Type your name exactly as shown.`;
      throw new Refusal('invalid_request', String(missing));
    }
    await deleteAccount(context, caller, shared ?? 'delete');
    return seeOther(DELETED_PATH, { 'Set-Cookie': sessionCookie(request, context.publicUrl(), undefined) });
  }),
  pageFor('everyone', DELETED_PATH, {}, async () => ({
    title: say`Your account is deleted`,
    body: html`<p class="lead">${say`Your keys, sessions and private skins are gone.`}</p><p><a href="/ui/">${say`Go to the start page.`}</a></p>`,
  })),
  keysRoute,
  formFor('account', PATH, { fields: newKeyFields, on: keysRoute }, async (call) => {
    const { context, caller, fields } = call;
    const input = apiKeyBodySchema.parse(keyIn(fields));
    try {
      // A page, not a redirect: no address may lead to the key.
      const key = await createKey(context, caller, { ...input, id: fields.id });
      return accountPage('keys', newKeyPage(key, PATH));
    } catch (error) {
      // That page was reloaded.
      if (error instanceof Refusal && error.status === 409) return seeOther(`${PATH}?created=before`);
      throw error;
    }
  }),
  formFor(
    'account',
    `${PATH}/:id`,
    { params, fields: keyFields, on: keysRoute, leadsTo: PATH },
    async (call) => {
      const change = apiKeyChangeSchema.parse(keyIn(call.fields));
      await changeOwnKey(call.context, call.caller, call.params.id, change);
    },
  ),
  formFor('account', `${PATH}/:id/revoke`, { params, leadsTo: PATH }, async ({ context, caller, params }) => {
    await revokeOwnKey(context, caller, params.id);
  }),
  ...GAME_PAGES,
];

/** A key can give new keys only its own scopes, and only an operator's keys can have `operator`. */
function scopesToGive(caller: Caller): Scope[] {
  const isOperator = caller.kind === 'user' && caller.isOperator;
  return SCOPES.filter((scope) => hasScope(caller, scope) && (scope !== 'operator' || isOperator));
}

const SCOPE_NAMES: Readonly<Record<Scope, Html>> = {
  read: say`Read my jobs and skins, including private ones`,
  generate: say`Make skins`,
  skins: say`Edit and delete my skins`,
  account: say`Manage my keys and game accounts`,
  operator: say`Run this server`,
};

/** What was typed into a form that was refused. `form`: the ID of the key to change, or `new`. */
interface TypedKey extends KeyFields {
  readonly form: unknown;
  readonly problem: Html;
}

type KeysCall = PageCall<unknown, z.output<typeof keysQuery>>;

async function keysPage({ context, caller, query, typed: refused }: KeysCall): Promise<Page> {
  const typed = refused && {
    ...keyFields.parse(refused.fields),
    form: refused.params['id'] ?? 'new',
    problem: refused.problem,
  };
  const keys = await listOwnKeys(context.db, caller);
  const current = caller.kind === 'user' ? caller.key?.id : undefined;
  const mayGive = scopesToGive(caller);
  return accountPage('keys', {
    title: say`API keys`,
    body: html`${query.created && html`<p class="problem" role="status">${say`This key has already been created. A key is shown only once: if you did not copy it, revoke it and create another one.`}</p>`}
<p>${say`Programs use a key to act for you. Give each its own, with no more permissions than it needs.`}</p>
<ul class="list">${keys.map((key) => row(key, { current, mayGive, typed }))}</ul>
<section aria-labelledby="new"><h2 id="new">${say`Create a key`}</h2>
<form class="panel" method="post" action="${PATH}"><input type="hidden" name="id" value="${newUuid().slice(0, 24)}">${fields('new', mayGive, { typed })}<button>${say`Create key`}</button></form></section>`,
    terminal: { command: 'skinsmith keys list', path: '/v2/account/keys' },
  });
}

/** The only page that ever shows a key. */
export function newKeyPage({ id, name, secret }: ApiKeyMade, back: string): Page {
  const lead = say`Copy the key “<bdi>${name}</bdi>” now. You will not see it again.`;
  const secrets = html`${copyField(say`API key`, secret)}${copyField(say`Key ID`, id)}`;
  return secretPage(say`Your new key`, { lead, secrets, back });
}

interface RowView {
  readonly typed: TypedKey | undefined;
  /** ID of the key that the person signed in with. */
  readonly current: string | undefined;
  /** Scopes that a new key may have. */
  readonly mayGive: readonly Scope[];
}

function row(key: ApiKey, { current, mayGive, typed }: RowView): Html {
  const { id, name, last4, scopes = [] } = key;
  const permissions = scopes.map((scope) => SCOPE_NAMES[scope]);
  const words = separated('; ', permissions);
  return html`<li class="panel"><div class="grow"><strong><bdi>${name}</bdi></strong> <code>…${last4}</code>${id === current && html` <span class="tag active">${say`used for this session`}</span>`}
<p class="quiet">${useOf(key)}</p>
<p class="quiet">${separated('; ', [say`Permissions: ${words}`, boundTo(key), key.v2Compat && say`version 1 requests use the queue`])}</p>
${typed?.form === id ? html`<details open>` : html`<details>`}<summary aria-label="${say`Change ${name}`}">${say`Change`}</summary><form method="post" action="${PATH}/${id}">${fields(id, [...new Set([...mayGive, ...scopes])], { key, typed })}<button>${say`Save`}</button></form></details>
<details><summary aria-label="${say`Revoke ${name}`}">${say`Revoke`}</summary><form method="post" action="${PATH}/${id}/revoke"><p>${say`Programs that use this key will be refused, and browsers that signed in with it will be signed out.`}</p><button class="danger">${say`Revoke key`}</button></form></details></div></li>`;
}

/** When a key was made and used, and what for. */
export function useOf({ createdAt, lastUsedAt, generations = 0 }: ApiKey): Html {
  const skins = counted(generations, {
    one: say`${count(generations)} new skin`,
    other: say`${count(generations)} new skins`,
  });
  return lastUsedAt === undefined
    ? say`Created ${moment(createdAt)}; never used; ${skins}`
    : say`Created ${moment(createdAt)}; last used ${moment(lastUsedAt)}; ${skins}`;
}

type Bounds = Pick<ApiKey, 'allowedIps' | 'allowedOrigins' | 'allowedAgents'>;

function boundTo({ allowedIps, allowedOrigins, allowedAgents }: Bounds): Html | undefined {
  const all = [...allowedIps, ...allowedOrigins, ...allowedAgents];
  return all.length > 0 ? say`only from <bdi>${separated(', ', all)}</bdi>` : undefined;
}

/** The fields for a new key, or for changing one. `form`: makes the fields' ids unique on the page. */
function fields(
  form: string,
  offered: readonly Scope[],
  { key, typed: last }: { readonly key?: ApiKey; readonly typed: TypedKey | undefined },
): Html {
  const typed = last?.form === form ? last : undefined;
  const shown = typed ?? key;
  const chosen: readonly string[] = typed?.scope ?? key?.scopes ?? ['read', 'generate', 'skins'];
  const scopes = SCOPES.filter((scope) => offered.includes(scope));
  const isRestricted = shown !== undefined && (boundTo(shown) !== undefined || shown.v2Compat);
  return html`${typed?.problem}<div class="row"><div><label for="name-${form}">${say`Name`}</label><input id="name-${form}" name="name" required maxlength="64" value="${shown?.name ?? ''}"></div></div>
<fieldset><legend>${say`Permissions`}</legend>${scopes.map((scope) => checkBox({ name: 'scope', value: scope, isChecked: chosen.includes(scope) }, SCOPE_NAMES[scope]))}</fieldset>
${isRestricted ? html`<details open>` : html`<details>`}<summary>${say`Restrict to`}</summary><div class="row">
${textArea(`ips-${form}`, 'allowedIps', say`Addresses and networks`, shown?.allowedIps)}
${textArea(`origins-${form}`, 'allowedOrigins', say`Web pages (origins)`, shown?.allowedOrigins)}
${textArea(`agents-${form}`, 'allowedAgents', say`Programs (user agents)`, shown?.allowedAgents)}</div>
<p class="quiet">${say`One per line. Leave a field empty to set no restriction.`}</p>
${checkBox({ name: 'v2Compat', value: 'on', isChecked: shown?.v2Compat ?? false }, say`Send version 1 requests through the version 2 queue`)}</details>`;
}

function textArea(id: string, name: string, label: Html, values: readonly string[] = []): Html {
  return html`<div><label for="${id}">${label}</label><textarea id="${id}" name="${name}" rows="2" spellcheck="false">${values.join('\n')}</textarea></div>`;
}

type OverviewCall = PageCall<unknown, { readonly saved?: 'yes' | undefined }>;

async function overviewPage({ context, caller, query }: OverviewCall): Promise<Page> {
  const { name, role, plan, usage, user } = await readAccount(context, caller);
  const mayChange = hasScope(caller, 'account');
  const body = html`<dl class="facts">
<div><dt>${say`Name`}</dt><dd><bdi>${name}</bdi></dd></div>
<div><dt>${say`Role`}</dt><dd>${role === 'operator' ? say`Operator` : say`User`}</dd></div>
<div><dt>UUID</dt><dd class="breaks"><code>${user}</code></dd></div>
</dl>
${doneLine(query)}
${mayChange && nameForm(await showsName(context, caller))}
<section aria-labelledby="used"><h2 id="used">${say`Current usage`}</h2>
${usageMeters(usage, plan)}
${mayChange && html`<p><a href="/ui/account/keys">${counted(usage.keys, { one: say`${count(usage.keys)} API key`, other: say`${count(usage.keys)} API keys` })}</a></p>`}</section>
<section aria-labelledby="plan"><h2 id="plan">${say`Plan`}</h2>
${planTable([plan])}
<p class="quiet">${say`The operator of this server assigns plans. Skins that already exist do not count towards any limit.`}</p></section>
${mayChange && html`<p><a href="${DELETE_PATH}">${say`Delete this account`}</a></p>`}`;
  return accountPage('overview', { title: say`Account`, body }, mayChange);
}

function nameForm(isNameShown: boolean): Html {
  return html`<form class="acts" method="post" action="${NAME_PATH}">
${checkBox({ name: 'shown', value: 'on', isChecked: isNameShown }, say`Show my name on my public skins and sets`)}
<button class="quiet-button">${say`Save`}</button></form>`;
}

const OBSTACLES: Readonly<Record<DeletionObstacle, Html>> = {
  made_at_start: say`The service makes this account at each start, so it cannot be deleted.`,
  last_operator: say`You are the last operator of this service, so your account cannot be deleted.`,
};

async function deleteAccountPage({ context, caller, session, typed }: PageCall): Promise<Page> {
  const { shared, obstacle } = await readDeletion(context, caller);
  const checkedIf = (choice: string) => choice === typedIn(typed, 'shared') && html` checked`;
  const title = say`Delete your account?`;
  if (obstacle !== undefined)
    return accountPage('overview', { title, body: html`<p>${OBSTACLES[obstacle]}</p>` });
  return accountPage('overview', {
    title,
    body: html`${typed?.problem}
<p>${say`This deletes your API keys, sessions, game accounts, jobs, sets and private skins. Nobody can undo it. Your name stays in the operators’ log.`}</p>
<form class="panel narrow" method="post" action="${DELETE_PATH}">
${
  isShared(shared) &&
  html`<fieldset><legend>${say`What should happen to your skins that others can see: ${sharedText(shared)}?`}</legend>
<label class="check"><input type="radio" name="shared" value="delete" required${checkedIf('delete')}> ${say`Delete`}</label>
<label class="check"><input type="radio" name="shared" value="leave"${checkedIf('leave')}> ${say`Keep them, without name and owner`}</label></fieldset>`
}
<label for="confirm">${say`Type your name, <bdi>${session?.caller.name}</bdi>, to confirm`}</label>
<input id="confirm" name="confirm" required maxlength="32" autocomplete="off" spellcheck="false">
<div class="acts"><button class="danger">${say`Delete my account`}</button> <a href="/ui/account">${say`Keep it`}</a></div></form>`,
  });
}

function isShared({ public: open, unlisted }: Deletion['shared']): boolean {
  return open + unlisted > 0;
}

/** How many skins others can see, by visibility. */
function sharedText({ public: open, unlisted }: Deletion['shared']): Html {
  const publicOnes = counted(open, { one: say`${count(open)} public`, other: say`${count(open)} public` });
  const unlistedOnes = counted(unlisted, {
    one: say`${count(unlisted)} unlisted`,
    other: say`${count(unlisted)} unlisted`,
  });
  return separated(', ', [open > 0 && publicOnes, unlisted > 0 && unlistedOnes]);
}
