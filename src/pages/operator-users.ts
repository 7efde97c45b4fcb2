import { z } from 'zod';
import { count, type Html, html, say, separated } from '../html/html.ts';
import type { Identity } from '../protocol/account.ts';
import { type ApiKey, apiKeyBodySchema } from '../protocol/api-key.ts';
import {
  type Invitation,
  type User,
  userBodySchema,
  userChangeSchema,
  userListQuerySchema,
  userNameSchema,
} from '../protocol/user.ts';
import { readGameAccounts } from '../server/service/accounts/accounts.ts';
import { readIdentities } from '../server/service/openid.ts';
import { inviteUser, revokeInvitation } from '../server/service/users/invitations.ts';
import { createKey, listOwnKeys, revokeOwnKey } from '../server/service/users/keys.ts';
import {
  createUser,
  readUserDetails,
  readUsers,
  setUser,
  type UserDetails,
} from '../server/service/users/users.ts';
import { newKeyPage, useOf } from './account.ts';
import {
  actionButton,
  confirmed,
  copyField,
  day,
  identityRows,
  listOr,
  moment,
  type Page,
  pictureAt,
  secretPage,
  usageMeters,
} from './frame.ts';
import { operatorList, operatorPage } from './operator-list.ts';
import { disabling, placeOfForm, userPath, VISIBILITY_WORDS } from './operator-moderation.ts';
import { formFor, type PageRoute, pageFor, seeOther, type TypedForm, typedIn } from './page-route.ts';

const PATH = '/ui/operator/users';
const params = z.object({ name: userNameSchema });
const keyParams = params.extend({ id: z.string().max(64) });
const keyFields = z.object({ name: z.string() });
const invitationFields = z.object({ act: z.enum(['make', 'revoke']) });
const changeFields = z.object({ plan: z.string(), disabled: z.enum(['yes', 'no']) }).partial();

const usersPages = operatorList({
  section: 'users',
  query: userListQuerySchema,
  read: async ({ context, caller, query }) => ({
    entries: await readUsers(context, caller, query),
    filter: query.filter ?? '',
    plans: context.plans.all().map(({ name }) => name),
  }),
  placeOf: ({ name }) => name,
  page: ({ filter, plans }, typed) => ({
    title: say`Users`,
    none: filter === '' ? say`No users yet.` : say`No users match.`,
    filters: { filter },
    above: html`${userSearch(filter)}${typed && newUser(plans, typed)}`,
    below: typed ? html`` : newUser(plans),
    columns: [say`Name`, say`Last use`, say`Plan`, say`API keys`, say`Created`],
  }),
  row,
  forms: (form) => [
    form('', { fields: userBodySchema }, async ({ context, caller, fields }) => {
      const { name } = await createUser(context, caller, fields);
      return seeOther(userPath(name));
    }),
  ],
});

export const USER_PAGES: readonly PageRoute[] = [
  ...usersPages,
  pageFor('operator', `${PATH}/:name`, { params }, async ({ context, caller, params: { name } }) => {
    const details = await readUserDetails(context, caller, name);
    const keys = await listOwnKeys(context.db, caller, name);
    const identities = await readIdentities(context, caller, name);
    const games = (await readGameAccounts(context, caller)).filter(({ user }) => user === name);
    const plans = context.plans.all().map((plan) => plan.name);
    const links = { identities, games: games.map((game) => game.name) };
    const me = caller.kind === 'user' ? caller.name : undefined;
    return userPage({ ...details, ...links, keys, plans, me });
  }),
  formFor('operator', `${PATH}/:name`, { params, fields: changeFields }, async (call) => {
    const { context, caller, params } = call;
    const { plan, disabled } = call.fields;
    const change = { plan, disabled: disabled && disabled === 'yes' };
    await setUser(context, caller, params.name, userChangeSchema.parse(change));
    return seeOther(placeOfForm(call, userPath(params.name)));
  }),
  formFor('operator', `${PATH}/:name/keys`, { params, fields: keyFields }, async (call) => {
    const { context, caller, fields } = call;
    const { name: user } = call.params;
    await readUserDetails(context, caller, user); // creating a key would create the user
    const key = await createKey(context, caller, apiKeyBodySchema.parse({ ...fields, user }));
    return operatorPage('users', newKeyPage(key, userPath(user)));
  }),
  formFor('operator', `${PATH}/:name/invitation`, { params, fields: invitationFields }, async (call) => {
    const { context, caller } = call;
    const { name } = call.params;
    if (call.fields.act === 'make') return invitationPage(name, await inviteUser(context, caller, name));
    await revokeInvitation(context, caller, name);
    return seeOther(userPath(name));
  }),
  formFor('operator', `${PATH}/:name/keys/:id/revoke`, { params: keyParams }, async (call) => {
    await revokeOwnKey(call.context, call.caller, call.params.id);
    return seeOther(userPath(call.params.name));
  }),
];

/** The only page that ever shows an invitation. */
function invitationPage(name: string, { link }: Invitation): Page {
  const lead = say`Send this link to <bdi>${name}</bdi>. Within seven days, it signs in once.`;
  const view = { lead, secrets: copyField(say`Invitation`, link), back: userPath(name) };
  return operatorPage('users', secretPage(say`An invitation for ${name}`, view));
}

function userSearch(filter: string): Html {
  return html`<search><form method="get" action="${PATH}"><div class="row">
<div><label for="filter">${say`Name contains`}</label><input id="filter" type="search" name="filter" maxlength="32" value="${filter}"></div>
<div class="end"><button>${say`Search`}</button></div></div></form></search>`;
}

function newUser(plans: readonly string[], typed?: TypedForm): Html {
  return html`<section aria-labelledby="new"><h2 id="new">${say`Create a user`}</h2>
<form class="panel" method="post" action="${PATH}">${typed?.problem}<div class="row">
<div><label for="name">${say`Name`}</label><input id="name" name="name" required maxlength="32" pattern="[A-Za-z0-9_.\\-]+" title="${say`Letters A to Z, digits, _ . and -`}" spellcheck="false" value="${typedIn(typed, 'name')}"></div>
<div><label for="plan">${say`Plan`}</label><select id="plan" name="plan">${planOptions(typedIn(typed, 'plan', 'free'), plans)}</select></div>
<div class="end"><button>${say`Create user`}</button></div></div></form></section>`;
}

function row(user: User): Html {
  const { name, plan, keys, createdAt, lastUsedAt } = user;
  return html`<th scope="row"><a href="${userPath(name)}"><bdi>${name}</bdi></a>${tags(user)}</th>
<td>${lastUsedAt === undefined ? say`never` : moment(lastUsedAt)}</td><td>${plan}</td><td>${count(keys)}</td><td>${day(Date.parse(createdAt))}</td>`;
}

function tags({ role, disabledAt, invitedUntil }: User): Html {
  return html`${invitedUntil !== undefined && html` <span class="tag">${say`invited`}</span>`}${role === 'operator' && html` <span class="tag">${say`operator`}</span>`}${disabledAt !== undefined && html` <span class="tag">${say`disabled`}</span>`}`;
}

/** Includes the user's plan even if the service no longer offers it. */
function planOptions(plan: string, plans: readonly string[]): Html[] {
  const all = plans.includes(plan) ? plans : [plan, ...plans];
  return all.map((one) => html`<option value="${one}"${one === plan && html` selected`}>${one}</option>`);
}

interface UserView extends UserDetails {
  readonly keys: readonly ApiKey[];
  readonly identities: readonly Identity[];
  /** Names of the linked game accounts. */
  readonly games: readonly string[];
  /** Names of the plans. */
  readonly plans: readonly string[];
  /** Name of the operator. */
  readonly me: string | undefined;
}

function userPage(view: UserView): Page {
  const { user, plan, usage, skins, newest, keys, identities, games } = view;
  const { name, id, createdAt, disabledAt, lastUsedAt } = user;
  return operatorPage('users', {
    title: name,
    hasOwnHeading: true,
    body: html`<h1><bdi>${name}</bdi>${tags(user)}</h1>
<dl class="facts">
<div><dt>${say`Plan`}</dt><dd>${user.plan}</dd></div>
<div><dt>${say`Created`}</dt><dd>${moment(createdAt)}</dd></div>
<div><dt>${say`Last use`}</dt><dd>${lastUsedAt === undefined ? say`never` : moment(lastUsedAt)}</dd></div>
<div><dt>${say`Skins`}</dt><dd>${skins === undefined ? say`more than ${count(10_000)}` : count(skins)}</dd></div>
<div><dt>${say`Game accounts`}</dt><dd>${games.length === 0 ? say`none` : separated(', ', games)}</dd></div>
${disabledAt !== undefined && html`<div><dt>${say`Disabled`}</dt><dd>${moment(disabledAt)}</dd></div>`}
<div><dt>UUID</dt><dd class="breaks"><code>${id}</code></dd></div>
</dl>
${decisions(view)}
<section aria-labelledby="used"><h2 id="used">${say`Current usage`}</h2>${usageMeters(usage, plan)}</section>
<section aria-labelledby="keys"><h2 id="keys">${say`API keys`}</h2>
${listOr(
  say`No API keys.`,
  keys.map((key) => keyRow(name, key)),
)}
<form class="panel" method="post" action="${userPath(name)}/keys"><div class="row">
<div><label for="key">${say`Name of a new key`}</label><input id="key" name="name" required maxlength="64"></div>
<div class="end"><button>${say`Create key`}</button></div></div></form></section>
${identities.length > 0 && html`<section aria-labelledby="sso"><h2 id="sso">${say`Single sign-on`}</h2><ul class="list">${identityRows(identities, `${userPath(name)}/identities`)}</ul></section>`}
<section aria-labelledby="skins"><h2 id="skins">${say`Newest skins that others can see`}</h2>
${listOr(say`None.`, newest.map(skinRow))}</section>`,
  });
}

function decisions({ user: { name, plan, disabledAt, invitedUntil }, plans, me }: UserView): Html {
  const isMe = me === name;
  const invitation = (act: string, label: Html) =>
    actionButton(`${userPath(name)}/invitation`, label, { about: name, fields: { act } });
  return html`<section class="panel" aria-label="${say`Plan and access`}"><form class="acts" method="post" action="${userPath(name)}"><label for="plan">${say`Plan`}</label>
<select id="plan" name="plan">${planOptions(plan, plans)}</select><button class="quiet-button">${say`Change plan`}</button></form>
${!isMe && html`<div class="acts">${disabledAt === undefined && invitation('make', say`Make an invitation`)}${invitedUntil !== undefined && html`<span class="quiet">${say`An invitation works until ${moment(invitedUntil)}`}</span>${invitation('revoke', say`Revoke`)}`}${disabledAt === undefined ? disabling(name) : actionButton(userPath(name), say`Enable`, { about: name, fields: { disabled: 'no' } })}</div>`}</section>`;
}

function keyRow(user: string, key: ApiKey): Html {
  const { id, name, last4, scopes = [] } = key;
  return html`<div class="grow"><strong><bdi>${name}</bdi></strong> <code>…${last4}</code>
<p class="quiet">${useOf(key)}</p>
<p class="quiet">${say`Permissions: ${separated(', ', scopes)}`}</p></div>
<div class="acts">${confirmed(say`Revoke`, { about: name, path: `${userPath(user)}/keys/${id}/revoke`, warning: say`Programs that use this key will be refused, and browsers that signed in with it will be signed out.`, button: say`Revoke key` })}</div>`;
}

function skinRow(skin: UserDetails['newest'][number]): Html {
  const { uuid, name, visibility, hidden_from } = skin;
  const label = html`<bdi>${name ?? uuid.slice(0, 8)}</bdi>`;
  if (hidden_from !== null)
    return html`<div class="grow">${label} <span class="tag">${say`hidden`}</span></div>`;
  return html`<img ${pictureAt('src', { skin, view: 'front', size: 128 })} alt="" width="32" height="64" loading="lazy">
<div class="grow"><a href="/ui/skins/${uuid}">${label}</a> <span class="tag">${VISIBILITY_WORDS[visibility]}</span></div>`;
}
