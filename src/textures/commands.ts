import { profileId, type SkinData } from './property.ts';

/**
 * Commands have no leading slash: function files forbid it, consoles and command blocks do not need it. Those with
 * signed skin data exceed the 256 characters of a line of chat anyway.
 */

/** The skin that a command is about. */
export interface CommandSubject extends SkinData {
  /** Shown as the name of a head. */
  readonly name?: string | undefined;
}

/** The skin data is not base64: a command of it could end early, and another one begin. */
export class UnsafeSkinDataError extends Error {
  override readonly name = 'UnsafeSkinDataError';

  constructor() {
    super('The skin data is not base64, so it cannot be used in a command.');
  }
}

/** A player head with the skin, for Minecraft 1.21.5 and later, where text components are SNBT. */
export function giveCommand(skin: CommandSubject): string {
  return giveProfile(skin, plainText);
}

/** For Minecraft 1.20.5 to 1.21.4, where text components are JSON in an SNBT string. */
export function giveCommand1205(skin: CommandSubject): string {
  return giveProfile(skin, quoteJsonText);
}

/** For Minecraft 1.16 to 1.20.4: item tags. */
export function giveCommand116(skin: CommandSubject): string {
  const { value, signature } = base64Only(skin);
  const textures = `[{Value:"${value}",Signature:"${signature}"}]`;
  const owner = `SkullOwner:{Id:${intArray(value)},Properties:{textures:${textures}}}`;
  const display = skin.name ? `,display:{Name:${quoteJsonText(skin.name)}}` : '';
  return `give @p minecraft:player_head{${owner}${display}}`;
}

/** A skin for the profiles of Minecraft 1.21.9 and later, which need no signature. */
export interface ProfileSkin {
  /** Shown as the name of a head or a mannequin. */
  readonly name?: string | undefined;
  readonly variant: 'classic' | 'slim';
  readonly look: PackLook | { readonly url: string };
}

/** Textures of a resource pack, as `npc:entity/player/guard`. The alternative is the address of a texture. */
export interface PackLook {
  readonly texture: string;
  readonly cape?: string | undefined;
  readonly elytra?: string | undefined;
}

export interface ProfileCommandOptions {
  /** Maximum characters. Default: what fits into a line of chat behind the slash; the name is left out to keep to it. */
  readonly limit?: number;
  /** Where a mannequin stands. */
  readonly at?: string;
  /** More properties of a mannequin, as SNBT that begins with a comma. */
  readonly rest?: string;
}

const CHAT_LINE = 255;

/** A player head with the skin. */
export function headCommand(skin: ProfileSkin, { limit = CHAT_LINE }: ProfileCommandOptions = {}): string {
  const command = (more = '') => `give @p player_head[profile=${profileOf(skin)}${more}]`;
  return withName(command, skin.name && `,custom_name=${plainText(skin.name)}`, limit);
}

/** A mannequin with the skin: an entity that looks like a player. */
export function mannequinCommand(
  skin: ProfileSkin,
  { limit = CHAT_LINE, at = '~ ~ ~', rest = '' }: ProfileCommandOptions = {},
): string {
  const command = (more = '') => `summon mannequin ${at} {profile:${profileOf(skin)}${more}${rest}}`;
  return withName(command, skin.name && `,description:{text:${quote(skin.name)}}`, limit);
}

/** The skin's face in a message. */
export function textObjectCommand({ look }: Pick<ProfileSkin, 'look'>): string {
  const profile = 'url' in look ? propertiesOf(look.url) : `texture:${quote(look.texture)}`;
  return `tellraw @a {object:player,player:{${profile}}}`;
}

function withName(command: (more?: string) => string, name: string | undefined, limit: number): string {
  const whole = command(name || '');
  return whole.length <= limit ? whole : command();
}

/** Without a model the game would take that of the default skin for the profile. */
function profileOf({ variant, look }: ProfileSkin): string {
  const model = `model:${variant === 'slim' ? 'slim' : 'wide'}`;
  if ('url' in look) return `{${propertiesOf(look.url)},${model}}`;
  const { texture, cape, elytra } = look;
  const textures = Object.entries({ texture, cape, elytra }).filter(([, path]) => path !== undefined);
  return `{${textures.map(([field, path]) => `${field}:${quote(path!)}`).join()},${model}}`;
}

/** The shortest form of the data that shows a texture, as a map, so that the command fits into a line of chat. */
function propertiesOf(url: string): string {
  const value = Buffer.from(JSON.stringify({ textures: { SKIN: { url } } })).toString('base64');
  return `properties:{textures:["${value}"]}`;
}

function giveProfile(skin: CommandSubject, quoteText: (text: string) => string): string {
  const { value, signature } = base64Only(skin);
  const properties = `[{name:"textures",value:"${value}",signature:"${signature}"}]`;
  const name = skin.name ? `,custom_name=${quoteText(skin.name)}` : '';
  return `give @p minecraft:player_head[profile={id:${intArray(value)},properties:${properties}}${name}]`;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Commands run with a server's full permissions, so data from a service must not be able to end one command and start
 * another. @throws UnsafeSkinDataError
 */
export function base64Only({ value, signature }: SkinData): SkinData {
  verifyBase64(value);
  verifyBase64(signature);
  return { value, signature };
}

/** @throws UnsafeSkinDataError */
export function verifyBase64(text: string): void {
  if (!BASE64.test(text)) throw new UnsafeSkinDataError();
}

function intArray(value: string): string {
  return `[I;${profileId(value).parts.join(',')}]`;
}

/** Characters that could end a line, or that consoles and command blocks drop on paste. */
const UNTYPEABLE = /(?! )[\p{C}\p{Z}§]/gu;

/** A double-quoted string, which JSON and SNBT since 1.21.5 parse alike. */
export function quote(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(UNTYPEABLE, escapeUnits);
}

function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** A text component as SNBT, for names of items, which Minecraft shows in italics otherwise. */
function plainText(text: string): string {
  return `{text:${quote(text)},italic:false}`;
}

/** The same as JSON in single quotes: before 1.21.5, SNBT only has escapes for the quote and the backslash. */
function quoteJsonText(text: string): string {
  return `'${`{"text":${quote(text)},"italic":false}`.replace(/[\\']/g, '\\$&')}'`;
}

/*
 * What plugins and mods read: commands, parts of their files, code. Those that take an address send it to the service of
 * MineSkin, which has the game sign the picture again.
 */

/** A picture at an address, for plugins that fetch it. */
export interface AddressedSkin {
  readonly url: string;
  readonly variant: string;
}

/**
 * Applies the skin to the player who types it, by the SkinsRestorer plugin, whose address is a quoted argument.
 * Source: `SkinCommand.java` of SkinsRestorer/SkinsRestorer.
 */
export function skinsRestorerCommand({ url, variant }: AddressedSkin): string {
  return `/skin url ${quote(url)} ${variant === 'slim' ? 'slim' : 'classic'}`;
}

/**
 * A custom skin for the `skins` folder of SkinsRestorer 15, which finds it by its name in lower case.
 * Source: `CustomSkinFile.java` and `FileAdapter.java` of SkinsRestorer/SkinsRestorer.
 */
export function customSkin({ name, value, signature }: CommandSubject) {
  const skinName = (name ?? profileId(value).uuid).toLowerCase();
  return { skinName, value, signature, dataVersion: 1 };
}

/**
 * Applies the skin to the selected NPC of the Citizens plugin. The first argument is a key of the plugin's cache: it
 * would look up a key of up to 16 characters as a player's name. Source: `NPCCommands.java` of CitizensDev/Citizens2.
 */
export function citizensCommand(skin: SkinData): string {
  const { value, signature } = base64Only(skin);
  return `npc skin -t ${profileId(value).uuid} ${value} ${signature}`;
}

/** The same with a picture, of whose arms the plugin can name slim ones only. */
export function citizensUrlCommand({ url, variant }: AddressedSkin): string {
  return `/npc skin --url ${url}${variant === 'slim' ? ' -s' : ''}`;
}

/**
 * A line of a Denizen script. Without a third part, a name, Denizen invents one, which Citizens uses as its cache key.
 * Source: the mechanism `skin_blob` in `NPCTag.java` of DenizenScript/Denizen.
 */
export function denizenLine({ value, signature }: SkinData): string {
  return `- adjust <npc> skin_blob:${value};${signature}\n`;
}

/** Applies the skin to an NPC of FancyNpcs. Source: `SkinCMD.java` of FancyMcPlugins/FancyNpcs. */
export function fancyNpcsCommand(npc: string, { url, variant }: AddressedSkin): string {
  return `/npc skin ${npc} ${url}${variant === 'slim' ? ' --slim' : ''}`;
}

/**
 * The section `skin` of an NPC in FancyNpcs' `npcs.yml`; the texts are in YAML's quotes. It has the service of MineSkin
 * fetch the URL again once its own copy has expired. Source: `NpcManagerImpl.java` of FancyMcPlugins/FancyNpcs.
 */
export function fancyNpcsSection({ url, value, signature }: SkinData & { readonly url: string }): string {
  return `skin:\n  identifier: ${url}\n  variant: AUTO\n  value: ${value}\n  signature: ${signature}\n`;
}

/** Applies the skin to an NPC of ZNPCsPlus. Source: `SkinCommand.java` of Pyrbu/ZNPCsPlus. */
export function znpcsCommand(npc: string, { url, variant }: AddressedSkin): string {
  return `/npc skin ${npc} url ${variant === 'slim' ? 'slim' : 'classic'} ${url}`;
}

/**
 * The property `skin` of an NPC in the folder `data` of ZNPCsPlus.
 * Source: `PrefetchedDescriptor.java` and `YamlStorage.java` of Pyrbu/ZNPCsPlus.
 */
export function znpcsProperty({ value, signature }: SkinData): string {
  return `properties:\n  skin: prefetched;textures;${value};${signature};\n`;
}

/**
 * Disguises a player as someone with the skin, by LibsDisguises, which splits at spaces: the profile has none.
 * Source: `DisguisePlayerCommand.java`, `SerializerUserProfile.java` and `DisguiseUtilities.java` of
 * libraryaddict/LibsDisguises.
 */
export function libsDisguisesCommand(player: string, name: string, skin: SkinData): string {
  const { value, signature } = base64Only(skin);
  const properties = [{ name: 'textures', value, signature }];
  const profile = JSON.stringify({ id: profileId(value).uuid, name, properties });
  return `disguiseplayer ${player} player ${name} setSkin ${profile}`;
}

/**
 * Applies the skin to the nearest NPC of the Taterzens mod, whose own command takes no skins but those of players and
 * of MineSkin. Source: `TaterzenNPC.java` and `SkinCommand.java` of samolego/Taterzens.
 */
export function taterzensCommand(skin: SkinData): string {
  const { value, signature } = base64Only(skin);
  const npc = '@e[type=taterzens:npc,sort=nearest,limit=1]';
  return `data merge entity ${npc} {TaterzenNPCTag:{skin:{value:"${value}",signature:"${signature}"}}}`;
}

/**
 * Code of a plugin for Paper. A player's own profile has the name that a new one would lack.
 * Source: `PlayerProfile.java`, `ProfileProperty.java`, `SkullMeta.java` and `CraftPlayer.java` of PaperMC/Paper.
 */
export function paperCode(skin: SkinData): string {
  const { value, signature } = base64Only(skin);
  return `ProfileProperty skin = new ProfileProperty("textures",
    "${value}",
    "${signature}");
// A player
PlayerProfile profile = player.getPlayerProfile();
profile.setProperty(skin);
player.setPlayerProfile(profile);
// A head
PlayerProfile owner = Bukkit.createProfile(UUID.fromString("${profileId(value).uuid}"));
owner.setProperty(skin);
skullMeta.setPlayerProfile(owner);`;
}

/**
 * Code of a mod, with the game's own classes in `com.mojang.authlib`. Profiles cannot be changed since 1.21.9; earlier
 * ones keep several properties of a name. Sources: `GameProfileWrapper.java` of CitizensDev/Citizens2 and
 * `BukkitPropertyApplier.java` of SkinsRestorer/SkinsRestorer.
 */
export function authlibCode(skin: SkinData): string {
  const { value, signature } = base64Only(skin);
  return `Property skin = new Property("textures",
    "${value}",
    "${signature}");
// Minecraft 1.21.9 and later
new GameProfile(id, name, new PropertyMap(ImmutableMultimap.of("textures", skin)));
// Earlier versions
profile.getProperties().removeAll("textures");
profile.getProperties().put("textures", skin);`;
}
