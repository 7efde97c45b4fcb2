import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildTexturesValue } from '../../../src/textures/property.ts';

/** Names in five scripts, and one that needs quotes. */
export const NAMES = ['Guard', 'Señor Pérez', 'Рыцарь', '騎士', 'فارس', 'Ιππότης', "King's Guard"];

/** Skin data of a name, different for each. */
export function skinDataOf(name: string) {
  const digits = Buffer.from(name.toLowerCase()).toString('hex').padEnd(64, '0').slice(0, 64);
  const url = `http://textures.minecraft.net/texture/${digits}`;
  const value = buildTexturesValue({
    timestamp: 1,
    profileId: digits.slice(0, 32),
    profileName: 'skin',
    skin: { url, variant: 'classic' },
  });
  const signature = Buffer.alloc(512, name).toString('base64');
  return { name, url, value, signature };
}

const quoted = (text: string) => JSON.stringify(text);

/**
 * The files that the plugins keep of NPCs with these names and no skins of ours, after their published sources (see
 * src/cli/plugins/plugins.ts), with comments and fields that nobody asked about.
 */
export const EMPTY_PLUGINS: Readonly<Record<string, (names: readonly string[]) => Record<string, string>>> = {
  FancyNpcs: (names) => ({
    'npcs.yml': `# FancyNpcs\nnpcs:\n${names
      .map(
        (name, at) =>
          `  3f0c2f5e-8d5e-4a51-9d0b-2f1d8a1f000${at}:\n    name: ${quoted(name)}\n    type: PLAYER\n` +
          `    location:\n      world: world\n      x: ${at}.5\n    skin:\n      identifier: notch\n      variant: SLIM\n      mirrorSkin: false\n`,
      )
      .join('')}`,
  }),
  Citizens: (names) => ({
    'saves.yml': `last-created-npc-id: ${names.length}\nnpc:\n${names
      .map(
        (name, at) =>
          `  '${at}':\n    name: ${quoted(`&6${name}`)}\n    traits:\n      type: PLAYER\n      owner:\n        uuid: ${at}\n` +
          `    traitnames: type,owner\n    metadata:\n      swim: 'true'\n`,
      )
      .join('')}`,
  }),
  ZNPCsPlus: (names) =>
    Object.fromEntries(
      names.map((name) => [
        `data/${name}.yml`,
        `id: ${quoted(name)}\ntype: player\nproperties:\n  glow: red\nhologram:\n  lines: []\n`,
      ]),
    ),
  SkinsRestorer: () => ({ 'skins/.keep': '' }),
  TAB: () => ({ 'skincache.yml': '# TAB\nmineskin: {}\n' }),
  LibsDisguises: () => ({ 'SavedSkins/.keep': '' }),
};

/** What has the skins of each plugin, in its folder. */
export const SKIN_PLACES: Readonly<Record<string, string>> = {
  FancyNpcs: 'npcs.yml',
  Citizens: 'saves.yml',
  ZNPCsPlus: 'data',
  SkinsRestorer: 'skins',
  TAB: 'skincache.yml',
  LibsDisguises: 'SavedSkins',
};

/** Writes a plugin's folder into a server's, and returns it. */
export async function makePlugin(server: string, plugin: string, names: readonly string[]): Promise<string> {
  const folder = join(server, 'plugins', plugin);
  for (const [file, text] of Object.entries(EMPTY_PLUGINS[plugin]!(names))) {
    await mkdir(join(folder, file, '..'), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  return folder;
}
