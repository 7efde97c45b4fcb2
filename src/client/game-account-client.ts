import type { z } from 'zod';
import { envelopeSchema, type Note } from '../protocol/envelope.ts';
import {
  type BegunGameLogin,
  begunLoginAnswerSchema,
  type GameAccount,
  type GameAccountChange,
  type GameAccountCheck,
  type GameLinkOptions,
  type GameLogin,
  gameAccountAnswerSchema,
  gameAccountCheckAnswerSchema,
  gameAccountListAnswerSchema,
  gameLoginAnswerSchema,
} from '../protocol/game-account.ts';
import type { Outgoing, Requester } from './requester.ts';
import type { CallOptions } from './types.ts';

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
    return (await this.#ask({ method: 'GET', path: '' }, gameAccountListAnswerSchema, call)).accounts;
  }

  /** POST /v2/account/accounts: links the account of a token: a game token or a Microsoft refresh token. */
  async link(token: string, { share, ...call }: CallOptions & GameLinkOptions = {}): Promise<GameAccount> {
    const request = { method: 'POST', path: '', timeout: LONG, content: { json: { token, share } } } as const;
    return (await this.#ask(request, gameAccountAnswerSchema, call)).account;
  }

  /** POST /v2/account/accounts/logins: starts a sign-in by the account's owner. */
  async beginLogin({ share, ...call }: CallOptions & GameLinkOptions = {}): Promise<BegunGameLogin> {
    const request = { method: 'POST', path: '/logins', timeout: LONG, content: { json: { share } } } as const;
    return (await this.#ask(request, begunLoginAnswerSchema, call)).login;
  }

  /** GET /v2/account/accounts/logins/:id: the state of the sign-in, and the account once it is linked. */
  async login(id: string, call: CallOptions = {}): Promise<GameLogin> {
    const request = { method: 'GET', path: `/logins/${encodeURIComponent(id)}`, timeout: LONG } as const;
    const { login, account } = await this.#ask(request, gameLoginAnswerSchema, call);
    return { login, account };
  }

  /** PATCH /v2/account/accounts/:uuid: pauses, resumes or shares the account, or changes its settings. */
  async change(uuid: string, change: GameAccountChange, call: CallOptions = {}): Promise<GameAccount> {
    const request = { method: 'PATCH', path: pathOf(uuid), content: { json: change } } as const;
    return (await this.#ask(request, gameAccountAnswerSchema, call)).account;
  }

  /** DELETE /v2/account/accounts/:uuid: unlinks it. The answer says whether its original skin was restored. */
  async unlink(uuid: string, call: CallOptions = {}): Promise<readonly Note[]> {
    const request = { method: 'DELETE', path: pathOf(uuid), timeout: LONG } as const;
    return (await this.#ask(request, envelopeSchema, call)).messages ?? [];
  }

  /** POST /v2/account/accounts/:uuid/check: asks the game for the account's state. */
  async check(uuid: string, call: CallOptions = {}): Promise<GameAccountCheck> {
    const request = { method: 'POST', path: `${pathOf(uuid)}/check`, timeout: LONG } as const;
    const { account, problems } = await this.#ask(request, gameAccountCheckAnswerSchema, call);
    return { account, problems };
  }

  async #ask<S extends z.ZodType>(
    { path, ...request }: Outgoing,
    schema: S,
    call: CallOptions,
  ): Promise<z.output<S>> {
    return await this.#requester.request({ ...request, path: `/v2/account/accounts${path}` }, schema, call);
  }
}

function pathOf(uuid: string): string {
  return `/${encodeURIComponent(uuid)}`;
}
