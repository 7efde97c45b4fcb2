import type { GameHttp } from './http.ts';
import { type PlayerName, resolveNames } from './names.ts';

/** Milliseconds that a name waits to be requested together with others. */
const GATHERING = 20;
/** Maximum names per request. */
const MOST = 10;

interface Wish {
  readonly name: string;
  readonly found: (player: PlayerName | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/** Combines lookups of names at about the same time into one request. */
export class NameDesk {
  readonly #http: GameHttp;
  #wishes: Wish[] = [];

  constructor(http: GameHttp) {
    this.#http = http;
  }

  /** Undefined if no player has the name. @throws GameError */
  async find(name: string): Promise<PlayerName | undefined> {
    return await new Promise((found, failed) => {
      this.#wishes.push({ name, found, failed });
      if (this.#wishes.length === 1) setTimeout(() => void this.#ask(), GATHERING);
      if (this.#wishes.length === MOST) void this.#ask();
    });
  }

  async #ask(): Promise<void> {
    const wishes = this.#wishes;
    this.#wishes = [];
    if (wishes.length === 0) return; // a full request was sent earlier
    try {
      const players = await resolveNames(
        this.#http,
        wishes.map(({ name }) => name),
      );
      for (const { name, found } of wishes) found(players.get(name));
    } catch (error) {
      for (const { failed } of wishes) failed(error);
    }
  }
}
