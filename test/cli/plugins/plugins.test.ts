import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nameOf } from '../../../src/batch/model.ts';
import { openSources } from '../../../src/batch/sources/lists.ts';
import { PLUGINS, type Plugin } from '../../../src/cli/plugins/plugins.ts';
import { makePlugin, NAMES, SKIN_PLACES, skinDataOf } from '../../support/cli/plugin-folders.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

interface Carried {
  readonly name: string;
  readonly value: string;
  readonly signature: string | undefined;
}

/** The skins that are read from a plugin's folder. */
async function readSkins(plugin: Plugin, folder: string): Promise<Carried[]> {
  const args = [join(folder, SKIN_PLACES[plugin.name]!)];
  const spec = { args, from: [], recursive: false, ignore: [] };
  const skins: Carried[] = [];
  for await (const source of openSources(spec, { cwd: folder, stdin: () => process.stdin })) {
    if (source.content.kind !== 'data') throw new Error(`${source.label}: ${JSON.stringify(source.content)}`);
    const { value, signature } = source.content.given;
    skins.push({ name: nameOf(source), value, signature });
  }
  return skins;
}

function put(plugin: Plugin, folder: string, skins: readonly Carried[]): void {
  const open = plugin.open(folder);
  for (const { name, value, signature = '' } of skins) {
    const { url } = skinDataOf(name);
    expect(open.put({ name, value, signature, url }).places).toBe(1);
  }
  for (const file of open.files()) if (file.hasChanged) file.write();
}

/** Some plugins have names in lower case. */
const sorted = (skins: readonly Carried[]) =>
  skins
    .map(({ name, ...data }) => ({ name: name.toLowerCase(), ...data }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

describe.each(PLUGINS.map((plugin) => [plugin.name, plugin] as const))('Skins of %s', (_name, from) => {
  test.each(PLUGINS.map((plugin) => [plugin.name, plugin] as const))(
    'go to %s and back, and none is lost in any script',
    async (_other, to) => {
      const server = await ownFolder();
      const skins = NAMES.map(skinDataOf).map(({ name, value, signature }) => ({ name, value, signature }));
      const first = await makePlugin(join(server, 'a'), from.name, NAMES);
      put(from, first, skins);
      const there = await readSkins(from, first);
      expect(sorted(there)).toEqual(sorted(skins));
      const second = await makePlugin(join(server, 'b'), to.name, NAMES);
      put(to, second, there);
      expect(sorted(await readSkins(to, second))).toEqual(sorted(skins));
    },
  );
});
