import { createHash } from 'node:crypto';
import { z } from 'zod';
import { bareUuid, isUuid } from '../base/text.ts';
import { GameError } from './errors.ts';
import type { GameHttp } from './http.ts';

export const playerIdSchema = z
  .string()
  .regex(/^[0-9a-f]{32}$/i)
  .toLowerCase();

/** A player's UUID, with or without dashes, as the game's services write it: 32 lower-case digits. Undefined if invalid. */
export function parsePlayerId(text: string): string | undefined {
  return isUuid(text) ? bareUuid(text) : undefined;
}

/**
 * Whether a server in offline mode derived this UUID from a name: version 3, whereas the game's own are random
 * (version 4). `id`: 32 digits.
 */
export function isOfflineId(id: string): boolean {
  return id[12] === '3';
}

/** The UUID that servers in offline mode give to a player of this name, in this spelling: 32 lower-case digits. */
export function offlineIdOf(name: string): string {
  const bytes = createHash('md5').update(`OfflinePlayer:${name}`).digest();
  bytes[6] = (bytes[6]! & 0x0f) | 0x30; // version 3
  bytes[8] = (bytes[8]! & 0x3f) | 0x80; // the variant of RFC 4122
  return bytes.toString('hex');
}

/** A player as the game knows it now, with the name in the player's own spelling. */
export interface PlayerName {
  /** 32 lower-case hexadecimal digits. */
  readonly id: string;
  readonly name: string;
}

const NAMES_PER_REQUEST = 10;
const NAME = /^\w{1,16}$/;

const playerNameSchema = z.object({ id: playerIdSchema, name: z.string().min(1).max(64) });

/** Whether a player can have this name; invalid names are never sent. */
export function isPlayerName(text: string): boolean {
  return NAME.test(text);
}

/** The players with these names, any number, keyed by the name as given; unused names are absent. @throws GameError */
export async function resolveNames(
  http: GameHttp,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, PlayerName>> {
  const wanted = [...new Set(names.filter(isPlayerName).map((name) => name.toLowerCase()))];
  const found = new Map<string, PlayerName>();
  for (let at = 0; at < wanted.length; at += NAMES_PER_REQUEST) {
    const batch = wanted.slice(at, at + NAMES_PER_REQUEST);
    for (const player of await findBatch(http, batch, signal)) found.set(player.name.toLowerCase(), player);
  }
  const entries = names.map((name) => [name, found.get(name.toLowerCase())] as const);
  return new Map(entries.filter((entry): entry is [string, PlayerName] => entry[1] !== undefined));
}

async function findBatch(
  http: GameHttp,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly PlayerName[]> {
  const path = '/minecraft/profile/lookup/bulk/byname';
  const schema = z.array(playerNameSchema).max(NAMES_PER_REQUEST);
  try {
    return await http.json({ service: 'names', method: 'POST', path, json: names, signal }, schema);
  } catch (error) {
    // A single name that the service finds invalid fails the whole request.
    if (!(error instanceof GameError && error.status === 400)) throw error;
    return await findOneByOne(http, names, signal);
  }
}

async function findOneByOne(
  http: GameHttp,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly PlayerName[]> {
  const players: PlayerName[] = [];
  for (const name of names) {
    const player = await findOne(http, name, signal);
    if (player) players.push(player);
  }
  return players;
}

async function findOne(
  http: GameHttp,
  name: string,
  signal: AbortSignal | undefined,
): Promise<PlayerName | undefined> {
  const path = `/minecraft/profile/lookup/name/${name}`;
  const meanings = { 400: 'not_found' } as const;
  try {
    return await http.json({ service: 'names', path, meanings, signal }, playerNameSchema);
  } catch (error) {
    if (error instanceof GameError && error.kind === 'not_found') return undefined;
    throw error;
  }
}

/** Milliseconds that a name waits to be requested together with others. */
const GATHERING = 20;

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
      if (this.#waiting.length === NAMES_PER_REQUEST) void this.#ask();
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
