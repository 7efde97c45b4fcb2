/** Longest path of a texture or function below its folder; commands with it fit into a line of chat. */
const MAX_PATH = 80;
const MAX_SEGMENT = 48;
/** What a source is called of whose name nothing is left. */
const NAMELESS = 'skin';
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
  if (text.endsWith('.') || DEVICE.test(text)) return 'is no name for a folder on Windows';
  return GAME_NAMESPACES.has(text) ? "is the game's own" : undefined;
}

/**
 * The name for a stem (`/` between segments) as resource locations allow it: lower-case letters without accents, digits
 * and `_ . -`. It is also a path on every system.
 */
export function legalName(stem: string): string {
  const segments = stem.split('/').map(legalSegment).filter(Boolean);
  while (segments.length > 1 && segments.join('/').length > MAX_PATH) segments.shift();
  return segments.join('/') || NAMELESS;
}

function legalSegment(segment: string): string {
  const letters = segment.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const legal = letters
    .replaceAll(/[^a-z0-9_.-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(0, MAX_SEGMENT)
    .replace(/\.+$/, ''); // Windows drops dots at the end
  if (!/[a-z0-9]/.test(legal)) return '';
  return DEVICE.test(legal) ? `_${legal}` : legal;
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

/** The names in one pack: each is given once. */
export class PackNames {
  readonly #taken = new Set<string>();
  /** The next number to try for a name that several sources want. */
  readonly #numbers = new Map<string, number>();

  /** The name for a stem; with a number if another source has that name. */
  take(stem: string): { readonly name: string; readonly isOthers: boolean } {
    const name = legalName(stem);
    if (this.#claim(name)) return { name, isOthers: false };
    for (let number = this.#numbers.get(name) ?? 2; ; number++) {
      const numbered = `${name.slice(0, MAX_PATH - 8)}-${number}`;
      if (!this.#claim(numbered)) continue;
      this.#numbers.set(name, number + 1);
      return { name: numbered, isOthers: true };
    }
  }

  #claim(name: string): boolean {
    if (this.#taken.has(name)) return false;
    this.#taken.add(name);
    return true;
  }
}

/** The names that the sources of a run have in a pack of the same sources. */
export class PackIds {
  readonly #names = new PackNames();
  readonly #ids: string[] = [];
  /** The name under which a pack stores a picture: that of its first source. */
  readonly #ofTextures = new Map<string, string>();

  /** The next source, in their order. `stem` is undefined for one that no pack can use. */
  add(stem: string | undefined): void {
    this.#ids.push(stem === undefined ? NAMELESS : this.#names.take(stem).name);
  }

  /** `index`: the position of a source. `texture`: the same for the same picture. */
  idOf(index: number, texture: string): string | undefined {
    const id = this.#ofTextures.get(texture) ?? this.#ids[index];
    if (id !== undefined) this.#ofTextures.set(texture, id);
    return id;
  }
}
