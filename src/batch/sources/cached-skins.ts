import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parsedJson } from '../../base/text.ts';
import { InvalidTexturesError, parseTexturesValue } from '../../textures/property.ts';
import { type FoundSkin, readDocument } from './skin-documents.ts';
import type { SkinInJson } from './skin-json.ts';
import { type LaidOut, laidOutIn, originOf, SKIN_LAYOUTS } from './skin-layouts.ts';
import { skinsInTree } from './skin-text.ts';

interface ReadFile {
  readonly label: string;
  readonly path: string;
  readonly tree: unknown;
  readonly found: readonly FoundSkin[];
}

type Lacking = LaidOut & { readonly origin: string };

/**
 * NPCs whose file says only what their skin was made from, with the skin data that the plugin has in a cache beside it; and
 * a note on those whose skin is not there either.
 */
export async function skinsBeside({ label, path, tree, found }: ReadFile): Promise<FoundSkin[]> {
  const lacking = lackingIn(label, tree, found);
  const caches = new Map(
    lacking.map(({ layout }) => [layout.plugin, new SkinCache(dirname(path), layout.plugin)]),
  );
  const [skins, others]: [FoundSkin[], Lacking[]] = [[], []];
  for (const one of lacking) {
    const skin = await caches.get(one.layout.plugin)!.find(one.origin);
    if (skin)
      skins.push({ place: `${label}:${one.path.join('.')}`, skin: { ...skin, name: one.name ?? skin.name } });
    else others.push(one);
  }
  return [...skins, ...notesOn(label, others)];
}

/** NPCs for which the document has an origin, but no data in any of the plugin's layouts. */
function lackingIn(label: string, tree: unknown, found: readonly FoundSkin[]): Lacking[] {
  const places = found.flatMap((one) => ('skin' in one ? [one.place] : []));
  const withData = new Set(places.map((place) => npcIn(place.slice(label.length + 1).split('.'))));
  return laidOutIn(tree).flatMap((one) => {
    const origin = originOf(one);
    return origin === undefined || withData.has(npcIn(one.path)) ? [] : [{ ...one, origin }];
  });
}

/** The keys of an NPC: all layouts that have an origin have their NPCs at the second level. */
function npcIn(path: readonly string[]): string {
  return path.slice(0, 2).join('.');
}

/** Characters whose base64 can be the name of a file. */
const LONGEST_ORIGIN = 1_000;
/** Files of a cache that are searched for a player's name. */
const MAX_FILES = 10_000;

/** The skin data that FancyNpcs has for addresses and files by themselves, and for players by their UUIDs. */
class SkinCache {
  readonly #pattern: string | undefined;
  readonly #folder: string;
  #players: ReadonlyMap<string, SkinInJson> | undefined;

  constructor(folder: string, plugin: string) {
    this.#pattern = SKIN_LAYOUTS.find((one) => one.plugin === plugin && one.file.startsWith('.'))?.file;
    this.#folder = folder;
  }

  async find(origin: string): Promise<SkinInJson | undefined> {
    if (this.#pattern === undefined || origin.length > LONGEST_ORIGIN) return undefined;
    const own = await this.#read(this.#pattern.replace('*', Buffer.from(origin).toString('base64')));
    if (own || !PLAYER.test(origin)) return own;
    this.#players ??= await this.#readPlayers(dirname(this.#pattern));
    return this.#players.get(origin.toLowerCase());
  }

  async #read(file: string): Promise<SkinInJson | undefined> {
    const text = await readDocument(join(this.#folder, file)).catch(() => undefined); // a cache may lack anything
    const [first] = skinsInTree(text === undefined ? undefined : parsedJson(text));
    return first?.skin;
  }

  /** The skins of players, by their names in the values. */
  async #readPlayers(place: string): Promise<ReadonlyMap<string, SkinInJson>> {
    const players = new Map<string, SkinInJson>();
    for (const file of filesIn(join(this.#folder, place)).slice(0, MAX_FILES)) {
      const skin = await this.#read(join(place, file));
      const name = skin && playerOf(skin);
      if (name !== undefined) players.set(name.toLowerCase(), skin!);
    }
    return players;
  }
}

const PLAYER = /^\w{1,16}$/;

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // without a cache
  }
}

function playerOf({ value }: SkinInJson): string | undefined {
  try {
    return parseTexturesValue(value).profileName;
  } catch (error) {
    if (!(error instanceof InvalidTexturesError)) throw error;
    return undefined;
  }
}

/** NPCs named in a note. */
const MAX_SHOWN = 5;

function notesOn(label: string, lacking: readonly Lacking[]): FoundSkin[] {
  if (lacking.length === 0) return [];
  const shown = lacking.slice(0, MAX_SHOWN).map(({ name, origin }) => `${name ?? 'one'} (${origin})`);
  const rest = lacking.length > MAX_SHOWN ? ` and ${lacking.length - MAX_SHOWN} more` : '';
  const npcs =
    lacking.length === 1
      ? '1 NPC has a skin whose data is'
      : `${lacking.length} NPCs have skins whose data is`;
  return [{ note: `${label}: ${npcs} not stored with the plugin: ${shown.join(', ')}${rest}.` }];
}
