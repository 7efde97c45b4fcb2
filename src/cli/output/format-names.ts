/** Names of the output formats. A separate module, so that help and argument checks load nothing else. */
export const FORMAT_NAMES = [
  'json',
  'value',
  'signature',
  'property',
  'give',
  'give-1.20.5',
  'give-1.16',
  'give-texture',
  'mannequin',
  'text-object',
  'skinsrestorer',
  'citizens',
  'denizen',
  'fancynpcs',
  'znpcs',
  'geyser',
  'tab',
  'deluxemenus',
  'shopguiplus',
  'loot-table',
  'profile',
  'html',
] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** A format of the user's own: a file after `template:`, or the template itself. */
export type TemplateChoice = `template:${string}`;
export type FormatChoice = FormatName | TemplateChoice;

export function isTemplateChoice(choice: string): choice is TemplateChoice {
  return choice.startsWith('template:');
}

/** Formats whose textures can be in a resource pack. */
export const PACK_FORMATS = ['give-texture', 'mannequin', 'text-object'] as const satisfies FormatName[];
export type PackFormatName = (typeof PACK_FORMATS)[number];

export function isPackFormat(choice: string): choice is PackFormatName {
  return PACK_FORMATS.some((name) => name === choice);
}

export function isFormatChoice(choice: string): choice is FormatChoice {
  return isTemplateChoice(choice) || FORMAT_NAMES.some((name) => name === choice);
}

/** The formats that a text names. A template may have commas, so it is the only one. */
export function splitFormats(text: string): string[] {
  if (isTemplateChoice(text.trim())) return [text.trim()];
  return [...new Set(text.split(',').map((name) => name.trim()))];
}

/** Why a text names no formats, as the end of a sentence that begins with "it"; undefined if it does. */
export function formatsFault(text: string): string | undefined {
  const names = splitFormats(text);
  if (names.length > 1 && names.some(isTemplateChoice))
    return 'cannot combine a template with other formats: run skinsmith once for each';
  if (names.every(isFormatChoice)) return undefined;
  return `must be one or more of ${FORMAT_NAMES.join(', ')}, separated by commas, or template:FILE`;
}

const IN_BLOCK =
  'Paste it into a command block, or into the server console with the name of a player in place of @p.';
const IN_CHAT = 'Paste it into chat, with a slash in front; you must be op.';

/** Where people put what a format prints. Formats for programs have no place. */
export const FORMAT_PLACES: Readonly<Partial<Record<FormatName, string>>> = {
  give: IN_BLOCK,
  'give-1.20.5': IN_BLOCK,
  'give-1.16': IN_BLOCK,
  'give-texture': IN_CHAT,
  mannequin: IN_CHAT,
  'text-object': IN_CHAT,
  skinsrestorer: 'Put it into plugins/SkinsRestorer/skins as NAME.customskin, then type /skin set NAME.',
  citizens: 'Paste it into the server console, without a slash, after npc select ID.',
  denizen: 'Paste it into a Denizen script of the NPC.',
  fancynpcs: 'Stop the server, and paste it into plugins/FancyNpcs/npcs.yml as the skin of the NPC.',
  znpcs: 'Stop the server, and paste it into the file of the NPC in plugins/ZNPCsPlus/data.',
  geyser: "Put it into Geyser's folder as custom-skulls.yml, and restart the server.",
  tab: 'Stop the server, and put it into plugins/TAB as skincache.yml.',
  deluxemenus: 'Put it into plugins/DeluxeMenus/gui_menus, and name the file in config.yml.',
  shopguiplus: 'Put it into plugins/ShopGUIPlus/shops.',
  'loot-table': 'Put it into the folder loot_table of a namespace of a data pack.',
};

/** Commands that chat may cut. */
export const LONG_COMMANDS: ReadonlySet<string> = new Set<FormatName>([
  'give',
  'give-1.20.5',
  'give-1.16',
  'citizens',
]);

export const FORMAT_MEANINGS: Readonly<Record<FormatName, string>> = {
  json: 'the skin as JSON, with fields named as in the output of generate',
  value: 'the texture value, in base64',
  signature: 'the signature of the value, in base64',
  property: 'the textures property of a game profile, as JSON',
  give: 'a command that gives a player head, for Minecraft 1.21.5 and later',
  'give-1.20.5': 'the same for Minecraft 1.20.5 to 1.21.4',
  'give-1.16': 'the same for Minecraft 1.16 to 1.20.4',
  'give-texture':
    'a command that gives a head without a signature, short enough for chat, for Minecraft 1.21.9 and later; with --pack, the texture is that of the pack',
  mannequin: 'the same for a mannequin, an entity that looks like a player',
  'text-object': 'the same for a message with the face',
  skinsrestorer: 'a custom skin for the folder "skins" of SkinsRestorer 15',
  citizens: 'a command that gives the skin to the selected NPC of Citizens',
  denizen: 'a line of a Denizen script that gives the skin to its NPC',
  fancynpcs: 'the section skin of an NPC in npcs.yml of FancyNpcs',
  znpcs: "the property skin of an NPC in ZNPCsPlus's folder data",
  geyser: 'custom-skulls.yml for Geyser, which shows heads to players of Bedrock Edition',
  tab: 'skincache.yml of TAB, whose layouts then have the skins as player:NAME',
  deluxemenus: 'a menu of heads for DeluxeMenus',
  shopguiplus: 'a shop of heads for ShopGUI+',
  'loot-table': 'a loot table of heads for a data pack, for Minecraft 1.21.5 and later',
  profile: 'a whole game profile, as JSON',
  html: 'the texture and the name of the skin, for a web page',
};
