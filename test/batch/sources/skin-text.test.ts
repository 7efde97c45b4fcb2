import { describe, expect, test } from 'vitest';
import { isSkinText, readSkinText, skinsInTree } from '../../../src/batch/sources/skin-text.ts';
import { snbtIn } from '../../../src/batch/sources/snbt.ts';
import { readYaml } from '../../../src/batch/sources/yaml.ts';
import {
  citizensCommand,
  giveCommand,
  giveCommand116,
  giveCommand1205,
} from '../../../src/textures/commands.ts';
import { buildTexturesValue } from '../../../src/textures/property.ts';
import { allOf, folderOf, problemOf, rootsIn } from '../../support/batch/read-sources.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

const UUID = '61699b2ed3274a019f1e0ea8c3f06bc6';
const url = `http://textures.minecraft.net/texture/${'ab12'.repeat(16)}`;
const VALUE = buildTexturesValue({
  timestamp: 1,
  profileId: UUID,
  profileName: 'Ann',
  skin: { url, variant: 'slim' },
});
const SIGNATURE = Buffer.alloc(512, 7).toString('base64');
const BOTH = { value: VALUE, signature: SIGNATURE };
const NAMED = { name: 'Sir "A" [x]', ...BOTH };

describe('A text with one skin', () => {
  test.each([
    ['a value and a signature with a semicolon', `${VALUE};${SIGNATURE}`, {}],
    ['the same with a name, as Denizen has it', `${VALUE};${SIGNATURE};ann`, { name: 'ann' }],
    ['a line of a Denizen script', `- adjust <npc> skin_blob:${VALUE};${SIGNATURE}`, {}],
    ['the property of ZNPCsPlus', `prefetched;textures;${VALUE};${SIGNATURE};`, {}],
    ['the command of Citizens', citizensCommand(BOTH), {}],
    ['the same with a name', `/npc skin -t Ann ${VALUE} ${SIGNATURE}`, { name: 'Ann' }],
    ['the command of Minecraft 1.21.5', giveCommand(NAMED), { name: NAMED.name }],
    ['the command of Minecraft 1.20.5', giveCommand1205(NAMED), { name: NAMED.name }],
    ['the command of Minecraft 1.16', giveCommand116(NAMED), { name: NAMED.name }],
    [
      'a command with a selector and a mannequin',
      `/summon minecraft:mannequin ~ ~1 ~ {profile:{name:"Bob",properties:[{name:'textures',signature:'${SIGNATURE}',value:'${VALUE}'}]}}`,
      { name: 'Bob' },
    ],
    [
      'an item as Minecraft shows it',
      `{components: {"minecraft:profile": {id: [I; 1, -2, 3, 4], properties: [{name: "textures", value: "${VALUE}", signature: "${SIGNATURE}"}]}}, count: 1, id: "minecraft:player_head"}`,
      {},
    ],
    [
      'a head with a selector before it',
      `give @a[tag=vip,scores={kills=1..}] player_head[profile={properties:[{name:textures,value:"${VALUE}",signature:"${SIGNATURE}"}]}] 2`,
      {},
    ],
  ])('is %s', (_, text, more) => {
    expect(isSkinText(text)).toBe(true);
    expect(readSkinText(text)).toEqual({ skin: { ...BOTH, ...more } });
  });

  test.each(['give.png', 'npc skin -t', '{a}[b].png', `a ${VALUE}`, 'give @p stone'])('is not %s', (text) => {
    expect(isSkinText(text)).toBe(false);
  });
});

describe('SNBT', () => {
  test('is read into texts, lists and fields', () => {
    expect(snbtIn(`x{a:1b,'b c':"q\\"\\u0041",c:[I;1,2],d:[k={},minecraft:y="z"],e:[]} [1]`)).toEqual([
      { a: '1b', 'b c': 'q"A', c: ['1', '2'], d: { k: {}, 'minecraft:y': 'z' }, e: [] },
      ['1'],
    ]);
  });

  test.each([
    '{',
    '{a}',
    '{a:}',
    '{a:"b}',
    '[1 2]',
    '{a:1}{',
    '['.repeat(70),
    '[,'.repeat(600_000),
    `{a:"${'\\a'.repeat(5_000_000)}"}`,
  ])('that is damaged, too deep or too long is not read: %.20s', (text) => {
    expect(snbtIn(text)).toBeUndefined();
  });

  test('may have several skins, each with its name', () => {
    const head = (name: string) =>
      `{Name:${name},Properties:{textures:[{Value:"${VALUE}",Signature:"${SIGNATURE}"}]}}`;
    const skins = [...skinsInTree(snbtIn(`{Items:[${head('Ann')},${head('Bob')}]}`))];
    expect(skins.map(({ place, skin: { name } }) => [place, name])).toEqual([
      ['1.Items.1.Properties.textures.1', 'Ann'],
      ['1.Items.2.Properties.textures.1', 'Bob'],
    ]);
  });

  test('creates no object with a prototype from its input', () => {
    const [read] = snbtIn('{__proto__:{polluted:1},constructor:2}') ?? [];
    expect(Object.keys(read as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('YAML', () => {
  test('is read into texts, lists and fields; aliases, tags and merges have no effect', () => {
    const text = 'a: &x [1, 2.50]\nb: *x\nc: !!js/function "f"\nd: {<<: *x, e: null}\n__proto__: {z: yes}\n';
    const read = readYaml(text);
    expect('tree' in read && Object.entries(read.tree as object)).toEqual([
      ['a', ['1', '2.50']],
      ['b', undefined],
      ['c', 'f'],
      ['d', { '<<': undefined, e: 'null' }],
      ['__proto__', { z: 'yes' }],
    ]);
  });

  test('is read to a depth of 64', () => {
    const nested = (levels: number) => readYaml(`${'{a: '.repeat(levels)}b${'}'.repeat(levels)}`);
    let { tree } = nested(64) as { tree: unknown };
    let depth = 0;
    for (; typeof tree === 'object'; tree = (tree as { a: unknown }).a) depth++;
    expect([depth, tree]).toEqual([64, 'b']);
    expect(nested(65)).toEqual({ fault: 'is nested more than 64 levels deep' });
  });

  test('that is damaged or too long is not read', () => {
    expect(readYaml('a: 1\nb: [')).toEqual({ fault: expect.stringMatching(/^is not valid YAML: line \d$/) });
    expect(readYaml('a: "b')).toMatchObject({ fault: expect.any(String) });
    // Of bombs of parts, batch/sources/yaml has another one.
    for (const bomb of isWhole ? ['- a\n', '- []\n', '!a '] : [])
      expect(readYaml(bomb.repeat(1_500_001)), bomb).toEqual({ fault: 'is too large' });
    expect(readYaml(`a: "${'\\x'.repeat(1_500_001)}"`)).toEqual({ fault: 'is too large' });
    expect(readYaml(`a: ${'['.repeat(1000)}${']'.repeat(1000)}`)).toEqual({ fault: expect.any(String) });
  });
});

/** By hand, after the sources that `skinsInTree` names. */
const CITIZENS = `last-created-npc-id: 2
npc:
  '0':
    name: '&6Guard <red>Captain'
    traits:
      location: {world: world, x: '1.5'}
      skintrait:
        fetchDefaultSkin: true
        signature: ${SIGNATURE}
        skinName: notch
        textureRaw: ${VALUE}
    uuid: 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0
  '1':
    name: Sheep
    traits: {type: SHEEP}
  '2':
    traits:
      skintrait: {textureRaw: ${VALUE}, signature: ${SIGNATURE}, skinName: Ann}
`;
const FANCY = `npcs:
  0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0:
    name: shop
    displayName: <gold>Shop
    skin:
      identifier: https://a.example/b.png
      value: ${VALUE}
      signature: ${SIGNATURE}
  1f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0:
    name: mirror
    skin: {identifier: notch, mirrorSkin: true}
`;
const ZNPCS_PLUS = `id: baker
enabled: true
type: player
properties:
  skin: prefetched;textures;${VALUE};${SIGNATURE};
  look: true
`;
const FILES: Readonly<Record<string, string>> = {
  'saves.yml': CITIZENS,
  'npcs.yml': FANCY,
  'baker.yml': ZNPCS_PLUS,
  '.skinCache.yml': `skins:\n  a: {identifier: Ann, value: ${VALUE}, signature: ${SIGNATURE}}\n`,
  'bm90Y2g=.json': JSON.stringify({
    skinData: { identifier: 'notch', variant: 'AUTO', textureValue: VALUE, textureSignature: SIGNATURE },
    lastUpdated: 1,
  }),
  'data.json': JSON.stringify([
    { id: 1, skin: VALUE, signature: SIGNATURE, skinName: 'Ann' },
    { id: 2, skin: '' },
  ]),
  'heads.mcfunction': `# heads\n${giveCommand(NAMED)}\nsay hi\n${giveCommand(BOTH)}\n`,
  'blobs.txt': `${VALUE};${SIGNATURE}\n${VALUE};${SIGNATURE};bob\n`,
  'chest.snbt': `{\n  Items: [\n    {SkullOwner: {Name: Ann, Properties: {textures: [{Value: "${VALUE}"}]}}}\n  ]\n}\n`,
};
const EXPECTED: Readonly<Record<string, [label: string, name?: string][]>> = {
  'saves.yml': [
    ['saves.yml:npc.0.traits.skintrait', 'Guard Captain'],
    ['saves.yml:npc.2.traits.skintrait', 'Ann'],
  ],
  'npcs.yml': [['npcs.yml:npcs.0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0.skin', 'shop']],
  'baker.yml': [['baker.yml:properties', 'baker']],
  '.skinCache.yml': [['.skinCache.yml:skins.a', 'Ann']],
  'bm90Y2g=.json': [['bm90Y2g=.json:skinData', 'notch']],
  'data.json': [['data.json:1', 'Ann'], ['data.json:2']],
  'heads.mcfunction': [['heads.mcfunction:2', NAMED.name], ['heads.mcfunction:4']],
  'blobs.txt': [['blobs.txt:1'], ['blobs.txt:2', 'bob']],
  'chest.snbt': [['chest.snbt', 'Ann']],
};

describe('A file of a plugin', () => {
  test.each(Object.keys(FILES))('has its skins as sources, with their names: %s', async (file) => {
    const cwd = await folderOf({ [file]: FILES[file]! });
    const sources = await allOf({ args: [file] }, rootsIn(cwd));
    const found = sources.map(({ label, content }) => [
      label,
      ...(content.kind === 'data' && content.given.name !== undefined ? [content.given.name] : []),
    ]);
    expect(found).toEqual(EXPECTED[file]);
  });

  test.each([
    ['config.yml', 'a: 1\n', /holds no skin data/],
    ['a.yml', 'a: [', /is not valid YAML: line/],
    ['a.mcfunction', 'say hi\n', /holds no skin data/],
    ['a.customskin', '', /It is not skin data/],
  ])('without skins, or damaged, is reported: %s', async (file, text, message) => {
    const cwd = await folderOf({ [file]: text });
    const [source] = await allOf({ args: [file] }, rootsIn(cwd));
    expect(problemOf(source!)).toMatchObject({
      code: 'invalid_skin_data',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/^Give a lockfile/),
    });
  });

  test('may be deep or have itself as a member name without harm', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(200)}${JSON.stringify(BOTH)}${'}'.repeat(200)}`);
    expect([...skinsInTree(deep)]).toEqual([]);
  });
});

describe('The folder of a plugin', () => {
  const custom = (name: string) => JSON.stringify({ skinName: name, ...BOTH, dataVersion: 1 });

  test('has the skins of its files; others are left out', async () => {
    const cwd = await folderOf({
      'skins/b.customskin': custom('b'),
      'skins/c.playerskin': JSON.stringify({ uniqueId: UUID, lastKnownName: 'Cid', ...BOTH, timestamp: 1 }),
      'skins/d.urlindex': '{}',
      'skins/config.yml': 'a: 1\n',
      'skins/damaged.skin': 'nothing',
      'skins/two.json': JSON.stringify([BOTH, { no: 'skin' }]),
      'skins/deep/e.customskin': custom('e'),
    });
    const labels = async (recursive: boolean) =>
      (await allOf({ args: ['skins'], recursive }, rootsIn(cwd))).map(({ label, content }) => [
        label,
        content.kind,
      ]);
    const top = [
      ['skins/b.customskin', 'data'],
      ['skins/c.playerskin', 'data'],
      ['skins/damaged.skin', 'problem'],
      ['skins/two.json:1', 'data'],
      ['skins/two.json:2', 'problem'],
    ];
    expect(await labels(false)).toEqual(top);
    expect(await labels(true)).toEqual([...top, ['skins/deep/e.customskin', 'data']]);
  });

  test('has the skins of the folders in it where plugins keep skins', async () => {
    const cwd = await folderOf({
      'Z/data/baker.yml': ZNPCS_PLUS,
      'Z/config.yml': `a: 1\n`,
      'Z/other/b.customskin': custom('b'),
      'L/SavedSkins/ann': JSON.stringify({ name: 'Ann', textureProperties: [{ name: 'textures', ...BOTH }] }),
    });
    const sources = await allOf({ args: ['Z', 'L'] }, rootsIn(cwd));
    expect(sources.map(({ label, stem }) => [label, stem])).toEqual([
      ['Z/data/baker.yml:properties', 'baker'],
      ['L/SavedSkins/ann:textureProperties.1', 'Ann'],
    ]);
  });

  test('is not assumed for a folder with pictures, where such files are outputs', async () => {
    const cwd = await folderOf({ 'skins/a.png': 'a', 'skins/a.customskin': custom('a') });
    const sources = await allOf({ args: ['skins'] }, rootsIn(cwd));
    expect(sources.map(({ label }) => label)).toEqual(['skins/a.png']);
  });

  test('without any skin is an empty folder', async () => {
    const cwd = await folderOf({ 'skins/config.yml': 'a: 1\n' });
    const [source] = await allOf({ args: ['skins'] }, rootsIn(cwd));
    expect(problemOf(source!)).toMatchObject({ code: 'empty_folder' });
  });
});
