import type { Clock } from '../../base/clock.ts';
import { type GameAnswer, GameError } from '../../game/errors.ts';
import type { Game } from '../../game/game.ts';
import { type PlayerName, resolveNames } from '../../game/names.ts';
import {
  askHasJoined,
  fetchSignedProfile,
  type JoinQuestion,
  type SignedProfile,
} from '../../game/profiles.ts';
import type { Caller } from '../service/callers.ts';
import { requestFromGame } from '../sources/player.ts';
import type { Db } from '../store/db.ts';
import { LOOKUPS, LookupBudget } from './budgets.ts';

export interface GameServersOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly game: Game;
}

/**
 * Answers game servers with authlib-injector, which query this service instead of the game. It queries the game for
 * them within a budget of their own. No player's token goes through here.
 */
export class GameServers {
  readonly #options: GameServersOptions;
  readonly #budget: LookupBudget;

  constructor(options: GameServersOptions) {
    this.#options = options;
    this.#budget = new LookupBudget(options.clock, LOOKUPS.servers, 0); // a failed join delays no other
  }

  /** Undefined if the game does not know the player. @throws Refusal `service_unavailable` */
  async profile(id: string, caller: Caller): Promise<SignedProfile | undefined> {
    const { http } = this.#options.game;
    return await this.#ask(caller, async () => {
      try {
        return await fetchSignedProfile(http, id);
      } catch (error) {
        if (error instanceof GameError && error.kind === 'not_found') return undefined;
        throw error;
      }
    });
  }

  /** The players with these names; unused names are absent. @throws Refusal `service_unavailable` */
  async named(names: readonly string[], caller: Caller): Promise<readonly PlayerName[]> {
    if (names.length === 0) return [];
    const { http } = this.#options.game;
    const found = await this.#ask(caller, async () => await resolveNames(http, names));
    return [...new Map([...found.values()].map((player) => [player.id, player])).values()];
  }

  /** The game's answer, unchanged. @throws Refusal `service_unavailable` */
  async hasJoined(question: JoinQuestion, caller: Caller): Promise<GameAnswer> {
    return await this.#ask(caller, async () => await askHasJoined(this.#options.game.http, question));
  }

  async #ask<T>(caller: Caller, ask: () => Promise<T>): Promise<T> {
    const request = { caller, via: 'queue' } as const;
    return await requestFromGame(this.#options, request, async () => await this.#budget.during(caller, ask));
  }
}
