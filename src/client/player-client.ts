import {
  type OwnPlayerName,
  type Player,
  receivedOwnNamesAnswerSchema,
  receivedPlayerAnswerSchema,
  type WearInput,
} from '../protocol/player.ts';
import { at, nextIn, queryOf } from './pages.ts';
import type { Requester } from './requester.ts';
import type { CallOptions, Listed } from './types.ts';

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
