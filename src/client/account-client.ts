import { type Identity, identityListAnswerSchema } from '../protocol/account.ts';
import {
  type ApiKey,
  type ApiKeyChange,
  type ApiKeyInput,
  type ApiKeyMade,
  apiKeyAnswerSchema,
  apiKeyListAnswerSchema,
  apiKeyMadeAnswerSchema,
} from '../protocol/api-key.ts';
import {
  type Cape,
  type CapeChange,
  type CapeInput,
  receivedCapeAnswerSchema,
  receivedCapeListAnswerSchema,
} from '../protocol/cape.ts';
import { envelopeSchema, type Note } from '../protocol/envelope.ts';
import {
  type BegunGameLogin,
  begunLoginAnswerSchema,
  type GameAccount,
  type GameAccountChange,
  type GameAccountCheck,
  type GameAccountSkin,
  type GameLinkOptions,
  type GameLogin,
  gameAccountAnswerSchema,
  gameAccountCheckAnswerSchema,
  gameAccountListAnswerSchema,
  gameLoginAnswerSchema,
} from '../protocol/game-account.ts';
import { type Diagnosis, diagnosisAnswerSchema } from '../protocol/service.ts';
import {
  receivedSkinsDeletedAnswerSchema,
  receivedSkinsEditedAnswerSchema,
  type SimilarSkin,
  type SkinEdit,
  similarSkinsAnswerSchema,
} from '../protocol/skin.ts';
import {
  type Account,
  accountAnswerSchema,
  type Invitation,
  invitationAnswerSchema,
  type PlanView,
  planListAnswerSchema,
  type User,
  type UserChange,
  type UserInput,
  userAnswerSchema,
  userListAnswerSchema,
} from '../protocol/user.ts';
import { ModerationClient } from './moderation-client.ts';
import { at, nextIn, queryOf } from './pages.ts';
import { PlayerClient } from './player-client.ts';
import type { Requester } from './requester.ts';
import { SetClient } from './set-client.ts';
import type {
  BulkEdited,
  CallOptions,
  PageQuery,
  SkinDeletion,
  SkinExportFormat,
  SkinExportQuery,
  SkinsEdited,
} from './types.ts';

/** Milliseconds, for requests that wait for the game's answer. */
const LONG = 90_000;

/** The game accounts that a user linked to a skinsmith service; an operator sees those of all users. */
export class GameAccountClient {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /** GET /v2/account/accounts: the user's linked accounts, or all accounts for an operator, by name. */
  async list(call: CallOptions = {}): Promise<readonly GameAccount[]> {
    return (await this.#requester.get(GAME_ACCOUNTS, gameAccountListAnswerSchema, call)).accounts;
  }

  /** POST /v2/account/accounts: links the account of a token: a game token or a Microsoft refresh token. */
  async link(token: string, { share, ...call }: CallOptions & GameLinkOptions = {}): Promise<GameAccount> {
    const content = { json: { token, share } };
    const request = { method: 'POST', path: GAME_ACCOUNTS, timeout: LONG, content } as const;
    return (await this.#requester.request(request, gameAccountAnswerSchema, call)).account;
  }

  /** POST /v2/account/accounts/logins: starts a sign-in by the account's owner. */
  async beginLogin({ share, ...call }: CallOptions & GameLinkOptions = {}): Promise<BegunGameLogin> {
    const content = { json: { share } };
    const request = { method: 'POST', path: `${GAME_ACCOUNTS}/logins`, timeout: LONG, content } as const;
    return (await this.#requester.request(request, begunLoginAnswerSchema, call)).login;
  }

  /** GET /v2/account/accounts/logins/:id: the state of the sign-in, and the account once it is linked. */
  async login(id: string, call: CallOptions = {}): Promise<GameLogin> {
    const path = at`/v2/account/accounts/logins/${id}`;
    const request = { method: 'GET', path, timeout: LONG } as const;
    const { login, account } = await this.#requester.request(request, gameLoginAnswerSchema, call);
    return { login, account };
  }

  /** PATCH /v2/account/accounts/:uuid: pauses, resumes or shares the account, or changes its settings. */
  async change(uuid: string, change: GameAccountChange, call: CallOptions = {}): Promise<GameAccount> {
    const address = at`PATCH /v2/account/accounts/${uuid}`;
    return (await this.#requester.send(address, change, gameAccountAnswerSchema, call)).account;
  }

  /** DELETE /v2/account/accounts/:uuid: unlinks it. The answer says whether its original skin was restored. */
  async unlink(uuid: string, call: CallOptions = {}): Promise<readonly Note[]> {
    const request = { method: 'DELETE', path: at`/v2/account/accounts/${uuid}`, timeout: LONG } as const;
    return (await this.#requester.request(request, envelopeSchema, call)).messages ?? [];
  }

  /** PUT /v2/account/accounts/:uuid/skin: lets one's own account wear a skin, in Minecraft too. */
  async wear(uuid: string, input: GameAccountSkin, call: CallOptions = {}): Promise<GameAccount> {
    const content = { json: input };
    const request = {
      method: 'PUT',
      path: at`/v2/account/accounts/${uuid}/skin`,
      timeout: LONG,
      content,
    } as const;
    return (await this.#requester.request(request, gameAccountAnswerSchema, call)).account;
  }

  /** DELETE /v2/account/accounts/:uuid/skin: restores the skin that one's own account wore before. */
  async restore(uuid: string, call: CallOptions = {}): Promise<GameAccount> {
    const request = { method: 'DELETE', path: at`/v2/account/accounts/${uuid}/skin`, timeout: LONG } as const;
    return (await this.#requester.request(request, gameAccountAnswerSchema, call)).account;
  }

  /** POST /v2/account/accounts/:uuid/check: asks the game for the account's state. */
  async check(uuid: string, call: CallOptions = {}): Promise<GameAccountCheck> {
    const request = { method: 'POST', path: at`/v2/account/accounts/${uuid}/check`, timeout: LONG } as const;
    const { account, problems } = await this.#requester.request(request, gameAccountCheckAnswerSchema, call);
    return { account, problems };
  }
}

const GAME_ACCOUNTS = '/v2/account/accounts';

const EXPORT_TYPES: Readonly<Record<SkinExportFormat, string>> = {
  zip: 'application/zip',
  lock: 'application/x-ndjson',
};

/** A page of the users of a service, by name. */
export interface UserPage {
  readonly users: readonly User[];
  /** `after` for the next page; undefined on the last. */
  readonly next: string | undefined;
}

/** The account manager of a skinsmith service and its other additions, one method per endpoint. The hosted service has none. */
export class AccountClient {
  /** The game accounts that users link to the service. */
  readonly games: GameAccountClient;
  /** Operator only. */
  readonly moderation: ModerationClient;
  /** Sets of skins. */
  readonly sets: SetClient;
  /** Player names and what they wear. */
  readonly players: PlayerClient;
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.games = new GameAccountClient(requester);
    this.moderation = new ModerationClient(requester);
    this.sets = new SetClient(requester);
    this.players = new PlayerClient(requester);
    this.#requester = requester;
  }

  /** GET /v2/account/me: the caller's plan and its usage. */
  async me(call: CallOptions = {}): Promise<Account> {
    return await this.#requester.get('/v2/account/me', accountAnswerSchema, call);
  }

  /** GET /v2/account/plans: the available plans and what each allows. */
  async plans(call: CallOptions = {}): Promise<readonly PlanView[]> {
    return (await this.#requester.get('/v2/account/plans', planListAnswerSchema, call)).plans;
  }

  /** GET /v2/account/doctor (operator only): the health of the store and the generator. May take several seconds. */
  async diagnosis(call: CallOptions = {}): Promise<Diagnosis> {
    return await this.#requester.get('/v2/account/doctor', diagnosisAnswerSchema, call);
  }

  /** PATCH /v2/me/skins: the same change for up to 128 of the caller's skins. */
  async editSkins(skins: readonly string[], edit: SkinEdit, call: CallOptions = {}): Promise<SkinsEdited> {
    const body = { skins, ...edit };
    const schema = receivedSkinsEditedAnswerSchema;
    const { skins: edited, missing } = await this.#requester.send('PATCH /v2/me/skins', body, schema, call);
    return { skins: edited, done: edited.map(({ uuid }) => uuid), missing };
  }

  /** POST /v2/me/skins/delete: removes up to 128 of the caller's skins. */
  async deleteSkins(
    skins: readonly string[],
    { undress, ...call }: CallOptions & SkinDeletion = {},
  ): Promise<BulkEdited> {
    const schema = receivedSkinsDeletedAnswerSchema;
    const body = { skins, undress };
    const { deleted, missing } = await this.#requester.send('POST /v2/me/skins/delete', body, schema, call);
    return { done: deleted, missing };
  }

  /**
   * GET /v2/me/skins.zip or GET /v2/me/skins.lock: the caller's own skins as a file, which is requested when it is
   * first read. The service limits the number of skins (a skinsmith service: 5000, newest first); the comment of the
   * zip then ends with `after=` and the value for the next file; of the lock, the UUID in the last line is that value.
   * @throws the same errors as other calls, while it is read
   */
  exportSkins(
    format: SkinExportFormat,
    query: SkinExportQuery = {},
    call: CallOptions = {},
  ): AsyncIterable<Uint8Array> {
    return this.#requester.file(`/v2/me/skins.${format}?${queryOf(query)}`, EXPORT_TYPES[format], call);
  }

  /** GET /v2/skins/:uuid/similar: skins that look alike, public or your own, the most similar first. */
  async similarSkins(uuid: string, call: CallOptions = {}): Promise<readonly SimilarSkin[]> {
    return (await this.#requester.get(at`/v2/skins/${uuid}/similar`, similarSkinsAnswerSchema, call)).skins;
  }

  /** GET /v2/account/keys: the caller's API keys, or another user's for an operator. */
  async keys(user?: string, call: CallOptions = {}): Promise<readonly ApiKey[]> {
    return (await this.#requester.get(at`/v2/account/keys${queryOf({ user })}`, apiKeyListAnswerSchema, call))
      .keys;
  }

  /** POST /v2/account/keys: a new API key. `secret` is returned only here. */
  async createKey(input: ApiKeyInput = {}, call: CallOptions = {}): Promise<ApiKeyMade> {
    return (await this.#requester.send('POST /v2/account/keys', input, apiKeyMadeAnswerSchema, call)).key;
  }

  /** PATCH /v2/account/keys/:id: fields left out stay unchanged; a list replaces the previous one. */
  async changeKey(id: string, change: ApiKeyChange, call: CallOptions = {}): Promise<ApiKey> {
    const address = at`PATCH /v2/account/keys/${id}`;
    return (await this.#requester.send(address, change, apiKeyAnswerSchema, call)).key;
  }

  /** DELETE /v2/account/keys/:id: the key is refused from then on. */
  async revokeKey(id: string, call: CallOptions = {}): Promise<void> {
    await this.#requester.delete(at`/v2/account/keys/${id}`, call);
  }

  /** GET /v2/account/identities: who signs in as the caller by OpenID Connect, or as another user for an operator. */
  async identities(user?: string, call: CallOptions = {}): Promise<readonly Identity[]> {
    const path = at`/v2/account/identities${queryOf({ user })}`;
    return (await this.#requester.get(path, identityListAnswerSchema, call)).identities;
  }

  /** DELETE /v2/account/identities/:id. `mayBeLast`: even if it is the user's only way to sign in. */
  async unlinkIdentity(
    id: string,
    { user, mayBeLast = false }: { readonly user?: string; readonly mayBeLast?: boolean } = {},
    call: CallOptions = {},
  ): Promise<void> {
    const query = queryOf({ last: mayBeLast ? 'yes' : 'no', user });
    await this.#requester.delete(at`/v2/account/identities/${id}${query}`, call);
  }

  /** GET /v2/account/capes (operator only): all capes, including hidden ones. */
  async capes(call: CallOptions = {}): Promise<readonly Cape[]> {
    return (await this.#requester.get('/v2/account/capes', receivedCapeListAnswerSchema, call)).capes;
  }

  /** POST /v2/account/capes (operator only): adds a cape, a PNG of 64×32 pixels. */
  async addCape(png: Uint8Array, { alias, support }: CapeInput, call: CallOptions = {}): Promise<Cape> {
    const fields = { alias, ...(support !== undefined && { support }) };
    const content = { fields, file: { bytes: png, fileName: 'cape.png' } };
    const request = { method: 'POST', path: '/v2/account/capes', content } as const;
    return (await this.#requester.request(request, receivedCapeAnswerSchema, call)).cape;
  }

  /** PATCH /v2/account/capes/:uuid (operator only): changes the alias; hides the cape or shows it again. */
  async changeCape(uuid: string, change: CapeChange, call: CallOptions = {}): Promise<Cape> {
    const address = at`PATCH /v2/account/capes/${uuid}`;
    return (await this.#requester.send(address, change, receivedCapeAnswerSchema, call)).cape;
  }

  /** DELETE /v2/account/capes/:uuid (operator only): skins made with the cape keep it. */
  async deleteCape(uuid: string, call: CallOptions = {}): Promise<void> {
    await this.#requester.delete(at`/v2/account/capes/${uuid}`, call);
  }

  /** GET /v2/account/users (operator only): users by name; `filter`: part of the names. `size`: 1 to 128. */
  async users(
    { after, size, filter }: Pick<PageQuery, 'after' | 'size' | 'filter'> = {},
    call: CallOptions = {},
  ): Promise<UserPage> {
    const path = `/v2/account/users?${queryOf({ after, size, filter })}`;
    const { users, links } = await this.#requester.get(path, userListAnswerSchema, call);
    return { users, next: nextIn(links) };
  }

  /** GET /v2/account/users/:name (operator only). */
  async user(name: string, call: CallOptions = {}): Promise<User> {
    return (await this.#requester.get(at`/v2/account/users/${name}`, userAnswerSchema, call)).user;
  }

  /** POST /v2/account/users (operator only): creates a user, on the plan `free` by default. */
  async createUser(input: UserInput, call: CallOptions = {}): Promise<User> {
    return (await this.#requester.send('POST /v2/account/users', input, userAnswerSchema, call)).user;
  }

  /** PATCH /v2/account/users/:name (operator only): changes the plan; blocks or unblocks the user. */
  async setUser(name: string, change: UserChange, call: CallOptions = {}): Promise<User> {
    const address = at`PATCH /v2/account/users/${name}`;
    return (await this.#requester.send(address, change, userAnswerSchema, call)).user;
  }

  /** POST /v2/account/users/:name/invitation (operator only): a link that signs the user in once. */
  async inviteUser(name: string, call: CallOptions = {}): Promise<Invitation> {
    const request = { method: 'POST', path: at`/v2/account/users/${name}/invitation` } as const;
    return (await this.#requester.request(request, invitationAnswerSchema, call)).invitation;
  }

  /** DELETE /v2/account/users/:name/invitation (operator only). */
  async uninviteUser(name: string, call: CallOptions = {}): Promise<void> {
    await this.#requester.delete(at`/v2/account/users/${name}/invitation`, call);
  }
}
