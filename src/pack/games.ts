/** The formats of packs that one version of the game has: their major numbers. */
interface PackFormats {
  readonly resource: number;
  readonly data: number;
}

/**
 * The versions of the game whose profiles take a texture from a resource pack, oldest first. The numbers are those of
 * `pack_version` in each client's version.json (26.1: resource 84.0, data 101.1; 26.2: 88.0, 107.1; 26.3: 97.1, 121.0),
 * as https://minecraft.wiki/w/Pack_format lists them; up to 26.1.2 also in the npm package pack-format 1.4.5.
 */
const VERSIONS: readonly (readonly [name: string, formats: PackFormats])[] = [
  ['1.21.9', { resource: 69, data: 88 }],
  ['1.21.10', { resource: 69, data: 88 }],
  ['1.21.11', { resource: 75, data: 94 }],
  ['26.1', { resource: 84, data: 101 }],
  ['26.1.1', { resource: 84, data: 101 }],
  ['26.1.2', { resource: 84, data: 101 }],
  ['26.2', { resource: 88, data: 107 }],
  ['26.3', { resource: 97, data: 121 }],
];

/** The versions of the game that packs can be made for, oldest first. */
export const GAME_VERSIONS: readonly string[] = VERSIONS.map(([name]) => name);
export const OLDEST_GAME = VERSIONS[0]![0];
export const NEWEST_GAME = VERSIONS.at(-1)![0];

/** The versions that a pack is for: both ends belong to it. */
export interface GameRange {
  readonly from: string;
  readonly to: string;
}

export const ALL_GAMES: GameRange = { from: OLDEST_GAME, to: NEWEST_GAME };

/** What is wrong with a range of versions, as the end of a sentence about it. */
export class GameRangeError extends Error {
  override readonly name = 'GameRangeError';
}

/** Reads `26.1`, `1.21.9..26.3`, `26.1..` or `..26.1`. @throws GameRangeError */
export function parseGames(text: string): GameRange {
  const [first = '', last = first, ...more] = text.trim().split('..');
  if (more.length > 0) throw new GameRangeError('names more than two versions');
  const range = { from: first.trim() || OLDEST_GAME, to: last.trim() || NEWEST_GAME };
  if (placeOf(range.from) > placeOf(range.to)) throw new GameRangeError('ends before it begins');
  return range;
}

/** @throws GameRangeError */
function placeOf(version: string): number {
  const at = GAME_VERSIONS.indexOf(version);
  if (at !== -1) return at;
  const numbers = numbersOf(version);
  if (numbers && isBefore(numbers, numbersOf(OLDEST_GAME)!))
    throw new GameRangeError(
      `names Minecraft ${version}, which takes no skins from resource packs: ${OLDEST_GAME} is the first`,
    );
  const assumed = numbers ? lastBefore(numbers) : -1;
  if (assumed !== -1) return assumed;
  throw new GameRangeError(`names no version that is known here: ${GAME_VERSIONS.join(', ')}`);
}

function numbersOf(version: string): readonly number[] | undefined {
  return /^\d{1,4}(?:\.\d{1,4}){1,3}$/.test(version) ? version.split('.').map(Number) : undefined;
}

function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const at = b.findIndex((number, place) => (a[place] ?? 0) !== number);
  return at !== -1 && (a[at] ?? 0) < b[at]!;
}

/** The known version whose formats a later patch release, or the version after the newest, is assumed to have; or -1. */
function lastBefore(numbers: readonly number[]): number {
  const [major, minor] = numbers as [number, number];
  const [newestMajor, newestMinor] = numbersOf(NEWEST_GAME) as [number, number];
  const isNext =
    (major === newestMajor && minor === newestMinor + 1) || (major === newestMajor + 1 && minor === 1);
  if (isNext) return GAME_VERSIONS.length - 1;
  return GAME_VERSIONS.findLastIndex((name) => {
    const [knownMajor, knownMinor] = numbersOf(name)!;
    return major === knownMajor && minor === knownMinor;
  });
}

/** The versions of a range that are not known here, and those whose formats they are assumed to have. */
export function assumedVersions({ from, to }: GameRange): readonly { version: string; as: string }[] {
  return [...new Set([from, to])]
    .map((version) => ({ version, as: GAME_VERSIONS[placeOf(version)]! }))
    .filter(({ version, as }) => version !== as);
}

/**
 * The file pack.mcmeta. Formats from 65 (resource packs) and 82 (data packs) on are given as `min_format` and
 * `max_format`, where a whole number stands for all its minor versions; `pack_format` and `supported_formats` belong to
 * older formats, which no pack of ours supports (release notes of 25w31a).
 */
export function packMeta(kind: keyof PackFormats, { from, to }: GameRange, description: string): string {
  const [oldest, newest] = [from, to].map((name) => VERSIONS[placeOf(name)]![1][kind]);
  const pack = { description, min_format: oldest, max_format: newest };
  return `${JSON.stringify({ pack }, undefined, 2)}\n`;
}

/** The formats that a pack.mcmeta names, lowest and highest; undefined: none that can be read. */
export function formatsOf(meta: unknown): { readonly from: number; readonly to: number } | undefined {
  const { pack } = (meta ?? {}) as { pack?: Record<string, unknown> };
  if (typeof pack !== 'object' || pack === null) return undefined;
  const { pack_format: single, supported_formats: supported, min_format: min, max_format: max } = pack;
  const numbers = [single, ...endsOf(supported), majorOf(min), majorOf(max)].filter(
    (number) => typeof number === 'number',
  );
  return numbers.length === 0 ? undefined : { from: Math.min(...numbers), to: Math.max(...numbers) };
}

/** `supported_formats` is a number, two of them, or an object (release notes of 23w31a). */
function endsOf(supported: unknown): readonly unknown[] {
  if (Array.isArray(supported)) return supported.slice(0, 2);
  if (typeof supported !== 'object' || supported === null) return [supported];
  const { min_inclusive: from, max_inclusive: to } = supported as Record<string, unknown>;
  return [from, to];
}

/** Formats since 65 may be a number, or one with its minor number (release notes of 25w31a). */
function majorOf(format: unknown): unknown {
  return Array.isArray(format) ? format[0] : format;
}

/** The first format of resource packs whose textures profiles can show. */
export const OLDEST_RESOURCE_FORMAT = VERSIONS[0]![1].resource;
