import type { GameHttp } from './http.ts';
import { type PlayerName, resolveNames } from './names.ts';

/** Milliseconds that a name waits to be requested together with others. */
const GATHERING = 20;
/** Maximum names per request. */
const MAX_NAMES = 10;

interface Lookup {
  readonly name: string;
  readonly found: (player: PlayerName | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/** Combines lookups of names at about the same time into one request. */
export class NameLookups {
  readonly #http: GameHttp;
  #waiting: Lookup[] = [];

  constructor(http: GameHttp) {
    this.#http = http;
  }

  /** Undefined if no player has the name. @throws GameError */
  async find(name: string): Promise<PlayerName | undefined> {
    return await new Promise((found, failed) => {
      this.#waiting.push({ name, found, failed });
      if (this.#waiting.length === 1) setTimeout(() => void this.#ask(), GATHERING);
      if (this.#waiting.length === MAX_NAMES) void this.#ask();
    });
  }

  async #ask(): Promise<void> {
    const lookups = this.#waiting;
    this.#waiting = [];
    if (lookups.length === 0) return; // a full request was sent earlier
    try {
      const players = await resolveNames(
        this.#http,
        lookups.map(({ name }) => name),
      );
      for (const { name, found } of lookups) found(players.get(name));
    } catch (error) {
      for (const { failed } of lookups) failed(error);
    }
  }
}
