import { z } from 'zod';
import { count, counted, type Html, html, say, separated } from '../html/html.ts';
import type { BegunGameLogin, GameAccount, GameAccountCheck } from '../protocol/game-account.ts';
import { uuidSchema } from '../protocol/skin.ts';
import {
  beginGameLogin,
  changeGameAccount,
  checkGameAccount,
  findGameLogin,
  readGameAccounts,
  readGameLogin,
  unlinkGameAccount,
} from '../server/service/accounts/accounts.ts';
import { requireUser } from '../server/service/callers.ts';
import { withinFetchLimits } from '../server/service/sources/fetches.ts';
import { accountPage, actionButton, checkBox, copyField, inEnglish, moment, type Page } from './frame.ts';
import { operatorPage } from './operator-list.ts';
import {
  addressWith,
  checked,
  formFor,
  type PageCall,
  type PageRoute,
  pageFor,
  seeOther,
  yes,
} from './page-route.ts';

const PATH = '/ui/account/games';
const ofWhom = z.object({ whose: z.literal('all').optional() });
/** `worn`: an account was just unlinked that still wears a skin of ours. */
const listQuery = ofWhom.extend({ worn: yes });
const ofAccount = { params: z.object({ uuid: uuidSchema }), query: ofWhom };
const settingFields = z.object({ share: checked, capes: checked, restore: checked });
const pauseFields = z.object({ paused: z.enum(['yes', 'no']) });
const ofLogin = z.object({ id: z.string().max(64) });

export const GAME_PAGES: readonly PageRoute[] = [
  // The person's own accounts, or for operators those of all.
  pageFor('account', PATH, { query: listQuery }, gamesPage),
  formFor('account', `${PATH}/logins`, { fields: z.object({ share: checked }) }, async (call) => {
    const { context, caller, fields } = call;
    const begin = async () => await beginGameLogin(context, caller, fields);
    const { id } = await withinFetchLimits(context, { caller, via: 'queue' }, begin);
    return seeOther(`${PATH}/logins/${id}?new=yes`);
  }),
  // Checks whether the person has entered the code, except when the page is first shown.
  pageFor(
    'account',
    `${PATH}/logins/:id`,
    { params: ofLogin, query: z.object({ new: yes }) },
    async (call) => {
      const { context, caller, params, query } = call;
      const begun = findGameLogin(context, caller, params.id);
      const { status, message = '' } = query.new ? ({ status: 'waiting' } as const) : await loginOf(call);
      if (status === 'linked') return seeOther(PATH);
      return status === 'failed' ? failedLoginPage(message) : loginPage(begun);
    },
  ),
  pageFor('account', `${PATH}/logins/:id/state`, { params: ofLogin }, async (call) => ({
    status: 200,
    body: await loginOf(call),
  })),
  formFor('account', `${PATH}/:uuid`, { ...ofAccount, fields: settingFields }, async (call) => {
    await changeGameAccount(call.context, call.caller, call.params.uuid, call.fields);
    return seeOther(addressWith(PATH, call.query));
  }),
  formFor('account', `${PATH}/:uuid/pause`, { ...ofAccount, fields: pauseFields }, async (call) => {
    const change = { paused: call.fields.paused === 'yes' };
    await changeGameAccount(call.context, call.caller, call.params.uuid, change);
    return seeOther(addressWith(PATH, call.query));
  }),
  formFor('account', `${PATH}/:uuid/check`, ofAccount, async ({ context, caller, params, query }) => {
    const look = async () => await checkGameAccount(context, caller, params.uuid);
    const check = await withinFetchLimits(context, { caller, via: 'queue' }, look);
    return checkedPage(check, addressWith(PATH, query));
  }),
  formFor('account', `${PATH}/:uuid/unlink`, ofAccount, async ({ context, caller, params, query }) => {
    const outcome = await unlinkGameAccount(context, caller, params.uuid);
    return seeOther(addressWith(PATH, { ...query, ...(outcome === 'not_restored' && { worn: 'yes' }) }));
  }),
];

async function loginOf({ context, caller, params }: PageCall<z.output<typeof ofLogin>>) {
  return (await readGameLogin(context, caller, params.id)).login;
}

const STATES: Readonly<Record<GameAccount['state'], Html>> = {
  active: say`works`,
  paused: say`paused`,
  suspended: say`suspended by Mojang`,
  needs_login: say`needs to be linked again`,
};

async function gamesPage(call: PageCall<unknown, z.output<typeof listQuery>>): Promise<Page> {
  const { context, caller, query } = call;
  const { name, isOperator } = requireUser(caller);
  const areAll = isOperator && query.whose === 'all';
  const readable = await readGameAccounts(context, caller);
  const accounts = areAll ? readable : readable.filter(({ user }) => user === name);
  const mayLink = context.usersMayLink || isOperator;
  const areUsed = context.generatorKind === 'accounts';
  const now = context.clock.now();
  const page = {
    title: say`Game accounts`,
    body: html`${query.worn && html`<p class="problem" role="status">${say`The account was unlinked, but its previous skin could not be restored. Its owner must set it again.`}</p>`}
<p>${
      areUsed
        ? say`This server makes skins with linked game accounts: it sets the skin on an account and keeps the data that Mojang signed.`
        : say`This server does not make skins with game accounts, so linked accounts are not used.`
    }</p>
${accounts.length > 0 ? html`<ul class="list">${accounts.map((account) => row(account, { areAll, now }))}</ul>` : areUsed && html`<p class="empty">${say`No game accounts linked yet.`}</p>`}
${areUsed && (mayLink ? linkForm() : html`<p class="panel">${say`Only the operator of this server may link game accounts.`}</p>`)}`,
  };
  return areAll ? operatorPage('accounts', page) : accountPage('games', page);
}

function linkForm(): Html {
  return html`<section aria-labelledby="link"><h2 id="link">${say`Link an account`}</h2>
<form class="panel narrow" method="post" action="${PATH}/logins"><p>${say`You sign in to Microsoft with a code; this server never sees your password. Your player wears each skin while this server makes it.`}</p>
${checkBox({ name: 'share', value: 'on', isChecked: false }, say`Share it: use it for everyone’s skins`)}
<button>${say`Get a code`}</button></form></section>`;
}

/** `areAll`: whether the list has the accounts of all users. */
function row(
  account: GameAccount,
  { areAll, now }: { readonly areAll: boolean; readonly now: number },
): Html {
  const { uuid, name, user, state, share, generated, failed, lastError, lastUsedAt, freeAt, inUse } = account;
  const isPaused = state === 'paused';
  const whose = areAll ? '?whose=all' : '';
  return html`<li class="panel"><div class="grow"><strong><bdi>${name}</bdi></strong> ${standing(account)}${inUse && html` <span class="tag">${say`in use`}</span>`}${areAll && share && html` <span class="tag">${say`shared`}</span>`}
<p class="quiet">${separated('; ', [
    areAll && (user === undefined ? say`Linked by a deleted user` : say`Linked by <bdi>${user}</bdi>`),
    separated(', ', [skinsMade(generated), failureCount(failed)]),
    lastUsedAt !== undefined && say`last used ${moment(lastUsedAt)}`,
    freeAt !== undefined && new Date(freeAt).getTime() > now && say`available from ${moment(freeAt)}`,
  ])}</p>
${lastError && html`<p class="quiet">${separated(': ', [moment(lastError.at), html`<bdi>${inEnglish(lastError.message)}</bdi>`])}</p>`}
${settings(account, whose)}
<details><summary aria-label="${say`Unlink ${name}`}">${say`Unlink`}</summary><form method="post" action="${PATH}/${uuid}/unlink${whose}"><p>${say`The account gets its previous skin back. Skins that it made stay.`}</p><button class="danger">${say`Unlink the account`}</button></form></details></div>
<div class="acts">${actionButton(`${PATH}/${uuid}/check${whose}`, say`Check`, { about: name })}
${actionButton(`${PATH}/${uuid}/pause${whose}`, isPaused ? say`Resume` : say`Pause`, { about: name, fields: { paused: isPaused ? 'no' : 'yes' } })}</div></li>`;
}

function standing({ state, coolUntil }: GameAccount): Html {
  const rests = state === 'active' && coolUntil !== undefined;
  return html`<span class="tag ${!rests && state}">${rests ? say`resting until ${moment(coolUntil)}` : STATES[state]}</span>`;
}

function skinsMade(number: number): Html {
  return counted(number, { one: say`${count(number)} skin made`, other: say`${count(number)} skins made` });
}

export function failureCount(number: number): Html {
  return counted(number, { one: say`${count(number)} failure`, other: say`${count(number)} failures` });
}

function settings({ uuid, name, share, restore, capes }: GameAccount, whose: string): Html {
  return html`<details><summary aria-label="${say`Settings of ${name}`}">${say`Settings`}</summary><form method="post" action="${PATH}/${uuid}${whose}">
${checkBox({ name: 'share', value: 'on', isChecked: share }, say`Share it: use it for everyone’s skins`)}
${checkBox({ name: 'capes', value: 'on', isChecked: capes }, say`Allow skins to show its cape`)}
${checkBox({ name: 'restore', value: 'on', isChecked: restore }, say`Restore its own skin when it is idle`)}
<button>${say`Save`}</button></form></details>`;
}

/** The code that the account's owner has to enter, and where. */
function loginPage({ id, userCode, verificationUri, expiresAt, interval }: BegunGameLogin): Page {
  return accountPage('games', {
    title: say`Sign in to your game account`,
    body: html`<ol class="steps"><li><p>${say`Open ${html`<a href="${verificationUri}" target="_blank" rel="noreferrer">${verificationUri}</a>`}`}</p></li>
<li><dl class="copyable">${copyField(say`Enter this code there`, userCode)}</dl></li>
<li><p>${say`Come back here. The code works until ${moment(expiresAt)}.`}</p></li></ol>
<p role="status" data-login="${PATH}/logins/${id}/state" data-every="${interval}" hidden>${say`Waiting for you to enter the code.`}</p>
<p><a class="button" href="${PATH}/logins/${id}">${say`I have entered the code`}</a></p>`,
  });
}

function failedLoginPage(message: string): Page {
  return accountPage('games', {
    status: 400,
    title: say`The account was not linked`,
    body: html`<p class="lead">${inEnglish(message)}</p><p><a class="button" href="${PATH}">${say`Back to game accounts`}</a></p>`,
  });
}

function checkedPage({ account, problems }: GameAccountCheck, back: string): Page {
  return accountPage('games', {
    title: problems.length === 0 ? say`The account works` : say`The account cannot be used now`,
    body: html`<p class="lead"><bdi>${account.name}</bdi>: ${STATES[account.state]}</p>
${problems.length > 0 && html`<ul>${problems.map((problem) => html`<li>${inEnglish(problem)}</li>`)}</ul>`}
<p><a class="button" href="${back}">${say`Back to game accounts`}</a></p>`,
  });
}
