import { z } from 'zod';
import { bareUuid, isUuid } from '../base/text.ts';
import { InvalidTexturesError, parseTexturesValue } from '../textures/property.ts';
import { GameError } from './errors.ts';
import type { GameHttp } from './http.ts';
import type { SignedProfile } from './profiles.ts';

/**
 * Players of Bedrock Edition. When one joins a server through Geyser, its public service has the skin signed by the game, and keeps
 * value and signature. Addresses, answers and limits: `xbox_controller.ex` and `skin_controller.ex` of GeyserMC/global_api; UUIDs:
 * `utils_controller.ex` there; names on servers: `WhitelistCommand.java` of GeyserMC/Floodgate.
 */

/** The prefix of a name on servers with Floodgate. */
const FLOODGATE_PREFIX = '.';
const STATED = /^bedrock:/i;
/** Xbox's numbers for players: those that are given out have 16 digits and begin with a 2. */
const XUID = /^2\d{15}$/;
/** Letters of any script, digits and single spaces. It never begins with a digit, so a number is an XUID. */
const GAMERTAG = /^\p{L}[\p{L}\p{M}\p{N}]*(?: [\p{L}\p{M}\p{N}]+)*$/u;
const LONGEST_GAMERTAG = 16;
/** Hexadecimal digits of a UUID before the XUID. */
const NO_XUID = '0'.repeat(16);

/** Whether a text says that it names a player of Bedrock Edition: `bedrock:Name`. */
export function saysBedrock(text: string): boolean {
  return STATED.test(text);
}

/**
 * The player of Bedrock Edition that a text names: the XUID, or the gamertag in lower case. Undefined if it names none. Written
 * `.Name` as on servers, as an XUID, or as the UUID that such a player has on servers; after `bedrock:` also as a plain gamertag.
 */
export function parseBedrockPlayer(text: string): string | undefined {
  const isStated = saysBedrock(text);
  const name = text.replace(STATED, '').trim();
  if (isUuid(name)) return xuidOf(bareUuid(name));
  if (XUID.test(name)) return name;
  const isPrefixed = name.startsWith(FLOODGATE_PREFIX);
  return isStated || isPrefixed ? gamertagIn(isPrefixed ? name.slice(1) : name) : undefined;
}

/** Floodgate writes spaces as underscores, which gamertags do not have; Xbox shows a number in the name after a #. */
function gamertagIn(text: string): string | undefined {
  const name = text.replaceAll('_', ' ').replace(/#(\d+)$/, '$1');
  return GAMERTAG.test(name) && [...name].length <= LONGEST_GAMERTAG ? name.toLowerCase() : undefined;
}

/** The same player as servers with Floodgate know one: by UUID (32 digits) or by `.name`. Undefined if the text names none. */
export function floodgatePlayer(
  text: string,
): { readonly id: string } | { readonly name: string } | undefined {
  const player = parseBedrockPlayer(text);
  if (player === undefined) return undefined;
  return /^\d/.test(player) ? { id: uuidOf(player) } : { name: FLOODGATE_PREFIX + player };
}

/** Undefined if the UUID is not that of a player of Bedrock Edition. `id`: 32 digits. */
function xuidOf(id: string): string | undefined {
  const number = id.startsWith(NO_XUID) ? BigInt(`0x${id.slice(NO_XUID.length)}`) : 0n;
  return number > 0n ? String(number) : undefined;
}

/** The UUID that a player has on servers: 32 digits. */
function uuidOf(xuid: string): string {
  return BigInt(xuid).toString(16).padStart(32, '0');
}

const xuidSchema = z.object({
  xuid: z
    .union([z.int().positive(), z.string().regex(/^[1-9]\d{0,18}$/)])
    .transform(String)
    .optional(),
});

const skinSchema = z.object({
  value: z.string().max(32_768).optional(),
  signature: z.string().max(4096).optional(),
});

/**
 * The skin data of a player of Bedrock Edition, as the game signed it; does not verify the signature. `player`: as
 * `parseBedrockPlayer` returns it.
 * @throws GameError, `not_found` if there is no such player, `no_skin` if the player never joined through Geyser
 */
export async function fetchBedrockProfile(
  http: GameHttp,
  player: string,
  signal?: AbortSignal,
): Promise<SignedProfile> {
  const xuid = /^\d+$/.test(player) ? player : await findXuid(http, player, signal);
  const { value, signature } = await askGeyser(http, `/v2/skin/${xuid}`, skinSchema, signal);
  if (value === undefined || signature === undefined)
    throw new GameError('no_skin', `Geyser's skin service has no skin of the Bedrock player ${player}.`);
  try {
    const textures = parseTexturesValue(value);
    return { id: uuidOf(xuid), name: FLOODGATE_PREFIX + player, value, signature, textures, actions: [] };
  } catch (cause) {
    if (!(cause instanceof InvalidTexturesError)) throw cause;
    const message = `The skin data of the Bedrock player ${player} is invalid: ${cause.message}`;
    throw new GameError('unexpected', message, { status: 200, cause });
  }
}

async function findXuid(http: GameHttp, gamertag: string, signal: AbortSignal | undefined): Promise<string> {
  const path = `/v2/xbox/xuid/${encodeURIComponent(gamertag)}`;
  const { xuid } = await askGeyser(http, path, xuidSchema, signal);
  if (xuid !== undefined) return xuid;
  throw new GameError('not_found', `No Bedrock player is called ${gamertag}.`);
}

/** An empty object stands for what the service does not know. It answers 503 at a limit, of its own or of Xbox. */
async function askGeyser<S extends z.ZodType>(
  http: GameHttp,
  path: string,
  schema: S,
  signal: AbortSignal | undefined,
): Promise<z.output<S>> {
  const meanings = { 400: 'not_found', 404: 'not_found', 503: 'rate_limited' } as const;
  return await http.json({ service: 'geyser', path, meanings, signal }, schema);
}
