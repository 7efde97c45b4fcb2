import { fieldsOf, textOf } from './skin-json.ts';

/**
 * Where plugins keep skin data, and what they call it there: the rules above the reader of skin data in any text, which needs
 * none of them to find a value and its signature. After the published sources of the plugins, as of 2025.
 */
export interface SkinLayout {
  /** Its folder in `plugins`. */
  readonly plugin: string;
  /** Its file below that folder. A `*` is the name of the one skin in it. */
  readonly file: string;
  /** The keys that lead to all its skins or NPCs, each of which has a key there. Empty: the file has only one. */
  readonly all: readonly string[];
  /** The keys that lead from there to the name. Empty: its own key, or the `*` of the file, is the name. */
  readonly name: readonly string[];
  /** The keys that lead from there to what has value and signature. */
  readonly skin: readonly string[];
  /** The keys of value and signature. Absent: they are a list of two, or one text. */
  readonly data?: { readonly value: string; readonly signature: string };
  /** Below `skin`, the key of what the skin was made from, which may be all that is stored: a player, an address. */
  readonly origin?: string;
}

export const SKIN_LAYOUTS = [
  /** `SimpleNPCDataStore.java`, `SkinTrait.java` of CitizensDev/Citizens2. */
  {
    plugin: 'Citizens',
    file: 'saves.yml',
    all: ['npc'],
    name: ['name'],
    skin: ['traits', 'skintrait'],
    data: { value: 'textureRaw', signature: 'signature' },
    origin: 'skinName',
  },
  /** The same before it had the trait: `NPC.java`, `Skin.java` of 2016. */
  {
    plugin: 'Citizens',
    file: 'saves.yml',
    all: ['npc'],
    name: ['name'],
    skin: ['metadata'],
    data: { value: 'player-skin-textures', signature: 'player-skin-signature' },
    origin: 'player-skin-name',
  },
  /** `NpcManagerImpl.java` of FancyMcPlugins/FancyNpcs before 2.4.2; since then the skin's `identifier` names a file of its cache. */
  {
    plugin: 'FancyNpcs',
    file: 'npcs.yml',
    all: ['npcs'],
    name: ['name'],
    skin: ['skin'],
    data: { value: 'value', signature: 'signature' },
    origin: 'identifier',
  },
  /** `SkinCacheFile.java`, `SkinData.java` of the same: `*` is the identifier in base64, whose slashes make folders. */
  {
    plugin: 'FancyNpcs',
    file: '.data/skins/*.json',
    all: [],
    name: ['skinData', 'identifier'],
    skin: ['skinData'],
    data: { value: 'textureValue', signature: 'textureSignature' },
  },
  /** `YamlStorage.java`, `PrefetchedDescriptor.java` of Pyrbu/ZNPCsPlus: `prefetched;textures;VALUE;SIGNATURE;`. */
  {
    plugin: 'ZNPCsPlus',
    file: 'data/*.yml',
    all: [],
    name: ['id'],
    skin: ['properties', 'skin'],
  },
  /** `SkinSource.java`, `MineSkin.java` and `PlayerSkin.java` of NEZNAMY/TAB. */
  { plugin: 'TAB', file: 'skincache.yml', all: ['mineskin'], name: [], skin: [] },
  { plugin: 'TAB', file: 'skincache.yml', all: ['players'], name: [], skin: [] },
] as const satisfies readonly SkinLayout[];

/** A skin or an NPC of a document that has one of the layouts. */
export interface LaidOut {
  readonly layout: SkinLayout;
  /** Keys that lead to what has value and signature. */
  readonly path: readonly string[];
  readonly name: string | undefined;
  /** What has value and signature, or both as a text. */
  readonly skin: unknown;
}

/** The skins and NPCs of a document by the layouts that it has; a document of another program may have a key of theirs too. */
export function laidOutIn(tree: unknown): readonly LaidOut[] {
  return SKIN_LAYOUTS.flatMap((layout: SkinLayout) => {
    const all = layout.all.length === 0 ? { '': tree } : fieldsOf(at(tree, layout.all));
    return Object.entries(all ?? {}).flatMap(([key, one]): LaidOut[] => {
      const skin = at(one, layout.skin);
      const name = layout.name.length === 0 ? key : textOf(at(one, layout.name));
      const path = [...layout.all, key, ...layout.skin].filter((step) => step !== '');
      return skin === undefined ? [] : [{ layout, path, name, skin }];
    });
  });
}

function at(node: unknown, path: readonly string[]): unknown {
  let here = node;
  for (const key of path) {
    const fields = fieldsOf(here);
    here = fields && Object.hasOwn(fields, key) ? fields[key] : undefined;
  }
  return here;
}

/** Whether a skin has its data where its layout says. */
function hasData({ layout, skin }: LaidOut): boolean {
  const { value } = layout.data ?? {};
  return value === undefined || textOf(fieldsOf(skin)?.[value]) !== undefined;
}

/** What a skin was made from, if its data is not there. An NPC that mirrors whoever looks at it has no skin. */
export function originOf(one: LaidOut): string | undefined {
  const fields = fieldsOf(one.skin);
  const { origin } = one.layout;
  if (!fields || origin === undefined || hasData(one) || String(fields['mirrorSkin']) === 'true')
    return undefined;
  return textOf(fields[origin]) || undefined;
}
