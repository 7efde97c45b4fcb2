import { readFileSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Leftovers } from '../../../src/base/files.ts';
import { sourceName } from '../../../src/batch/names.ts';
import { openSources } from '../../../src/batch/sources/arguments.ts';
import { PLUGINS, type Plugin, pluginOf } from '../../../src/cli/plugins/plugins.ts';
import { leaveTemporaryFiles } from '../../support/batch/leave-temporary-file.ts';
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
    skins.push({ name: sourceName(source), value, signature });
  }
  return skins;
}

function put(plugin: Plugin, folder: string, skins: readonly Carried[]): void {
  const open = plugin.open(folder);
  for (const { name, value, signature = '' } of skins) {
    const { url } = skinDataOf(name);
    expect(open.put({ name, value, signature, url }).places).toBe(1);
  }
  for (const file of open.files()) if (file.hasChanged) file.write(new Leftovers(0));
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

const pluginNamed = (name: string) => PLUGINS.find((plugin) => plugin.name === name)!;

/** Writes a file of a plugin, puts skins in, and returns the file's text. */
async function putInto(plugin: string, file: string, text: string, names: readonly string[]) {
  const folder = join(await ownFolder(), 'plugins', plugin);
  await mkdir(join(folder, file, '..'), { recursive: true });
  await writeFile(join(folder, file), text);
  put(pluginNamed(plugin), folder, names.map(skinDataOf));
  return { folder, text: readFileSync(join(folder, file), 'utf8') };
}

describe('An existing file of a plugin keeps everything else', () => {
  const { value, signature } = skinDataOf('guard');

  test.each([
    ['compact', '=', '{"skinName":"guard","value":"V","signature":"S","dataVersion":1,"mine":[1]}'],
    ['as Gson escapes it', '\\u003d', '{"signature": "S",\n "value": "V", "dataVersion": 1}\n'],
  ])('in SkinsRestorer, %s', async (_kind, sign, form) => {
    const filled = (skin: { value: string; signature: string }, equals: string) =>
      form
        .replace('"V"', `"${skin.value.replaceAll('=', equals)}"`)
        .replace('"S"', `"${skin.signature.replaceAll('=', equals)}"`);
    const before = filled(skinDataOf('another'), sign);
    const { text } = await putInto('SkinsRestorer', 'skins/guard.customskin', before, ['Guard']);
    expect(before).toContain(sign);
    expect(text).toBe(filled(skinDataOf('Guard'), '='));
  });

  test('in LibsDisguises, which keeps names that no file can have in one file', async () => {
    const before = '{\n  "рыцарь": "{}",\n  "old \\u0026 gold": "{\\"a\\":1}"\n}\n';
    const { text } = await putInto('LibsDisguises', 'SavedSkins/sanity.json', before, [
      'Рыцарь',
      '騎士',
      'Guard',
    ]);
    expect(Object.keys(JSON.parse(text))).toEqual(['рыцарь', 'old & gold', '騎士']);
    expect(JSON.parse(JSON.parse(text)['рыцарь']).textureProperties[0].value).toBe(
      skinDataOf('Рыцарь').value,
    );
    expect(text).toMatch(
      /^\{\n {2}"рыцарь": "\{.*",\n {2}"old \\u0026 gold": "\{\\"a\\":1\}","騎士":".*"\n\}\n$/,
    );
  });

  test('in Citizens from before it had traits, and in FancyNpcs from before it had a cache', async () => {
    const old =
      "npc:\n  '0':\n    name: guard\n    metadata:\n      player-skin-name: notch\n      player-skin-textures: a\n";
    const { text } = await putInto('Citizens', 'saves.yml', old, ['guard']);
    expect(text).toContain(
      `      player-skin-textures: ${value}\n      player-skin-signature: ${signature}\n`,
    );
    expect(text).not.toContain('skintrait');
    const npcs = 'npcs:\n  guard:\n    skin:\n      identifier: notch\n      value: a\n      signature: b\n';
    const fancy = await putInto('FancyNpcs', 'npcs.yml', npcs, ['guard']);
    expect(fancy.text).toContain(`      value: ${value}\n      signature: ${signature}\n`);
  });

  test('including its permissions and links to it, and the old file is copied', async () => {
    const folder = join(await ownFolder(), 'plugins/Citizens');
    await mkdir(folder, { recursive: true });
    const text = "npc:\n  '0':\n    name: guard\n    traitnames: type\n";
    await writeFile(join(folder, 'real.yml'), text);
    await chmod(join(folder, 'real.yml'), 0o640);
    await symlink('real.yml', join(folder, 'saves.yml'));
    put(pluginNamed('Citizens'), folder, [skinDataOf('guard')]);
    const files = (await readdir(folder)).sort();
    expect(files).toEqual(['real.yml', expect.stringMatching(/^real\.yml\.[0-9a-f]{8}\.bak$/), 'saves.yml']);
    expect((await stat(join(folder, 'real.yml'))).mode & 0o777).toBe(0o640);
    expect(readFileSync(join(folder, files[1]!), 'utf8')).toBe(text);
    expect(readFileSync(join(folder, 'saves.yml'), 'utf8')).toContain(value);
  });
});

test.each([
  ['FancyNpcs', /fancynpcs reload\.$/],
  ['Citizens', /citizens reload\.$/],
  ['ZNPCsPlus', /npc storage reload\.$/],
  ['TAB', /tab reload\.$/],
])('Skinsmith says how to reload %s', (name, next) => {
  expect(pluginNamed(name).next).toMatch(next);
});

test('Leftovers of killed runs are removed, and nothing else in the folder', async () => {
  const folder = join(await ownFolder(), 'plugins/FancyNpcs');
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'npcs.yml');
  await writeFile(file, 'npcs:\n  guard:\n    type: PLAYER\n');
  await writeFile(join(folder, '.npcs.yml.mine.tmp'), 'mine');
  await leaveTemporaryFiles(file);
  expect(await readdir(folder)).toHaveLength(3);
  put(pluginNamed('FancyNpcs'), folder, [skinDataOf('guard')]);
  expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual(['.npcs.yml.mine.tmp']);
});

describe('NPCs with a given name', () => {
  const npcs = (...names: string[]) =>
    `npcs:\n${names.map((name, at) => `  n${at}:\n    name: ${JSON.stringify(name)}\n`).join('')}`;
  const places = async (name: string, ...names: string[]) => {
    const folder = join(await ownFolder(), 'FancyNpcs');
    await mkdir(folder);
    await writeFile(join(folder, 'npcs.yml'), npcs(...names));
    return pluginNamed('FancyNpcs').open(folder).put(skinDataOf(name)).places;
  };

  test('are all found, without colours, and in another case only if none has the same case', async () => {
    expect(await places('Guard', '&6Guard', '<red>Guard</red>', 'guard', 'Guards')).toBe(2);
    expect(await places('GUARD', '&6Guard', 'guard', 'Guards')).toBe(2);
    expect(await places('Zoe\u0301', 'Zoé')).toBe(1);
    expect(await places('Guard', 'Guards')).toBe(0);
  });

  test('are not changed if their name differs only in case from another skin of the run', async () => {
    const folder = join(await ownFolder(), 'SkinsRestorer');
    await mkdir(folder);
    const open = pluginNamed('SkinsRestorer').open(folder);
    expect(open.put(skinDataOf('Guard'))).toEqual({ places: 1, as: 'guard' });
    expect(() => open.put(skinDataOf('GUARD'))).toThrow('the same in another case');
    for (const name of ['a/b', '..', '../../x', 'c:d', 'e.', 'f\0g'])
      expect(() => open.put(skinDataOf(name))).toThrow('no file can have this name');
  });
});

test('The folder of a plugin is recognized by its name, or else by its contents', async () => {
  const folder = await ownFolder();
  await mkdir(join(folder, 'citizens'));
  expect(pluginOf(join(folder, 'citizens'))?.name).toBe('Citizens');
  await rename(join(folder, 'citizens'), join(folder, 'mine'));
  for (const common of ['skins', 'data']) await mkdir(join(folder, 'mine', common));
  expect(pluginOf(join(folder, 'mine'))).toBeUndefined();
  await writeFile(join(folder, 'mine', 'npcs.yml'), '');
  expect(pluginOf(join(folder, 'mine'))?.name).toBe('FancyNpcs');
});
