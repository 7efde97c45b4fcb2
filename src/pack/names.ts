import { NAME_DIGITS, nameDigits } from '../base/text.ts';
import { hasForeignLetters, transliterated } from '../base/transliteration.ts';

/** Characters of the longest id; commands with it fit into a line of chat. */
const MAX_ID = 80;
/** Device names of Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/;

/** The longest namespace. */
const MAX_NAMESPACE = 32;
/** The game's own folders: what is in them replaces parts of the game. */
const GAME_NAMESPACES = new Set(['minecraft', 'realms', 'brigadier']);

/** What is wrong with a namespace, as the end of a sentence about it; undefined: nothing. */
export function namespaceProblem(text: string): string | undefined {
  if (!/^[a-z0-9_-][a-z0-9_.-]*$/.test(text))
    return 'may have only the characters a-z, 0-9, _, - and ., and does not begin with a dot';
  if (text.length > MAX_NAMESPACE) return `may have at most ${MAX_NAMESPACE} characters`;
  if (text.endsWith('.') || DEVICE.test(text)) return 'cannot be the name of a folder on Windows';
  return GAME_NAMESPACES.has(text) ? "is Minecraft's own" : undefined;
}

/**
 * The id for a source's own name (`/` between segments), for ever the same, whatever other sources there are: lower-case
 * Latin letters, digits and `_ . -`, at most 80 characters, a path on every system. An id is its own id.
 *
 * Letters of other scripts are transliterated. What is lost otherwise is replaced by six digits of a hash, so that names
 * that differ rarely become equal: `騎士` is `n-456046`, `guard 騎士` is `guard-17a078`. Ids that would be too long lose
 * their middle.
 */
export function legalName(stem: string): string {
  const segments = stem
    .split('/')
    .filter((segment) => !/^\.*$/.test(segment))
    .map(legalSegment);
  return segments.length === 0 ? `n-${nameDigits(stem)}` : shortened(segments);
}

function legalSegment(segment: string): string {
  const letters = transliterated(segment.normalize('NFKC').toLowerCase());
  const legal = letters
    .replaceAll(/[^a-z0-9_.-]+/g, '_')
    .replace(/^\.+/, '')
    .replace(/(?<!\.)\.+$/, ''); // Windows drops dots at the end
  if (!/[a-z0-9]/.test(legal)) return `n-${nameDigits(segment)}`;
  if (hasForeignLetters(letters)) return `${legal.replaceAll(/^_+|(?<!_)_+$/g, '')}-${nameDigits(segment)}`;
  return DEVICE.test(legal) ? `_${legal}` : legal;
}

/** The segments as an id: where it is too long, folders in the middle go first, as the outer one and the name tell most. */
function shortened(segments: readonly string[]): string {
  const id = segments.join('/');
  if (id.length <= MAX_ID) return id;
  const [outer, middle, name] = [segments[0]!, segments.slice(1, -1), segments.at(-1)!];
  const short = `${outer}/n-${nameDigits(middle.join('/'))}/${name}`;
  return middle.length > 0 && short.length <= MAX_ID ? short : cut(id, MAX_ID, `-${nameDigits(id)}-`);
}

/** A text of `length` characters with `mark` in the middle. */
function cut(text: string, length: number, mark: string): string {
  const kept = length - mark.length;
  return `${text.slice(0, Math.ceil(kept / 2))}${mark}${text.slice(-Math.floor(kept / 2))}`;
}

/** A source that needs an id. */
export interface Nameable {
  /** Its own name, `/` between segments. */
  readonly stem: string;
  /** What no other source has: its path, its address, its UUID. */
  readonly key: string;
  /** The id that it had the last time, which it keeps. */
  readonly id?: string | undefined;
}

/**
 * The id of each source, in their order, which has no influence: its earlier id; else `legalName` of its stem; else, if
 * the name of another source becomes the same, or a source that is not here had that id (`reserved`), the same with digits
 * of a hash of its own path.
 * @throws Error if two sources have the same key
 */
export function idsOf(sources: readonly Nameable[], reserved: Iterable<string> = []): readonly string[] {
  const names = sources.map(({ stem }) => legalName(stem));
  const [sameName, sameStem] = [counted(names), counted(sources.map(({ stem }) => stem))];
  const ids = sources.map(({ id }) => id);
  const taken = new Set<string | undefined>([...reserved, ...ids, undefined]);
  for (let round = 0; ids.includes(undefined); round++) {
    const wanted = sources.map(({ stem, key }, at) => {
      if (ids[at] !== undefined) return undefined;
      const name = names[at]!;
      if (round === 0) return sameName.get(name) === 1 ? name : undefined;
      if (round === 1) return sameStem.get(stem) === 1 ? suffixed(name, nameDigits(stem)) : undefined;
      return suffixed(name, nameDigits(`${stem}\n${key}`, NAME_DIGITS * (round - 1)));
    });
    const wishes = counted(wanted);
    for (const [at, id] of wanted.entries()) if (wishes.get(id) === 1 && !taken.has(id)) ids[at] = id;
    for (const id of wanted) taken.add(id);
    if (round > MAX_ROUNDS) throw new Error('Two sources have the same key.');
  }
  return ids as readonly string[];
}

/** More digits do not help. */
const MAX_ROUNDS = 10;

function counted<T>(items: readonly T[]): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

function suffixed(name: string, suffix: string): string {
  const room = MAX_ID - 1 - suffix.length;
  return `${name.length <= room ? name : cut(name, room, '-')}-${suffix}`;
}

/** Folders of a namespace's textures. Packs of the game have skins in the first one. */
const FOLDERS = { texture: 'entity/player', cape: 'entity/cape', elytra: 'entity/elytra' } as const;
export type PackTextureKind = keyof typeof FOLDERS;

/** Where a texture is, for commands. */
export function textureLocation(namespace: string, kind: PackTextureKind, id: string): string {
  return `${namespace}:${FOLDERS[kind]}/${id}`;
}

/** The path in a resource pack to which a location leads. */
export function texturePath(location: string): string {
  const [namespace = '', path = ''] = location.split(':');
  return `assets/${namespace}/textures/${path}.png`;
}

/** The path of a function in a data pack. */
export function functionPath(namespace: string, name: string): string {
  return `data/${namespace}/function/${name}.mcfunction`;
}
