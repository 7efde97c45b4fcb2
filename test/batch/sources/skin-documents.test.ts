import { describe, expect, test } from 'vitest';
import { readText, skinsInDocument } from '../../../src/batch/sources/skin-documents.ts';
import {
  citizensCommand,
  giveCommand,
  giveCommand116,
  giveCommand1205,
  headCommand,
  libsDisguisesCommand,
  mannequinCommand,
  taterzensCommand,
} from '../../../src/textures/commands.ts';
import { buildTexturesValue } from '../../../src/textures/property.ts';
import { sampled } from '../../support/setup/extent.ts';

const HASH = 'ab12'.repeat(16);
const url = `http://textures.minecraft.net/texture/${HASH}`;
const VALUE = valueFor('Ann', url);
const OTHER = valueFor('Bob', `http://textures.minecraft.net/texture/${'cd34'.repeat(16)}`);
/** Of a catalogue of heads. */
const HEAD = Buffer.from(JSON.stringify({ textures: { SKIN: { url } } })).toString('base64');
const SIGNATURE = Buffer.alloc(512, 7).toString('base64');
const SECOND = Buffer.alloc(512, 9).toString('base64');
const BOTH = { value: VALUE, signature: SIGNATURE };
const UUID = '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0';

function valueFor(profileName: string, address: string): string {
  const skin = { url: address, variant: 'slim' } as const;
  return buildTexturesValue({
    timestamp: 1,
    profileId: '61699b2ed3274a019f1e0ea8c3f06bc6',
    profileName,
    skin,
  });
}

/** What was found: names, and `?` for skins without a signature; faults as texts. */
async function found(file: string, text: string): Promise<string[]> {
  const all = skinsInDocument(file, text, await readText(file, text));
  return all.map((one) => {
    if ('note' in one) return one.note;
    if ('fault' in one) return one.fault;
    const signature = { [SIGNATURE]: '', [SECOND]: ' 2' }[one.skin.signature ?? ''] ?? ' ?';
    return `${one.skin.name ?? '-'}${one.skin.value === OTHER ? ' other' : ''}${signature}`;
  });
}

/** Heads as in `head`, in a list. */
const profile = (value = HEAD) => `{properties:[{name:"textures",value:"${value}"}]}`;

/** By hand, after the published sources that `SKIN_LAYOUTS` and the comments name. */
const FIXTURES: [what: string, file: string, text: string, names: string[]][] = [
  [
    'Citizens of today: NPCs by their names, and a helmet by whose it is', // `Equipment.java`, `ItemStorage.java`
    'saves.yml',
    `npc:
  '0':
    name: '&6Guard <red>Captain'
    traits:
      equipment:
        helmet: {type_key: PLAYER_HEAD, skull: {texture: ${OTHER}}}
      skintrait: {signature: ${SIGNATURE}, skinName: notch, textureRaw: ${VALUE}, updateSkins: false}
  '7':
    name: ¡Olé!
    traits: {skintrait: {textureRaw: ${VALUE}, signature: ${SIGNATURE}}}
`,
    ['Guard Captain helmet other ?', 'Guard Captain', '¡Olé!'],
  ],
  [
    'Citizens before it had traits of skins',
    'saves.yml',
    `npc:
  '0':
    name: 騎士
    metadata:
      cached-skin-uuid-name: notch
      player-skin-signature: ${SIGNATURE}
      player-skin-textures: ${VALUE}
      player-skin-use-latest-skin: false
    traits: {type: PLAYER}
  '2':
    name: smith
    metadata: {player-skin-name: notch, player-skin-textures: ${OTHER}}
`,
    ['騎士', 'smith other ?'],
  ],
  [
    'FancyNpcs with skin data in its file, a head that the NPC wears, and a name with a slash',
    'npcs.yml',
    `npcs:
  ${UUID}:
    name: town/guard
    displayName: <gold>Guard
    equipment:
      HEAD: {==: org.bukkit.inventory.ItemStack, type: PLAYER_HEAD, meta: {skull-owner: {properties: [{name: textures, value: ${HEAD}}]}}}
    skin: {identifier: notch, value: ${VALUE}, signature: ${SIGNATURE}}
`,
    ['town/guard head ?', 'town/guard'],
  ],
  [
    'the cache of FancyNpcs, whose key is no name',
    'aHR0cHM6Ly9leGFtcGxlLm9yZy9hLnBuZw==.json',
    JSON.stringify({
      skinData: {
        identifier: 'https://example.org/a.png',
        textureValue: VALUE,
        textureSignature: SIGNATURE,
      },
    }),
    ['-'],
  ],
  [
    'ZNPCsPlus, whose ids may be numbers',
    '1.yml',
    `id: '1'\nproperties:\n  skin: prefetched;textures;${VALUE};${SIGNATURE};\n  look: true\n`,
    ['1'],
  ],
  [
    'the cache of TAB, by the ids that its settings name', // `SkinSource.java`
    'skincache.yml',
    `mineskin:\n  '1753261242':\n  - ${VALUE}\n  - ${SIGNATURE}\nplayer:\n  Notch:\n  - ${OTHER}\n  - ${SECOND}\n`,
    ['1753261242', 'Notch other 2'],
  ],
  [
    'a layout of TAB', // `SignedTexture.java`, `Texture.java`
    'layouts.yml',
    `layouts:\n  default:\n    fixedslots:\n    - '1|&3&lWebsite&f:|signed_texture:${VALUE};${SIGNATURE}'\n    - '2|Shop|texture:${HEAD}'\n`,
    ['Website', 'Shop ?'],
  ],
  [
    'disguises of LibsDisguises, by their own names', // `DisguiseConfig.java`
    'disguises.yml',
    `Disguises:\n  King: ${libsDisguisesCommand('x', 'notch', BOTH).replace('disguiseplayer x ', '')}\n`,
    ['King'],
  ],
  [
    'profiles of LibsDisguises',
    'notch',
    JSON.stringify({
      uuid: UUID,
      name: 'Notch',
      textureProperties: [{ name: 'textures', ...BOTH }],
    }),
    ['Notch'],
  ],
  [
    'presets of Taterzens, with the name above the NPC', // `TaterzenNPC.java`
    'guard.json',
    JSON.stringify({ CustomName: '{"text":"Guard"}', TaterzenNPCTag: { skin: BOTH, Tags: {} } }),
    ['Guard'],
  ],
  ['the command for Taterzens', 'a.mcfunction', taterzensCommand(BOTH), ['-']],
  [
    'the skulls of Geyser, and none that are only examples', // `custom-skulls.yml`
    'custom-skulls.yml',
    `player-usernames:\n  - Notch\nplayer-profiles:\n  - ${HEAD}\n#  - ${VALUE}\n`,
    ['- ?'],
  ],
  [
    'heads that traders sell, in a function of joined lines',
    'trader.mcfunction',
    `# ${VALUE}
summon villager ~ ~ ~ {CustomName:'"Trader"',Offers:{Recipes:[\\
  {sell:{id:"minecraft:player_head",components:{custom_name:"Oak Chest",profile:${profile()}}}},\\
  {sell:{id:"minecraft:player_head",components:{profile:${profile()}}}},\\
]}}
say "${SIGNATURE}"
`,
    ['Oak Chest ?', '- ?'],
  ],
  [
    'a loot table, with the name in a function of its own',
    'zombie.json',
    JSON.stringify({
      pools: [
        {
          entries: [
            {
              name: 'minecraft:player_head',
              functions: [
                {
                  function: 'minecraft:set_name',
                  name: [{ text: 'Rotten ' }, { translate: 'entity.minecraft.zombie_villager' }],
                },
                {
                  function: 'minecraft:set_components',
                  components: { 'minecraft:profile': { properties: [{ name: 'textures', value: HEAD }] } },
                },
              ],
            },
            {
              name: 'minecraft:player_head',
              functions: [
                {
                  function: 'set_nbt',
                  tag: `{display:{Name:'{"text":"Old"}'},SkullOwner:{Name:"x",Properties:{textures:[{Value:"${HEAD}"}]}}}`,
                },
              ],
            },
          ],
        },
      ],
    }),
    ['Rotten zombie villager ?', 'Old ?'],
  ],
  [
    'several heads under keys of one object that has a name',
    'a.yml',
    `set: {name: Trees, oak: ${HEAD}, birch: ${OTHER}}\n`,
    ['oak ?', 'birch other ?'],
  ],
  [
    'things that have only a number or the id of an item',
    'a.yml',
    `list:\n  - {id: 5, texture: ${HEAD}}\n  - {id: 'minecraft:player_head', texture: ${HEAD}}\n`,
    ['- ?', '- ?'],
  ],
  [
    'a script of Denizen', // `NPCTag.java`
    'a.dsc',
    `- adjust <npc> skin_blob:${VALUE};${SIGNATURE}\n- narrate hi\n`,
    ['-'],
  ],
  [
    'a command that is damaged',
    'a.mcfunction',
    `give Bob player_head[custom_name={x, Oak, value:"${HEAD}"\n`,
    ['- ?'],
  ],
  [
    'an entity that has a name beside the one above it, and a head that is only called so as an item',
    'a.snbt',
    `{a: {name: "x", CustomName: '"Guard"', profile: ${profile()}}, b: {item_name: "Oak", profile: ${profile()}}}`,
    ['Guard ?', 'Oak ?'],
  ],
  [
    'heads of 1.21.9',
    'a.mcfunction',
    headCommand({ name: 'Ann', variant: 'slim', look: { url } }, { limit: 999 }),
    ['Ann ?'],
  ],
  [
    'mannequins',
    'a.mcfunction',
    mannequinCommand({ name: 'Ann B.', variant: 'slim', look: { url } }, { limit: 999 }),
    ['Ann B. ?'],
  ],
  [
    'all commands for heads',
    'a.mcfunction',
    [giveCommand, giveCommand1205, giveCommand116]
      .map((give) => give({ name: 'A [b] "c"', ...BOTH }))
      .join('\n'),
    ['A [b] "c"', 'A [b] "c"', 'A [b] "c"'],
  ],
  ['the command of Citizens', 'a.txt', `/npc skin -t Ann ${VALUE} ${SIGNATURE}\n`, ['Ann']],
  ['the same with a key of a cache', 'a.txt', `${citizensCommand(BOTH)}\nsay hi\n`, ['-']],
  [
    'properties',
    'skins.properties',
    `# skins\nguard.value=${VALUE}\nguard.signature=${SIGNATURE}\nsize=3\nsmith.value=${OTHER}\nsmith.signature=${SECOND}\n`,
    ['guard', 'smith other 2'],
  ],
  [
    'a list with names before and after',
    'heads.txt',
    `Oak Chest;${VALUE};${SIGNATURE}\n${OTHER};${SECOND};Iron Chest\n`,
    ['Oak Chest', 'Iron Chest other 2'],
  ],
  [
    'an item in SNBT of several lines',
    'a.txt',
    `{\n  id: "minecraft:player_head",\n  components: {\n    custom_name: ['Oak ', {text: "Chest", extra: [" II"]}],\n    profile: {\n      properties: [\n{name: "textures", value: "${HEAD}"}]}}}`,
    ['Oak Chest II ?'],
  ],
];

describe('Skin data of', () => {
  test.each(FIXTURES)('%s is read: %s', async (_, file, text, names) => {
    expect(await found(file, text)).toEqual(names);
  });
});

describe('Signatures', () => {
  test.each([
    ['after their values', [VALUE, SIGNATURE, OTHER, SECOND], ['-', '- other 2']],
    ['before their values', [SIGNATURE, VALUE, SECOND, OTHER], ['-', '- other 2']],
    ['of some values', [VALUE, OTHER, SECOND], ['- ?', '- other 2']],
    ['of some values that they precede', [SIGNATURE, VALUE, OTHER], ['-', '- other ?']],
  ])('belong to the values beside them: %s', async (_, texts, names) => {
    const keyed = Object.fromEntries(texts.map((text, at) => [`texture_${at}`, text]));
    expect((await found('a.json', JSON.stringify({ list: texts }))).sort()).toEqual([...names].sort());
    expect((await found('a.json', JSON.stringify(keyed))).map((one) => one.replace(/^\S+/, '-'))).toEqual(
      names,
    );
    expect(await found('a.skin.txt', texts.join('\n'))).toHaveLength(names.length);
  });

  test('that are cut off do not count as absent', async () => {
    const [one] = skinsInDocument('a.yml', '', { tree: { skin: { textureRaw: VALUE, signature: 'abc' } } });
    expect(one).toMatchObject({ skin: { value: VALUE, signature: 'abc' } });
  });
});

describe('Text that looks like skin data', () => {
  test('in a place that is not read is reported with its line', async () => {
    const yaml = `a: &x\n  ? ${VALUE}\n  : 1\nb: ${OTHER}\n`;
    expect(await found('a.yml', yaml)).toEqual([
      'b other ?',
      'a.yml:2: There is skin data in a place where skinsmith does not look.',
    ]);
  });

  test('in an unreadable document is not reported as missing', async () => {
    const text = `a: [${VALUE}`;
    const [one] = skinsInDocument('a.yml', text, await readText('a.yml', text));
    expect(one).toMatchObject({ fault: expect.stringMatching(/^a.yml is not valid YAML: line \d\.$/) });
    expect(one).not.toHaveProperty('isEmpty');
  });

  test('does not include other JSON in base64, such as the parts of a token', async () => {
    const token = Buffer.from(JSON.stringify({ sub: 'x'.repeat(80), name: 'y' })).toString('base64');
    expect(await found('config.yml', `token: ${token}\n`)).toEqual(['config.yml holds no skin data.']);
  });

  test('in nested texts is read at any depth', async () => {
    const nested = (levels: number): string =>
      levels === 0 ? VALUE : JSON.stringify({ value: nested(levels - 1) });
    for (const levels of [5, 12]) expect(await found('a.json', nested(levels))).toEqual(['- ?']);
  });
});

describe('A text of millions of characters', () => {
  const many = 18_000_000; // an expression without a bound overflows its stack
  const TEXTS: readonly (readonly [what: string, file: string, text: () => string, result: string])[] = [
    ['base64', 'a.txt', () => 'A'.repeat(many), 'a.txt holds no skin data.'],
    ['space', 'a.txt', () => `${HEAD} {a:${' '.repeat(many)}`, '- ?'],
    ['a word', 'a.txt', () => `${HEAD} {${'a'.repeat(many)}`, '- ?'],
    ['backslashes', 'a.yml', () => `a: ${HEAD}\n# ${'\\'.repeat(1_400_000)}/\n`, '- ?'],
    ['lines', 'a.txt', () => `${HEAD}${'\n'.repeat(1_000_001)}`, 'a.txt has more than 1000000 lines.'],
  ];
  test.each(sampled(TEXTS, 4))('of one kind is read or refused: %s', async (_, file, text, result) => {
    expect((await found(file, text())).map((one) => one.replace(/^\w (?=\?)/, '- '))).toEqual([result]);
  });

  test('that writes slashes with escapes has all of its values read', async () => {
    const value = Buffer.from(
      JSON.stringify({ textures: { SKIN: { url: `${url}?${'?'.repeat(60)}` } } }),
    ).toString('base64');
    expect(value).toContain('/');
    const json = JSON.stringify({ list: [{ a: JSON.stringify({ value }) }] });
    expect(await found('a.json', json.replaceAll('/', '\\/').replaceAll('=', '\\u003d'))).toHaveLength(1);
  });
});
