import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES } from '../../../../src/cli/output/format-names.ts';
import { FORMATS, packFormat, type SkinToFormat } from '../../../../src/cli/output/formats.ts';
import { GuessedPack } from '../../../../src/cli/pack/pack-skins.ts';

const unnamed: SkinToFormat = { value: 'dmFsdWU=', signature: 'c2lnbmF0dXJl' };
const smith: SkinToFormat = { ...unnamed, name: 'Smith' };

/** The first half of SHA-256 over `dmFsdWU=` as four signed numbers, with version and variant set. By Python. */
const ID = '[I;-2058354700,-2128769721,-1481373193,-899650955]';
const PROFILE = `profile={id:${ID},properties:[{name:"textures",value:"dmFsdWU=",signature:"c2lnbmF0dXJl"}]}`;
const OWNER = `SkullOwner:{Id:${ID},Properties:{textures:[{Value:"dmFsdWU=",Signature:"c2lnbmF0dXJl"}]}}`;

const named = (name: string): SkinToFormat => ({ ...unnamed, name });

describe('the table of formats', () => {
  test('lists the formats in the order of the help', () => {
    expect(Object.keys(FORMATS)).toEqual([...FORMAT_NAMES]);
  });

  test('gives different kinds of files different names', () => {
    const extensions = Object.values(FORMATS).map(({ extension }) => extension);
    expect(new Set(extensions).size).toBe(extensions.length);
  });
});

describe('the command of Minecraft 1.21.5', () => {
  test('gives a head with the profile', () => {
    expect(FORMATS.give.render(unnamed)).toBe(`give @p minecraft:player_head[${PROFILE}]`);
    expect(FORMATS.give.render(named(''))).toBe(`give @p minecraft:player_head[${PROFILE}]`);
  });

  test.each([
    ['Smith', '"Smith"'],
    ['a "b" \\ \'c\'', `"a \\"b\\" \\\\ 'c'"`],
    ['Zoë 骑士 🗡', '"Zoë 骑士 🗡"'],
    ['§4x\u0007\ny\u2028z\u202e', '"\\u00a74x\\u0007\\ny\\u2028z\\u202e"'],
    ['half \ud83d', '"half �"'],
    ['tag \u{e0041}', '"tag \\udb40\\udc41"'],
  ])('shows the name %j', (name, text) => {
    expect(FORMATS.give.render(named(name))).toBe(
      `give @p minecraft:player_head[${PROFILE},custom_name={text:${text},italic:false}]`,
    );
  });
});

describe.each([
  ['Minecraft 1.20.5', 'give-1.20.5', `give @p minecraft:player_head[${PROFILE}`, ']', ',custom_name=NAME'],
  ['Minecraft 1.16', 'give-1.16', `give @p minecraft:player_head{${OWNER}`, '}', ',display:{Name:NAME}'],
] as const)('the command of %s', (_, format, start, end, name) => {
  test('gives a head with the profile', () => {
    expect(FORMATS[format].render(unnamed)).toBe(start + end);
  });

  test.each([
    ['Smith', '"Smith"'],
    ['Zoë 骑士 🗡', '"Zoë 骑士 🗡"'],
    [`a "b" c's`, `"a \\\\"b\\\\" c\\'s"`],
    ['back\\slash', '"back\\\\\\\\slash"'],
    ['two\nlines', '"two\\\\nlines"'],
  ])('shows the name %j', (text, quoted) => {
    expect(FORMATS[format].render(named(text))).toBe(
      start + name.replace('NAME', () => `'{"text":${quoted},"italic":false}'`) + end,
    );
  });

  test.each(['plain', `"'\\"'\\\\`, 'a\tb\r\nc\u0000', '§c', "'}]{op}", 'Zoë \u2029 🗡'])(
    'is read back as Minecraft does it: %j',
    (text) => {
      const command = String(FORMATS[format].render(named(text)));
      const quoted = /'((?:[^'\\]|\\['\\])*)'/.exec(command)?.[1] ?? '';
      expect(JSON.parse(quoted.replace(/\\(['\\])/g, '$1'))).toEqual({ text, italic: false });
      expect(command).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    },
  );
});

describe('the command of Citizens', () => {
  test('has key, value and signature in this order, with a key that no player can have', () => {
    expect(FORMATS.citizens.render(smith)).toBe(
      'npc skin -t 854ffff4-811d-8d47-a7b4-09f7ca606a75 dmFsdWU= c2lnbmF0dXJl',
    );
  });
});

describe.each(['give', 'give-1.20.5', 'give-1.16', 'citizens'] as const)('a command (%s)', (format) => {
  test.each([
    { value: 'dmFsdWU="}]\nop evil', signature: 'c2lnbmF0dXJl' },
    { value: 'dmFsdWU=', signature: 'c2lnbmF0dXJl\n' },
    { value: 'dmFsdWU=', signature: 'a b' },
    { value: '', signature: 'c2lnbmF0dXJl' },
  ])('is not made from data that is not base64: %j', (skin) => {
    expect(() => FORMATS[format].render(skin)).toThrow(
      expect.objectContaining({ code: 'invalid_skin_data', hint: expect.stringContaining('json') }),
    );
  });
});

describe('the formats without a signature', () => {
  const url = `http://textures.minecraft.net/texture/${'a'.repeat(64)}`;
  const textures = { SKIN: { url, metadata: { model: 'slim' } } };
  const value = Buffer.from(JSON.stringify({ timestamp: 1, textures })).toString('base64');
  const skin: SkinToFormat = { ...smith, value };
  const short = Buffer.from(JSON.stringify({ textures: { SKIN: { url } } })).toString('base64');

  test('have the address of the texture', () => {
    expect(FORMATS.mannequin.render(skin)).toBe(
      `summon mannequin ~ ~ ~ {profile:{properties:{textures:["${short}"]},model:slim}}`,
    );
  });

  test.each([
    ['the path of the source', 'Team 1/Zoë', 'team_1/zoe'],
    ['the name of the skin', undefined, 'smith'],
  ])('name the texture in a pack by %s', (_name, stem, id) => {
    expect(packFormat('give-texture', new GuessedPack('npc')).render(skin, stem)).toBe(
      `give @p player_head[profile={texture:"npc:entity/player/${id}",model:slim},custom_name={text:"Smith",italic:false}]`,
    );
    expect(packFormat('text-object', new GuessedPack('npc')).render(skin, stem)).toBe(
      `tellraw @a {object:player,player:{texture:"npc:entity/player/${id}"}}`,
    );
  });

  test('take the texture of a skin without a name by its UUID, as the packs of services do', () => {
    const { name: _, ...rest } = skin;
    expect(
      packFormat('text-object', new GuessedPack('npc')).render({ ...rest, uuid: 'f'.repeat(32) }),
    ).toContain(`npc:entity/player/${'f'.repeat(32)}"`);
  });

  test.each(['dmFsdWU=', '', 'eyJ0ZXh0dXJlcyI6e319'])(
    'are not made from a value without a skin: %j',
    (bad) => {
      expect(() => FORMATS.mannequin.render({ ...skin, value: bad })).toThrow(
        expect.objectContaining({ code: 'invalid_skin_data' }),
      );
    },
  );
});

describe('the other formats', () => {
  test('include a custom skin of SkinsRestorer, named in lower case, or by its UUID without a name', () => {
    const rest = { ...unnamed, dataVersion: 1 };
    expect(FORMATS.skinsrestorer.render(smith)).toEqual({ skinName: 'smith', ...rest });
    expect(FORMATS.skinsrestorer.render(unnamed)).toEqual({
      skinName: '854ffff4-811d-8d47-a7b4-09f7ca606a75',
      ...rest,
    });
  });

  test('are the plain value or signature, the textures property, and the whole skin', () => {
    expect(FORMATS.value.render(smith)).toBe('dmFsdWU=');
    expect(FORMATS.signature.render(smith)).toBe('c2lnbmF0dXJl');
    expect(FORMATS.property.render(smith)).toEqual({ name: 'textures', ...unnamed });
    expect(FORMATS.json.render(smith)).toEqual(smith);
  });
});
