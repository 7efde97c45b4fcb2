/** Names of the output formats. A separate module, so that help and argument checks load nothing else. */
export const FORMAT_NAMES = [
  'json',
  'value',
  'signature',
  'property',
  'give',
  'give-1.20.5',
  'give-1.16',
  'skinsrestorer',
  'citizens',
] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** What each format is, for help and manual pages. */
export const FORMAT_MEANINGS: Readonly<Record<FormatName, string>> = {
  json: 'the skin as JSON, with fields named as in the output of generate',
  value: 'the texture value, in base64',
  signature: 'the signature of the value, in base64',
  property: 'the textures property of a game profile, as JSON',
  give: 'a command that gives a player head, for Minecraft 1.21.5 and later',
  'give-1.20.5': 'the same for Minecraft 1.20.5 to 1.21.4',
  'give-1.16': 'the same for Minecraft 1.16 to 1.20.4',
  skinsrestorer: 'a custom skin for the folder "skins" of SkinsRestorer 15',
  citizens: 'a command that gives the skin to the selected NPC of Citizens',
};
