import type { GameHttp } from './http.ts';
import { type PlayerName, resolveNames } from './names.ts';

/** Milliseconds that a name waits for others to be asked for together with it. */
const GATHERING = 20;
/** The most that one request can be for. */
const MOST = 10;

interface Wish {
  readonly name: string;
  readonly found: (player: PlayerName | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/** Asks for names that are wanted at about the same time in one request. */
export class NameDesk {
  readonly #http: GameHttp;
  #wishes: Wish[] = [];

  constructor(http: GameHttp) {
    this.#http = http;
  }

  /** Undefined: nobody has the name. @throws GameError */
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
    if (wishes.length === 0) return; // there were enough before the time was over
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
