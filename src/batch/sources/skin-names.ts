import { isUuid, parsedJson } from '../../base/text.ts';
import { type Fields, fieldsOf, textOf } from './skin-json.ts';

/** What names the skin data in an object, from the objects around it. The nearest of each kind counts. */
export interface Names {
  /** The name on a head or above an entity. */
  readonly shown?: string | undefined;
  /** The name of an NPC. */
  readonly name?: string | undefined;
  /** A title, which may be decorated. */
  readonly title?: string | undefined;
  /** The name of the skin. */
  readonly own?: string | undefined;
  readonly id?: string | undefined;
  /** The key under which it stands. */
  readonly key?: string | undefined;
  /** The name of the player to whom a profile belongs. */
  readonly player?: string | undefined;
  /** Whose part it is: the name of the NPC that wears or holds it. */
  readonly bearer?: string | undefined;
  /** The slot in which that has it. */
  readonly slot?: string | undefined;
}

/** The best of the names. A head that an NPC wears is not the NPC's skin, and not named like it. */
export function bestName({
  shown,
  name,
  title,
  own,
  id,
  key,
  player,
  bearer,
  slot,
}: Names): string | undefined {
  const worn = bearer !== undefined && slot !== undefined ? `${bearer} ${slot}` : undefined;
  return [shown, name, title, own, id, key, player, worn].find((text) => text !== undefined);
}

/** Keys of what an NPC, a container or a trade has: no longer the NPC itself. */
const HOLDER =
  /^(?:equipment|armou?r_?items|hand_?items|armou?r|inventory|ender_?items|items|offers|recipes|contents|container|passengers|drops|trades|hat|helmet)$/i;
/** Where an NPC wears or holds something. */
const SLOT = /^(?:helmet|hat|head|main_?hand|off_?hand|hand|chest|chestplate|legs|leggings|feet|boots)$/i;

/** The names below a key. `mayName`: whether the key may be one. */
export function namesBelow(around: Names, key: string, mayName: boolean): Names {
  if (HOLDER.test(key)) {
    const bearer = bestName(around) ?? around.bearer;
    return { ...(bearer !== undefined && { bearer }), ...(SLOT.test(key) && { slot: key.toLowerCase() }) };
  }
  if (around.bearer !== undefined && around.slot === undefined && SLOT.test(key))
    return { ...around, slot: key.toLowerCase() };
  return mayName && isPlainName(key) && !isNumber(key) ? { ...around, key } : around;
}

/** The names of an object, with those around it. `key`: where it stands. */
export function namesIn(fields: Fields, around: Names, key: string | undefined): Names {
  const name = named(fields['name'] ?? fields['Name']);
  const isProfile = isProfileKey(key) || Object.keys(fields).some((one) => PROPERTIES.test(one));
  const found: Names = {
    shown: named(componentText(shownIn(fields))),
    name: isProfile ? undefined : name,
    title: named(titleIn(fields)),
    own: named(OWN.map((one) => textOf(fields[one])).find((text) => text !== undefined && isName(text))),
    id: named(idIn(fields)),
    player: isProfile ? name : undefined,
  };
  return { ...around, ...Object.fromEntries(Object.entries(found).filter(([, text]) => text !== undefined)) };
}

/** Fields with the name of the skin itself: of Citizens, FancyNpcs, SkinsRestorer. */
const OWN = ['skinName', 'player-skin-name', 'cached-skin-uuid-name', 'identifier', 'lastKnownName'];
/** What makes an object a player's profile. */
const PROPERTIES = /^(?:textureP|p)roperties$/i;

/** Whether what stands under a key describes a skin or the player who has it: a name in it is not that of an NPC. */
function isProfileKey(key: string | undefined): boolean {
  return key !== undefined && /^(?:minecraft:)?(?:skin|profile|skull-?owner|owner)$/i.test(key);
}

function shownIn(fields: Fields): unknown {
  const at = (key: string) => fields[key] ?? fields[`minecraft:${key}`];
  return (
    at('custom_name') ??
    fieldsOf(fields['display'])?.['Name'] ??
    fields['CustomName'] ??
    at('item_name') ??
    nameSetIn(fields['functions']) ??
    (at('profile') === undefined ? undefined : fields['description'])
  );
}

/** The name that a loot table sets beside the profile, in a function of its own. */
function nameSetIn(functions: unknown): unknown {
  if (!Array.isArray(functions)) return undefined;
  const set = functions.map(fieldsOf).find((one) => /(?:^|:)set_name$/.test(textOf(one?.['function']) ?? ''));
  return set?.['name'];
}

function titleIn(fields: Fields): string | undefined {
  const title = ['displayName', 'display-name', 'display_name', 'displayname', 'DisplayName'];
  return title.map((key) => componentText(fields[key])).find((text) => text !== undefined);
}

/** An id of Minecraft says what kind of thing it is. */
function idIn(fields: Fields): string | undefined {
  const id = textOf(fields['id']) ?? textOf(fields['Id']);
  return id !== undefined && !isNumber(id) && !id.includes(':') ? id : undefined;
}

/** Characters of the longest text that may be a name. */
const LONGEST = 256;

/** A text that can be a name, without its colours. */
function named(text: unknown): string | undefined {
  const plain = typeof text === 'string' ? withoutStyle(text.slice(0, LONGEST)) : undefined;
  return plain !== undefined && isName(plain) ? plain : undefined;
}

/** Whether it may be a name: no address, no UUID, no id of Minecraft, no property's name, no base64. */
export function isName(text: string): boolean {
  const isOther = /^(?:https?|minecraft):/.test(text) || isUuid(text);
  return text !== '' && text !== 'textures' && text.length <= LONGEST && !isOther;
}

/** Whether it is a name as people write it in a list, or as a key, and not one of the words for skins. */
export function isPlainName(text: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ .'&()-]{0,47}$/u.test(text) && isName(text) && !isTerm(text);
}

export function isNumber(text: string): boolean {
  return /^[\d.,_-]+$/.test(text);
}

/** Words of keys that say what the data is, not whose. */
const TERMS = new Set(
  `skin skins skintrait value values signature texture textures raw data signed signedtexture property properties profile
  profiles gameprofile head heads skull skulls owner player players npc npcs trait traits metadata meta item items itemstack
  tag components display name base64 url hash id key entity entities block custom model type icon icons material lore
  pools entries functions function entry contents container slot slots patterns payload result
  criteria rewards predicate conditions conditional children sections section config settings options default defaults list cache
  cached mineskin java bedrock uuid identifier variant text texts title description tellraw equipment helmet hat hand mainhand
  offhand chest chestplate legs leggings feet boots minecraft bukkit layout layouts fixedslots groups true false auto slim
  classic wide steve alex`
    .split(/\s+/)
    .filter(Boolean),
);

function isTerm(text: string): boolean {
  const words = text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s_.-]+/);
  return words.every((word) => word === '' || TERMS.has(word));
}

/** The text of a text component: a string, a list, an object, or any of these as JSON in a string. */
export function componentText(component: unknown, depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (typeof component === 'string') {
    const json = /^\s*["{[]/.test(component) ? parsedJson(component) : undefined;
    return json === undefined ? component : componentText(json, depth + 1);
  }
  if (Array.isArray(component)) return joined(component, depth);
  const fields = fieldsOf(component);
  if (!fields) return undefined;
  const own = textOf(fields['text']) ?? textOf(fields['fallback']) ?? keyText(fields['translate']);
  const extra = Array.isArray(fields['extra']) ? joined(fields['extra'], depth) : undefined;
  return own === undefined && extra === undefined ? undefined : `${own ?? ''}${extra ?? ''}`;
}

/** Levels of a text component. */
const MAX_DEPTH = 16;

function joined(parts: readonly unknown[], depth: number): string | undefined {
  const texts = parts.map((part) => componentText(part, depth + 1)).filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join('');
}

/** The last word of a translation's key: `block.minecraft.wither_skeleton_skull`. */
function keyText(key: unknown): string | undefined {
  return textOf(key)?.split('.').at(-1)?.replaceAll('_', ' ');
}

/** Removes Minecraft's colour codes and the tags of MiniMessage. */
export function withoutStyle(name: string): string {
  return name
    .replace(/[&§](?:#[\da-f]{6}|[\da-fk-orx])/gi, '')
    .replace(/<[/!]?[a-z_#][^<>]{0,64}>/gi, '')
    .trim();
}
