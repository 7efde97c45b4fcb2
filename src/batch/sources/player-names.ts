import { backOff, type Clock } from '../../base/clock.ts';
import { SkinsmithError } from '../../client/errors.ts';
import { GameError } from '../../game/errors.ts';
import type { NameLookups, PlayerName } from '../../game/names.ts';
import type { SourceContent } from '../model.ts';

/** A player's name that no player has, or that could not be looked up. */
export class PlayerNameError extends SkinsmithError {
  override readonly name = 'PlayerNameError';
  readonly code: 'invalid_user' | 'game_unreachable';
  constructor(code: PlayerNameError['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }

  get isPassing(): boolean {
    return this.code === 'game_unreachable';
  }
}

type PlayerContent = Omit<Extract<SourceContent, { kind: 'user' }>, 'kind'>;

/** Other names to resolve in the same request, to make full use of it. */
const TOGETHER = 10;
const TRIES = 4;
/** Milliseconds of a pause after a failure. */
const FAILED = { first: 1_000, longest: 60_000 };

/** UUIDs of players by name, each looked up once: services other than ours accept only UUIDs. */
export class PlayerNames {
  readonly #source: Pick<NameLookups, 'find'>;
  readonly #clock: Clock;
  readonly #expected = new Set<string>();
  readonly #asked = new Map<string, Promise<PlayerName | undefined>>();

  constructor(source: Pick<NameLookups, 'find'>, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Announces a name that will be needed, so that it can be resolved together with others. */
  expect(name: string): void {
    if (!this.#asked.has(name)) this.#expected.add(name);
  }

  /** 32 lower-case hexadecimal digits. @throws PlayerNameError; the signal's reason */
  async uuidOf({ user: name, typed = name, isGuess }: PlayerContent, signal: AbortSignal): Promise<string> {
    for (let tries = 1; ; tries++) {
      try {
        const player = await this.#ask(name);
        if (player) return player.id;
        throw nobody(typed, isGuess);
      } catch (error) {
        if (!(error instanceof GameError)) throw error;
        if (tries >= TRIES) throw lookupFailed(typed, error);
        const pause = error.retryAfter ?? backOff(tries, FAILED);
        await this.#clock.sleep(Math.min(pause, FAILED.longest), signal);
      }
    }
  }

  async #ask(name: string): Promise<PlayerName | undefined> {
    const asked = this.#asked.get(name);
    if (asked) return await asked;
    const wanted = this.#begin(name);
    let count = 1;
    for (const other of this.#expected) {
      if (count++ === TOGETHER) break;
      void this.#begin(other);
    }
    return await wanted;
  }

  #begin(name: string): Promise<PlayerName | undefined> {
    this.#expected.delete(name);
    const asked = this.#source.find(name);
    this.#asked.set(name, asked);
    asked.catch(() => this.#asked.delete(name)); // the caller sees the error and may ask again
    return asked;
  }
}

function nobody(name: string, isGuess = false): PlayerNameError {
  const message = isGuess
    ? `No file, folder or player is called ${name}.`
    : `The game has no player called ${name}.`;
  return new PlayerNameError('invalid_user', message);
}

function lookupFailed(name: string, cause: GameError): PlayerNameError {
  const message = `The player ${name} could not be looked up: ${cause.message}`;
  return new PlayerNameError('game_unreachable', message, cause);
}
