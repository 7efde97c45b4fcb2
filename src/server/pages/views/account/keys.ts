import { type ApiKey, type ApiKeyMade, SCOPES, type Scope } from '../../../../protocol/api-key.ts';
import { copyField } from '../../frame/copy.ts';
import { checkBox } from '../../frame/fields.ts';
import { moment } from '../../frame/moment.ts';
import type { Page } from '../../frame/page.ts';
import { terminalOf } from '../../frame/terminal.ts';
import { type Html, html } from '../../html/html.ts';
import { accountPage } from './section.ts';

const PATH = '/ui/account/keys';

const SCOPE_NAMES: Readonly<Record<Scope, string>> = {
  read: 'Read my jobs and skins, private ones too',
  generate: 'Make skins',
  skins: 'Edit and delete my skins',
  account: 'Manage my keys and game accounts',
  operator: 'Run this server',
};

export interface KeysView {
  readonly keys: readonly ApiKey[];
  /** Id of the key that the person signed in with. */
  readonly current: string | undefined;
  /** Scopes that a new key may have. */
  readonly mayGive: readonly Scope[];
  readonly origin: string;
}

export function keysPage({ keys, current, mayGive, origin }: KeysView): Page {
  return accountPage('keys', {
    title: 'API keys',
    body: html`<p>Programs show a key to act for you. Give each its own, with no more scopes than it needs.</p>
<ul class="list">${keys.map((key) => row(key, { current, mayGive }))}</ul>
<section aria-labelledby="new"><h2 id="new">Make a new key</h2>
<form class="panel" method="post" action="${PATH}">${fields('new', mayGive)}<button>Make the key</button></form></section>`,
    terminal: terminalOf('skinsmith keys list', origin, '/v2/account/keys'),
  });
}

/** The only page that ever shows a key. */
export function newKeyPage({ id, name, secret }: ApiKeyMade, origin: string): Page {
  return accountPage('keys', {
    title: 'Your new key',
    body: html`<p class="lead">Copy the key <bdi>${name}</bdi> now: it is shown this once only.</p>
<dl class="copyable">${copyField('API key', secret)}${copyField('Its id', id)}</dl>
<p><a class="button" href="${PATH}">I have copied it</a></p>`,
    terminal: terminalOf('skinsmith login', origin, '/v2/me'),
  });
}

interface Rights extends Pick<KeysView, 'current' | 'mayGive'> {}

function row(key: ApiKey, { current, mayGive }: Rights): Html {
  const { id, name, last4, createdAt, lastUsedAt, generations = 0, scopes = [] } = key;
  return html`<li class="panel"><div class="grow"><strong><bdi>${name}</bdi></strong> <code>…${last4}</code>${id === current && html` <span class="tag active">signed in with this one</span>`}
<p class="quiet">Made ${moment(createdAt)}; ${lastUsedAt === undefined ? 'never used' : html`last used ${moment(lastUsedAt)}`}; ${generations} new ${generations === 1 ? 'skin' : 'skins'}</p>
<p class="quiet">May: ${scopes.join(', ')}${boundTo(key)}${key.v2Compat && '; version 1 requests go through the queue'}</p>
<details><summary aria-label="Change ${name}">Change</summary><form method="post" action="${PATH}/${id}">${fields(id, [...new Set([...mayGive, ...scopes])], key)}<button>Save</button></form></details>
<details><summary aria-label="Revoke ${name}">Revoke</summary><form method="post" action="${PATH}/${id}/revoke"><p>Programs with this key are refused from now on, and browsers that signed in with it are signed out.</p><button class="danger">Revoke the key</button></form></details></div></li>`;
}

function boundTo({ allowedIps, allowedOrigins, allowedAgents }: ApiKey): Html {
  const all = [...allowedIps, ...allowedOrigins, ...allowedAgents];
  return html`${all.length > 0 && html`; only from <bdi>${all.join(', ')}</bdi>`}`;
}

/** The fields of a new key, or of one that is changed. `form`: tells its fields from those of other forms. */
function fields(form: string, offered: readonly Scope[], key?: ApiKey): Html {
  const chosen = key?.scopes ?? ['read', 'generate', 'skins'];
  const scopes = SCOPES.filter((scope) => offered.includes(scope));
  return html`<div class="row"><div><label for="name-${form}">Name</label><input id="name-${form}" name="name" required maxlength="64" autocomplete="off" value="${key?.name ?? ''}"></div></div>
<fieldset><legend>It may</legend>${scopes.map((scope) => checkBox({ name: 'scope', value: scope, isChecked: chosen.includes(scope) }, SCOPE_NAMES[scope]))}</fieldset>
<fieldset><legend>It works only from</legend><div class="row">
${textArea(`ips-${form}`, 'allowedIps', 'Addresses and networks', key?.allowedIps)}
${textArea(`origins-${form}`, 'allowedOrigins', 'Web pages (origins)', key?.allowedOrigins)}
${textArea(`agents-${form}`, 'allowedAgents', 'Programs (user agents)', key?.allowedAgents)}</div>
<p class="quiet">One on each line. Empty: from anywhere, by any program.</p></fieldset>
${checkBox({ name: 'v2Compat', value: 'on', isChecked: key?.v2Compat ?? false }, 'Send version 1 requests through the queue of version 2')}`;
}

function textArea(id: string, name: string, label: string, values: readonly string[] = []): Html {
  return html`<div><label for="${id}">${label}</label><textarea id="${id}" name="${name}" rows="2" spellcheck="false">${values.join('\n')}</textarea></div>`;
}
