import { backOff, type Clock } from '../../base/clock.ts';
import { SkinsmithError } from '../../client/errors.ts';
import { fetchBedrockProfile } from '../../game/bedrock.ts';
import { GameError } from '../../game/errors.ts';
import type { GameHttp } from '../../game/http.ts';
import type { NameLookups, PlayerName } from '../../game/names.ts';
import type { SourceContent, SuppliedSkin } from '../model.ts';

/** A player's name that no player has, or that could not be looked up. */
export class PlayerNameError extends SkinsmithError {
  override readonly name = 'PlayerNameError';
  readonly code: 'invalid_user' | 'no_bedrock_skin' | 'game_unreachable';
  readonly hint: string | undefined;

  constructor(
    code: PlayerNameError['code'],
    message: string,
    { hint, cause }: { hint?: string; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
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
    const ask = async () => await this.#ask(name);
    const player = await askRepeatedly(typed, ask, { clock: this.#clock, signal });
    if (player) return player.id;
    const message = isGuess
      ? `No file, folder or player is called ${typed}.`
      : `There is no player called ${typed}.`;
    throw new PlayerNameError('invalid_user', message);
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

type BedrockContent = Omit<Extract<SourceContent, { kind: 'bedrock' }>, 'kind'>;

const NO_SKIN_HINT =
  'It has the skins of players who have joined a Java server through Geyser. Save the picture as a file and give that.';

/** Skin data of players of Bedrock Edition, each looked up once. */
export class BedrockPlayers {
  readonly #http: GameHttp;
  readonly #clock: Clock;
  readonly #asked = new Map<string, Promise<SuppliedSkin>>();

  constructor(http: GameHttp, clock: Clock) {
    this.#http = http;
    this.#clock = clock;
  }

  /** What the game signed for Geyser's service. @throws PlayerNameError; the signal's reason */
  async skinOf(content: BedrockContent, signal: AbortSignal): Promise<SuppliedSkin> {
    const asked = this.#asked.get(content.player) ?? this.#find(content, signal);
    this.#asked.set(content.player, asked);
    return await asked;
  }

  async #find({ player, typed }: BedrockContent, signal: AbortSignal): Promise<SuppliedSkin> {
    const ask = async () => await fetchBedrockProfile(this.#http, player, signal);
    try {
      const { value, signature } = await askRepeatedly(typed, ask, { clock: this.#clock, signal });
      return { value, signature };
    } catch (error) {
      const { kind } = error instanceof GameError ? error : {};
      if (kind === 'not_found')
        throw new PlayerNameError('invalid_user', `No Bedrock player is called ${typed}.`);
      if (kind !== 'no_skin') throw error;
      const message = `Geyser's skin service has no skin of the Bedrock player ${typed}.`;
      throw new PlayerNameError('no_bedrock_skin', message, { hint: NO_SKIN_HINT });
    }
  }
}

/** Asks again after a failure. @throws PlayerNameError; GameError that says that something does not exist; the signal's reason */
async function askRepeatedly<T>(
  name: string,
  ask: () => Promise<T>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof GameError) || error.kind === 'not_found' || error.kind === 'no_skin')
        throw error;
      if (tries >= TRIES) throw lookupFailed(name, error);
      const pause = error.retryAfter ?? backOff(tries, FAILED);
      await clock.sleep(Math.min(pause, FAILED.longest), signal);
    }
  }
}

function lookupFailed(name: string, cause: GameError): PlayerNameError {
  const message = `The player ${name} could not be looked up: ${cause.message}`;
  return new PlayerNameError('game_unreachable', message, { cause });
}
