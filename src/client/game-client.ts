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
import {
  type OwnPlayerName,
  type Player,
  receivedOwnNamesAnswerSchema,
  receivedPlayerAnswerSchema,
  type WearInput,
} from '../protocol/player.ts';
import { at, nextIn, queryOf } from './answers.ts';
import type { Requester } from './requester.ts';
import type { CallOptions, Listed } from './types.ts';

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

interface PlayerNameQuery {
  readonly after?: string | undefined;
  readonly size?: number;
  /** The names of everyone (operator only). */
  readonly all?: boolean;
  /** Only those that wear one of these skins, at most 128. */
  readonly skins?: readonly string[];
}

/** Player names of a skinsmith service, and what they wear. */
export class PlayerClient {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /** GET /v2/me/players: the caller's names in alphabetical order. */
  async list(
    { all = false, skins, ...page }: PlayerNameQuery = {},
    call: CallOptions = {},
  ): Promise<Listed<OwnPlayerName>> {
    const only = { skins: skins?.join(), ...(all && { all: 'true' }) };
    const path = `/v2/me/players?${queryOf({ ...only, ...page })}`;
    const { players, links } = await this.#requester.get(path, receivedOwnNamesAnswerSchema, call);
    return { entries: players, next: nextIn(links) };
  }

  /** GET /v2/players/:name: what a name wears. */
  async get(name: string, call: CallOptions = {}): Promise<Player> {
    return (await this.#requester.get(at`/v2/players/${name}`, receivedPlayerAnswerSchema, call)).player;
  }

  /** PUT /v2/players/:name: lets a name show a skin and a cape; operators also give it to a user. */
  async wear(name: string, input: WearInput, call: CallOptions = {}): Promise<Player> {
    const address = at`PUT /v2/players/${name}`;
    return (await this.#requester.send(address, input, receivedPlayerAnswerSchema, call)).player;
  }

  /** DELETE /v2/players/:name: releases a name. */
  async release(name: string, call: CallOptions = {}): Promise<void> {
    await this.#requester.delete(at`/v2/players/${name}`, call);
  }
}
