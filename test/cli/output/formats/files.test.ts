import { describe, expect, test } from 'vitest';
import { finishedSkin } from '../../../../src/batch/model.ts';
import { FORMAT_NAMES, PACK_FORMATS } from '../../../../src/cli/output/format-names.ts';
import { filePath, hasForm, packFormat, renderFile } from '../../../../src/cli/output/formats.ts';
import { resultView, skinFields } from '../../../../src/cli/output/results.ts';
import { GuessedPack } from '../../../../src/cli/pack/pack-skins.ts';
import { makeSkin } from '../../../support/client/answers.ts';

const URL = `http://textures.minecraft.net/texture/${'a'.repeat(64)}`;
/** A value that shows a skin. */
const VALUE = Buffer.from(JSON.stringify({ timestamp: 1, textures: { SKIN: { url: URL } } })).toString(
  'base64',
);

const skin = { name: 'Sir Knight', value: 'dmFsdWU=', signature: 'c2lnbmF0dXJl' };

describe('a skin as a file', () => {
  test('is called by its stem and its format', () => {
    const paths = FORMAT_NAMES.map(
      (format) => renderFile(format, { ...skin, value: VALUE }, 'Heroes/Knight').path,
    );
    expect(paths).toEqual([
      'Heroes/Knight.json',
      'Heroes/Knight.value',
      'Heroes/Knight.signature',
      'Heroes/Knight.property.json',
      'heroes/knight.mcfunction',
      'heroes/knight.1.20.5.mcfunction',
      'heroes/knight.1.16.mcfunction',
      'heroes/knight.give-texture.mcfunction',
      'heroes/knight.mannequin.mcfunction',
      'heroes/knight.text-object.mcfunction',
      'Heroes/knight.customskin',
      'Heroes/Knight.citizens.txt',
      'Heroes/Knight.denizen.txt',
      'Heroes/Knight.fancynpcs.yml',
      'Heroes/Knight.znpcs.yml',
      'Heroes/Knight.geyser.yml',
      'Heroes/Knight.tab.yml',
      'Heroes/Knight.deluxemenus.yml',
      'Heroes/Knight.shopguiplus.yml',
      'Heroes/Knight.loot-table.json',
      'Heroes/Knight.profile.json',
      'Heroes/Knight.html',
    ]);
  });

  test('has a path that is known before it is written', () => {
    for (const format of FORMAT_NAMES) {
      for (const stem of ['Heroes/Knight', 'KNIGHT', 'A/B/Zoë.2']) {
        expect(filePath(format, stem)).toBe(renderFile(format, { ...skin, value: VALUE }, stem).path);
      }
    }
  });

  test('is a function with a unique name that data packs load', () => {
    const paths = ['Team 1/Zoë', 'team_1/zoe', 'team 1/zoê', 'Команда/Рыцарь'].map((stem) =>
      filePath('give', stem),
    );
    expect(paths).toEqual([
      expect.stringMatching(/^team_1\/zoe-[0-9a-f]{6}\.mcfunction$/),
      'team_1/zoe.mcfunction',
      expect.stringMatching(/^team_1\/zoe-[0-9a-f]{6}\.mcfunction$/),
      expect.stringMatching(/^komanda\/rytsar-[0-9a-f]{6}\.mcfunction$/),
    ]);
    expect(new Set(paths).size).toBe(4);
  });

  test('is an indented document in a format of JSON', () => {
    expect(renderFile('property', skin, 'Knight').text).toBe(
      '{\n  "name": "textures",\n  "value": "dmFsdWU=",\n  "signature": "c2lnbmF0dXJl"\n}\n',
    );
  });

  test('is one line in a format of text', () => {
    expect(renderFile('value', skin, 'Knight').text).toBe('dmFsdWU=\n');
    expect(renderFile('signature', skin, 'Knight').text).toBe('c2lnbmF0dXJl\n');
    expect(renderFile('give', skin, 'Knight').text).toMatch(
      /^give @p .*custom_name=\{text:"Sir Knight",italic:false\}\]\n$/,
    );
    expect(renderFile('citizens', skin, 'Knight').text).toMatch(/^npc skin -t \S+ dmFsdWU= c2lnbmF0dXJl\n$/);
  });

  test('has the name of its file in it for SkinsRestorer, whatever the skin is called', () => {
    const { path, text } = renderFile('skinsrestorer', skin, 'Heroes/Zoë.2');
    expect(path).toBe('Heroes/zoë.2.customskin');
    expect(JSON.parse(text)).toEqual({
      skinName: 'zoë.2',
      value: 'dmFsdWU=',
      signature: 'c2lnbmF0dXJl',
      dataVersion: 1,
    });
    expect(renderFile('skinsrestorer', skin, 'KNIGHT').path).toBe('knight.customskin');
  });

  test('contains all that is known in the format json', () => {
    const view = resultView({ source: 'Knight.png', skin: finishedSkin(makeSkin()) });
    const finished = { ...view, value: 'dmFsdWU=', signature: 'c2lnbmF0dXJl' };
    expect(JSON.parse(renderFile('json', finished, 'Knight').text)).toEqual(view);
  });
});

test("A command with a pack's texture is recognized by its form, but not if someone else wrote it", () => {
  const finished = { ...skin, value: VALUE };
  for (const name of PACK_FORMATS) {
    const format = packFormat(name, new GuessedPack('npc'));
    expect(hasForm(format, renderFile(format, finished, 'Team 1/Zoë').text)).toBe(true);
  }
  const earlier =
    'give @p player_head[profile={texture:"npc:entity/player/a",model:wide},custom_name={text:"A"}]\n';
  expect(hasForm(packFormat('give-texture', new GuessedPack('npc')), earlier)).toBe(true);
  const mine = 'summon mannequin ~ ~ ~ {profile:{texture:"npc:my/guard",model:wide},immovable:true}\n';
  expect(hasForm(packFormat('mannequin', new GuessedPack('npc')), mine)).toBe(false);
});

describe('The form of a format', () => {
  const data = { value: VALUE, signature: 'c2ln'.repeat(171) };
  const some = { ...finishedSkin(makeSkin()), texture: { url: URL, hash: 'a'.repeat(64) } };
  const textOf = (format: (typeof FORMAT_NAMES)[number], name?: string) =>
    renderFile(format, skinFields({ ...some, ...data, name }), 'Knight').text;

  test.each(FORMAT_NAMES)('is recognized in the file: %s', (format) => {
    for (const name of ['Sir Knight', undefined]) expect(hasForm(format, textOf(format, name))).toBe(true);
    const others = FORMAT_NAMES.filter((other) => !/value|signature|give/.test(other) && other !== format);
    for (const other of others) expect(hasForm(format, textOf(other))).toBe(false);
  });

  test.each(FORMAT_NAMES)('is not recognized in a text with more or less: %s', (format) => {
    const text = textOf(format);
    for (const other of [
      '',
      `${text}say hello\n`,
      text.trim(),
      text.replace(/[A-Za-z0-9+/=]{64,}/g, 'short'),
    ])
      expect(hasForm(format, other)).toBe(false);
  });
});
