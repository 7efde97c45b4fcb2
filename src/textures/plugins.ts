import { base64Only, type CommandSubject, quote } from './commands.ts';
import { profileId, type SkinData } from './property.ts';

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
 * A line of a Denizen script. Without a third part, a name, Denizen makes one up as the key of Citizens' cache.
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
 * Disguises a player as somebody with the skin, by LibsDisguises, which splits at spaces: the profile has none.
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
