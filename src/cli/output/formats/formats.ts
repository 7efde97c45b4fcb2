import { profileId } from '../../../textures/property.ts';
import { citizensCommand, giveCommand, giveCommand116, giveCommand1205 } from './commands.ts';
import type { FormatName } from './names.ts';
import type { SkinData } from './skin-data.ts';

/** Renders a finished skin in one format: a text, or a value to be written as JSON. */
export type Formatted = string | Readonly<Record<string, unknown>>;

export interface Format {
  /** File extension of this format, including the dot. */
  readonly extension: string;
  /** @throws CliError for a command, when the skin data is not base64 */
  readonly render: (skin: SkinData) => Formatted;
  /** The reader identifies the file by its name, in lower case, and expects the same name in its content. */
  readonly isNamedByFile?: true;
  /** Data packs load the file only if its path is a name as Minecraft allows it. */
  readonly isFunction?: true;
}

export const FORMATS = {
  json: { extension: '.json', render: (skin) => ({ ...skin }) },
  value: { extension: '.value', render: ({ value }) => value },
  signature: { extension: '.signature', render: ({ signature }) => signature },
  /** The game profile's textures property. */
  property: {
    extension: '.property.json',
    render: ({ value, signature }) => ({ name: 'textures', value, signature }),
  },
  give: { extension: '.mcfunction', render: giveCommand, isFunction: true },
  'give-1.20.5': { extension: '.1.20.5.mcfunction', render: giveCommand1205, isFunction: true },
  'give-1.16': { extension: '.1.16.mcfunction', render: giveCommand116, isFunction: true },
  /** A custom skin for the `skins` folder of SkinsRestorer 15. */
  skinsrestorer: { extension: '.customskin', render: customSkin, isNamedByFile: true },
  citizens: { extension: '.citizens.txt', render: citizensCommand },
} as const satisfies Record<FormatName, Format>;

function customSkin({ name, value, signature }: SkinData): Formatted {
  const skinName = (name ?? profileId(value).uuid).toLowerCase();
  return { skinName, value, signature, dataVersion: 1 };
}
