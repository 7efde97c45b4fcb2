import { ByteCache } from '../../base/caches.ts';
import { type GameAnswer, GameError } from '../../game/errors.ts';
import type { Game } from '../../game/game.ts';
import { type PlayerName, resolveNames } from '../../game/names.ts';
import {
  askHasJoined,
  fetchSignedProfile,
  type JoinQuestion,
  readJoined,
  type SignedProfile,
} from '../../game/profiles.ts';
import {
  type Holder,
  JOINS_PER_MINUTE,
  joinShares,
  type KnownAddresses,
  LOOKUPS,
  LookupBudget,
  Remembered,
} from '../pools.ts';
import type { Caller, StoreContext } from './callers.ts';
import {
  joinedInWorn,
  offlinePlayers,
  offlineProfile,
  type ServedProfile,
  withWorn,
} from './players/profiles.ts';
import { Refusal } from './refusal.ts';
import { requestFromGame } from './sources/player.ts';

interface GameServersOptions extends StoreContext {
  readonly game: Game;
  readonly known: KnownAddresses;
  /** Default: 300. */
  readonly joinsPerMinute?: number | undefined;
}

/** Milliseconds for which an address counts as a game server's: players may join rarely. */
const SERVER_KNOWN_FOR = 24 * 3_600_000;
/** Milliseconds for which the game's session server itself gives the same answer about a player. */
const FRESH = 60_000;
/** Longest time, in milliseconds, after which a limit of the game is over for a join: game servers give up after 5 to 15 s. */
const PATIENCE = 15_000;
const MAX_PROFILE_BYTES = 4 * 1024 * 1024;

interface Joined {
  readonly profile: SignedProfile;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/**
 * Answers game servers with authlib-injector, which query this service instead of the game. It queries the game for
 * them within budgets of their own. No player's token goes through here.
 */
export class GameServers {
  readonly #options: GameServersOptions;
  readonly #budget: LookupBudget;
  readonly #joins: LookupBudget;
  /** The addresses of game servers: of those whose question whether a player joined had the answer yes. */
  readonly #servers: Remembered;
  /** The joins under way of each address, the oldest first. */
  readonly #underWay = new Map<string, Set<Promise<void>>>();
  /** By UUID and by name in lower case, which has at most 16 characters. */
  readonly #joined = new ByteCache<Joined>(MAX_PROFILE_BYTES, sizeOf);

  constructor(options: GameServersOptions) {
    const { clock, joinsPerMinute = JOINS_PER_MINUTE } = options;
    this.#options = options;
    this.#budget = new LookupBudget(clock, LOOKUPS.servers, 0);
    this.#joins = new LookupBudget(clock, joinShares(joinsPerMinute), 0);
    this.#servers = new Remembered(() => clock.monotonic());
  }

  /** Undefined if the game does not know the player. @throws Refusal `service_unavailable` */
  async profile(id: string, caller: Caller): Promise<ServedProfile | undefined> {
    const { db, game } = this.#options;
    const offline = await offlineProfile(db, id);
    if (offline) return offline;
    const [found] = await this.#unlessJoined([id], caller, async () => {
      try {
        return [await fetchSignedProfile(game.http, id)];
      } catch (error) {
        if (error instanceof GameError && error.kind === 'not_found') return [];
        throw error;
      }
    });
    return found && (await withWorn(db, found));
  }

  /** The players with these names, also those who only wear something here; other unused names are absent. @throws Refusal `service_unavailable` */
  async named(names: readonly string[], caller: Caller): Promise<readonly PlayerName[]> {
    const { db, game } = this.#options;
    const found = await this.#unlessJoined(
      names.map((name) => name.toLowerCase()),
      caller,
      async (): Promise<PlayerName[]> => [...(await resolveNames(game.http, names)).values()],
    );
    const known = new Set(found.map(({ name }) => name.toLowerCase()));
    const others = await offlinePlayers(
      db,
      names.filter((name) => !known.has(name.toLowerCase())),
    );
    return [...new Map([...found, ...others].map((player) => [player.id, player])).values()];
  }

  /** The game's answer, with what the player's name wears here. @throws Refusal `service_unavailable` */
  async hasJoined(question: JoinQuestion, caller: Caller): Promise<GameAnswer> {
    // Nothing is awaited between the last look and the next join, which counts at once.
    for (let other = this.#joinBefore(caller); other; other = this.#joinBefore(caller)) await other;
    return await this.#whileUnderWay(caller, async () => {
      const ask = async () => await this.#askPatiently(question);
      const answer = await this.#ask(caller, ask, this.#joins);
      if (answer.status === 200) this.#noteJoined(answer, caller);
      return await joinedInWorn(this.#options.db, answer);
    });
  }

  /** Waits out a limit of the game, as the pace of requests does for all that come later. @throws GameError */
  async #askPatiently(question: JoinQuestion): Promise<GameAnswer> {
    const { http } = this.#options.game;
    try {
      return await askHasJoined(http, question);
    } catch (error) {
      const isLimit = error instanceof GameError && error.status === 429;
      if (!isLimit || (error.retryAfter ?? 0) > PATIENCE) throw error;
      return await askHasJoined(http, question);
    }
  }

  #noteJoined(answer: GameAnswer, caller: Caller): void {
    if (caller.kind === 'anonymous') this.#servers.note(caller.network, SERVER_KNOWN_FOR);
    const profile = readJoined(answer);
    if (!profile) return;
    const joined = { profile, at: this.#options.clock.monotonic() };
    for (const key of [profile.id, profile.name.toLowerCase()]) this.#joined.set(key, joined);
  }

  /**
   * The join whose answer another one has to wait for. A server has a stranger's share until the first of its players has
   * joined: when many join at once, those beyond that share wait for the others.
   */
  #joinBefore(caller: Caller): Promise<void> | undefined {
    const holder = this.#holderOf(caller);
    const [oldest] = this.#underWay.get(holder.name) ?? [];
    return holder.isKnown || !this.#joins.isSpent(holder) ? undefined : oldest;
  }

  async #whileUnderWay<T>(caller: Caller, ask: () => Promise<T>): Promise<T> {
    const { name } = this.#holderOf(caller);
    const own = this.#underWay.get(name) ?? new Set();
    this.#underWay.set(name, own);
    const { promise, resolve } = Promise.withResolvers<void>();
    own.add(promise);
    try {
      return await ask();
    } finally {
      own.delete(promise);
      if (own.size === 0) this.#underWay.delete(name);
      resolve();
    }
  }

  /**
   * What `ask` finds, unless all of the players joined just now, or they joined earlier and the game cannot be asked.
   * @throws Refusal
   */
  async #unlessJoined<T extends PlayerName>(
    keys: readonly string[],
    caller: Caller,
    ask: () => Promise<T[]>,
  ): Promise<(T | SignedProfile)[]> {
    const joined = keys.map((key) => this.#joined.get(key)).filter((one) => one !== undefined);
    const profiles = joined.map(({ profile }) => profile);
    const isComplete = joined.length === keys.length;
    const now = this.#options.clock.monotonic();
    if (isComplete && joined.every(({ at }) => now - at < FRESH)) return profiles;
    try {
      return await this.#ask(caller, ask);
    } catch (error) {
      if (isComplete && error instanceof Refusal) return profiles;
      throw error;
    }
  }

  async #ask<T>(caller: Caller, ask: () => Promise<T>, budget = this.#budget): Promise<T> {
    const request = { caller, via: 'queue' } as const;
    const holder = this.#holderOf(caller);
    return await requestFromGame(this.#options, request, async () => await budget.during(holder, ask));
  }

  #holderOf(caller: Caller): Holder {
    const { name, isKnown } = this.#options.known.holderOf(caller);
    return { name, isKnown: isKnown || this.#servers.has(name) };
  }
}

/** Each of its two entries counts all of it. */
function sizeOf({ profile: { value, signature } }: Joined): number {
  return value.length + signature.length;
}
