import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { BatchSource } from '../../../../src/batch/model.ts';
import { isSingle } from '../../../../src/batch/sources/arguments.ts';
import { skinInJson } from '../../../../src/batch/sources/skin-json.ts';
import { isSkinText, readSkinText } from '../../../../src/batch/sources/skin-text.ts';
import { buildTexturesValue } from '../../../../src/textures/property.ts';
import {
  allOf,
  folderOf,
  onlyOf,
  problemOf,
  rootsIn,
  spec,
  UUID,
} from '../../../support/batch/read-sources.ts';

const HASH = 'ab12'.repeat(16);
const VALUE = valueWith(`http://textures.minecraft.net/texture/${HASH}`);
const SIGNATURE = Buffer.alloc(512, 7).toString('base64');
const here = rootsIn('/no/such/folder');

function valueWith(url: string): string {
  const skin = { url, variant: 'slim' } as const;
  return buildTexturesValue({ timestamp: 1, profileId: UUID, profileName: 'Ann', skin });
}

describe('JSON that has skin data', () => {
  const both = { value: VALUE, signature: SIGNATURE };
  const LOCK_LINE = { source: 'heroes/a.png', options: { variant: 'auto' }, ...both, texture: 'http://t/x' };
  const shapes: [what: string, json: unknown, more: object][] = [
    ['a property', { name: 'textures', ...both }, {}],
    ['a property without a name', both, {}],
    ['a line of a lockfile', LOCK_LINE, { source: 'heroes/a.png', url: 'http://t/x' }],
    [
      'a result',
      { source: 'a.png', uuid: UUID, name: 'a', ...both },
      { source: 'a.png', uuid: UUID, name: 'a' },
    ],
    ['a skin of version 2', { success: true, skin: { uuid: UUID, texture: { data: both } } }, { uuid: UUID }],
    ['a skin of version 1', { name: 'a', data: { texture: both } }, { name: 'a' }],
    ['a custom skin of SkinsRestorer', { skinName: 'ann', ...both, dataVersion: 1 }, { name: 'ann' }],
    [
      'a game profile',
      { id: UUID, name: 'Ann', properties: [{ name: 'textures', ...both }] },
      { name: 'Ann' },
    ],
  ];
  test.each(shapes)('is %s', (_, json, more) => {
    expect(skinInJson(json)).toMatchObject({ ...both, ...more });
  });

  const others: [what: string, json: unknown][] = [
    ['a list', [both]],
    ['text', VALUE],
    ['nothing', null],
    ['a row of a list', { source: 'a.png', name: 'a' }],
    ['a value that is no text', { value: 7, signature: SIGNATURE }],
    ['skin data deeper than anyone writes it', { a: { b: { c: both } } }],
  ];
  test.each(others)('is not %s', (_, json) => {
    expect(skinInJson(json)).toBeUndefined();
  });
});

describe('Text', () => {
  const rows: [what: string, text: string, isSkin: boolean][] = [
    ['a value', VALUE, true],
    [
      'a value of pretty JSON',
      Buffer.from(`{\n  "textures": {${' '.repeat(60)}} }`).toString('base64'),
      true,
    ],
    ['a value and its signature', ` ${VALUE}\t${SIGNATURE}\n`, true],
    ['an object', ` { "value": "" }`, true],
    ['an empty object', '{}', true],
    ['a path with a brace', '{a}.png', false],
    ['a short word that begins as a value does', 'eyJabc', false],
    ['base64 of something else', Buffer.alloc(90, 1).toString('base64'), false],
    ['nothing', '', false],
  ];
  test.each(rows)('that is %s', (_, text, isSkin) => {
    expect(isSkinText(text)).toBe(isSkin);
  });

  const faults: [what: string, text: string, fault: RegExp][] = [
    ['damaged JSON', '{"value":', /not valid JSON/],
    ['JSON without a value', '{"name":"a"}', /has no texture value/],
    ['three words', `${VALUE} ${SIGNATURE} more`, /more than a value/],
    ['endless', `${VALUE} ${'A'.repeat(70_000)}`, /at most 65536 characters/],
    ['JSON of endless depth', `{"a":${'['.repeat(50_000)}`, /not valid JSON/],
  ];
  test.each(faults)('that cannot be used is reported: %s', (_, text, fault) => {
    expect(readSkinText(text)).toEqual({ fault: expect.stringMatching(fault) });
  });
});

describe('A value as catalogues of heads give it', () => {
  const url = 'http://textures.minecraft.net/texture/3f3f';
  const head = (length: number) =>
    Buffer.from(JSON.stringify({ textures: { SKIN: { url: url + 'a'.repeat(length) } } })).toString('base64');

  test('is a source, with or without its padding', async () => {
    for (const length of [0, 1, 2]) {
      const value = head(length);
      for (const typed of [value, value.replace(/=+$/, '')]) {
        expect((await onlyOf({ args: [typed] }, here)).content).toEqual({ kind: 'data', given: { value } });
      }
    }
  });

  test('is read from a file of whatever name', async () => {
    const text = await readFile(new URL('../../../fixtures/textures/head-value.txt', import.meta.url));
    const cwd = await folderOf({ 'head-value.txt': text });
    const source = await onlyOf({ args: ['head-value.txt'] }, rootsIn(cwd));
    expect(source).toMatchObject({ content: { kind: 'data' }, stem: '3f'.repeat(32) });
  });

  test.each([
    ['cut', VALUE.slice(0, 100), true],
    ['cut with dots', `{"value":"${VALUE.slice(0, 100)}…"}`, true],
    [
      'whole, but without a skin',
      Buffer.from(`{"textures":{},"a":"${'b'.repeat(40)}"}`).toString('base64'),
      false,
    ],
    ['whole, but no JSON', Buffer.from(`{"textures":{},,"a":"${'b'.repeat(40)}"}`).toString('base64'), false],
  ])('is to be copied whole if it is %s', async (_, arg, isCut) => {
    const hint = problemOf(await onlyOf({ args: [arg] }, here))?.hint;
    expect(hint?.includes('Copy the whole value')).toBe(isCut);
  });
});

describe('A file with skin data', () => {
  const both = { value: VALUE, signature: SIGNATURE };
  const files: [name: string, text: string | Buffer, given: object][] = [
    ['a.customskin', JSON.stringify({ skinName: 'ann', ...both, dataVersion: 1 }), { ...both, name: 'ann' }],
    [
      'a.playerskin',
      JSON.stringify({ uniqueId: UUID, lastKnownName: 'Ann', ...both, timestamp: 1 }),
      { ...both, name: 'Ann' },
    ],
    [
      'a_SLIM.urlskin',
      JSON.stringify({ url: 'https://a.example/b.png', mineSkinId: UUID, ...both, skinVariant: 'SLIM' }),
      { ...both, uuid: UUID, name: 'a_SLIM' },
    ],
    ['a.skin', `${VALUE}\n${SIGNATURE}\n4102444800000\n`, { ...both, name: 'a' }],
    ['custom.skin', `${VALUE}\n${SIGNATURE}\n9223243187835955807`, { ...both, name: 'custom' }],
    ['a.value', `${VALUE}\n`, { value: VALUE }],
    ['a.property.json', JSON.stringify({ name: 'textures', ...both }, undefined, 2), both],
    ['marked.json', `\uFEFF${JSON.stringify(both)}`, both],
    ['wide.json', Buffer.from(`\uFEFF${JSON.stringify(both)}`, 'utf16le'), both],
    ['noext', JSON.stringify([both]), both],
  ];
  test.each(files)('is a source: %s', async (name, text, given) => {
    const cwd = await folderOf({ [name]: text });
    expect((await onlyOf({ args: [name] }, rootsIn(cwd))).content).toEqual({ kind: 'data', given });
    expect(await isSingle(spec({ args: [name] }), rootsIn(cwd))).toBe(true);
  });

  test('may have a skin on each line under any file name, and no line is lost', async () => {
    const cwd = await folderOf({ 'skins.txt': `${JSON.stringify(both)}\nnonsense\n${VALUE}\n` });
    const sources = await allOf({ args: ['skins.txt'] }, rootsIn(cwd));
    expect(sources.map(({ content }) => content.kind)).toEqual(['data', 'problem', 'data']);
    expect(sources[1]).toMatchObject({ label: 'skins.txt:2' });
  });

  test('may come on stdin with a byte order mark, or in UTF-16', async () => {
    for (const text of [`\uFEFF${JSON.stringify(both)}`, Buffer.from(`\uFEFF${VALUE}`, 'utf16le')]) {
      expect((await onlyOf({ args: ['-'] }, rootsIn('/', text))).content).toMatchObject({
        kind: 'data',
        given: { value: VALUE },
      });
    }
  });

  test('may come through a pipe such as <(…) of a shell, as may a picture', async () => {
    for (const [text, kind] of [
      [VALUE, 'data'],
      ['a picture', 'bytes'],
    ] as const) {
      const cwd = await folderOf([]);
      execFileSync('mkfifo', [join(cwd, 'pipe')]);
      const [source] = await Promise.all([
        onlyOf({ args: ['pipe'] }, rootsIn(cwd)),
        writeFile(join(cwd, 'pipe'), text),
      ]);
      expect(source).toMatchObject({ content: { kind } });
    }
  });

  test('may be named by a file: URL, as an argument and in a list', async () => {
    const cwd = await folderOf({ 'a skin.png': '', 'b.customskin': JSON.stringify(both) });
    const urls = ['a skin.png', 'b.customskin'].map((name) => pathToFileURL(join(cwd, name)).href);
    const kinds = (sources: BatchSource[]) => sources.map(({ content }) => content.kind);
    expect(kinds(await allOf({ args: urls }, here))).toEqual(['file', 'data']);
    expect(kinds(await allOf({ from: ['-'] }, rootsIn('/', urls.join('\n'))))).toEqual(['file', 'data']);
  });
});

describe('An argument', () => {
  const given = { value: VALUE, signature: SIGNATURE };
  const rows: [what: string, arg: string, source: object][] = [
    ['a value', VALUE, { content: { kind: 'data', given: { value: VALUE } }, stem: HASH }],
    ['a value and its signature', `${VALUE} ${SIGNATURE}`, { content: { kind: 'data', given } }],
    [
      'JSON',
      JSON.stringify({ ...given, source: 'heroes/a.png' }),
      { label: 'heroes/a.png', stem: 'heroes/a' },
    ],
    [
      "a texture's address",
      `http://textures.minecraft.net/texture/${HASH.toUpperCase()}?x`,
      { content: { kind: 'url', url: `https://textures.minecraft.net/texture/${HASH}` }, stem: HASH },
    ],
    [
      "a texture's address without its scheme",
      `textures.minecraft.net/texture/${HASH}`,
      { content: { kind: 'url', url: `https://textures.minecraft.net/texture/${HASH}` } },
    ],
    [
      "a texture's hash",
      HASH,
      { content: { kind: 'url', url: `https://textures.minecraft.net/texture/${HASH}` } },
    ],
    [
      'an address without its scheme',
      'www.a.example/b.png',
      { content: { kind: 'url', url: 'https://www.a.example/b.png' } },
    ],
    [
      'a file on GitHub',
      'github.com/a/b/blob/main/c.png',
      { content: { kind: 'url', url: 'https://raw.githubusercontent.com/a/b/main/c.png' }, stem: 'c' },
    ],
    [
      'another page, which the service knows',
      'imgur.com/BnrJJh2',
      { content: { kind: 'url', url: 'https://imgur.com/BnrJJh2' } },
    ],
    [
      'another address of that host',
      'https://textures.minecraft.net/x.png',
      { content: { kind: 'url' }, stem: 'x' },
    ],
    ['a UUID', UUID, { content: { kind: 'uuid', uuid: UUID } }],
  ];
  test.each(rows)('may be %s', async (_, arg, source) => {
    expect(await onlyOf({ args: [arg] }, here)).toMatchObject(source);
  });

  test('that names a file is that file, even if it looks like a hash or an address', async () => {
    const cwd = await folderOf({ [HASH]: 'a', 'www.a.example/b.png': 'b' });
    for (const arg of [HASH, 'www.a.example/b.png'])
      expect((await onlyOf({ args: [arg] }, rootsIn(cwd))).content).toMatchObject({ kind: 'file' });
  });

  test('that is a UUID is a player with --as user', async () => {
    for (const parts of [{ args: [UUID], as: 'user' }, { players: [UUID] }] as const) {
      expect((await onlyOf(parts, here)).content).toEqual({ kind: 'user', user: UUID });
    }
  });

  const broken: [what: string, arg: string, message: RegExp][] = [
    ['a value that was cut', VALUE.slice(0, 80), /does not contain JSON/],
    [
      'a value without a skin',
      buildTexturesValue({ timestamp: 1, profileId: UUID, profileName: 'Ann' }),
      /contains no skin/,
    ],
    ['an address that is no http', valueWith('file:///etc/passwd'), /not an http URL/],
    ['an endless signature', `${VALUE} ${'A'.repeat(5_000)}`, /more than 4096 characters/],
    ['JSON without a value', '{"name":"a"}', /no texture value/],
  ];
  test.each(broken)('is reported when it is %s', async (_, arg, message) => {
    const source = await onlyOf({ args: [arg] }, here);
    expect(problemOf(source)).toMatchObject({
      code: 'invalid_skin_data',
      message: expect.stringMatching(message),
    });
    expect(source.label.length).toBeLessThan(60);
  });

  test("keeps the data's own fields only if they are plausible", async () => {
    const about = {
      uuid: 'x'.repeat(99),
      name: '\u001b[31mred\u0007',
      visibility: 'secret',
      source: 'user:x',
    };
    const { content, stem } = await onlyOf({ args: [JSON.stringify({ ...given, ...about })] }, here);
    expect([content, stem]).toEqual([{ kind: 'data', given: { ...given, name: '[31mred' } }, '[31mred']);
  });
});

describe('A file of skins', () => {
  const line = (source: string) => JSON.stringify({ source, value: VALUE, signature: SIGNATURE });
  const files: [name: string, text: string, labels: string[]][] = [
    ['skins.lock', `${line('a.png')}\n\n${line('b.png')}\n`, ['a.png', 'b.png']],
    ['made.ndjson', `${line('a.png')}\n${VALUE} ${SIGNATURE}`, ['a.png', 'made.ndjson:2']],
    ['made.json', `[${line('a.png')},${line('b.png')}]`, ['a.png', 'b.png']],
    ['one.json', JSON.stringify({ value: VALUE }, undefined, 2), ['one.json']],
  ];
  test.each(files)('gives all skins in it: %s', async (name, text, labels) => {
    const found = await allOf({ args: [name] }, rootsIn(await folderOf({ [name]: text })));
    expect(found.map(({ label, content }) => [label, content.kind])).toEqual(
      labels.map((one) => [one, 'data']),
    );
  });

  const broken: [name: string, text: string][] = [
    ['skins.lock', '<<<<<<< ours'],
    ['made.json', '{'],
    ['made.json', '[]'],
    ['made.json', '{"name":"a"}'],
    ['made.ndjson', 'x'.repeat(70_000)],
    ['made.ndjson', 'a\0b'],
  ];
  test.each(broken)('says what is wrong with it: %s, %.12j', async (name, text) => {
    const found = await allOf({ args: [name] }, rootsIn(await folderOf({ [name]: text })));
    expect(found.map(problemOf)).toMatchObject([{ code: 'invalid_skin_data', hint: expect.any(String) }]);
  });

  test.each(['<<<<<<< ours', '{"source":"a', '{}'])('says how to mend a line: %s', async (text) => {
    const [only] = await allOf({ args: ['skins.lock'] }, rootsIn(await folderOf({ 'skins.lock': text })));
    expect(only && problemOf(only)?.hint).toMatch(/^Restore the file, .* or delete the line\.$/);
  });
});

describe('A list', () => {
  test('may have a value and its signature in a line, and rows that are skin data', async () => {
    const list = `${VALUE} ${SIGNATURE}\n${UUID}\n`;
    const plain = await allOf({ from: ['-'] }, rootsIn('/no/such/folder', list));
    expect(plain.map(({ content }) => content.kind)).toEqual(['data', 'uuid']);
    const rows = [
      { source: 'a.png', value: VALUE, signature: SIGNATURE },
      { source: VALUE, name: 'b' },
      { value: VALUE },
    ];
    const text = rows.map((row) => JSON.stringify(row)).join('\n');
    const found = await allOf({ from: ['-'] }, rootsIn('/no/such/folder', text));
    expect(found.map(({ label, stem, content }) => [label, stem, content.kind])).toEqual([
      ['a.png', 'a', 'data'],
      ['value:ab12ab12ab12ab12…', 'b', 'data'],
      ['-:3', HASH, 'data'],
    ]);
  });
});

describe('On stdin', () => {
  const json = JSON.stringify({ value: VALUE, signature: SIGNATURE }, undefined, 2);
  test.each([json, `[${json}]`, `\n ${VALUE} ${SIGNATURE}\n`])('skin data is read: %.20j', async (text) => {
    expect(await onlyOf({ args: ['-'] }, rootsIn('/', text))).toMatchObject({
      label: '-',
      content: { kind: 'data', given: { value: VALUE, signature: SIGNATURE } },
    });
  });

  test.each([`[${json},${json}]`, `${VALUE}\n${VALUE}\n`])(
    'several skins are a list, not one source: %.20j',
    async (text) => {
      const problem = problemOf(await onlyOf({ args: ['-'] }, rootsIn('/', text)));
      expect(problem).toMatchObject({ code: 'several_skins', hint: expect.stringContaining('--from -') });
    },
  );

  const npc = (name: string) =>
    `  '${name}':\n    name: ${name}\n    traits:\n      textureRaw: ${VALUE}\n      signature: ${SIGNATURE}\n`;
  const tree = (names: readonly string[]) =>
    JSON.stringify(names.map((name) => ({ npc: { name, skin: VALUE, signature: SIGNATURE } })));
  test.each([`npc:\n${npc('Ann')}`, `last-created-npc-id: 1\nlist: []\nnpc:\n${npc('Ann')}`, tree(['Ann'])])(
    'the file of a plugin is read: %.20j',
    async (text) => {
      expect((await onlyOf({ args: ['-'] }, rootsIn('/', text))).content).toEqual({
        kind: 'data',
        given: { value: VALUE, signature: SIGNATURE, name: 'Ann' },
      });
    },
  );

  test.each([`npc:\n${npc('Ann')}${npc('Bob')}`, tree(['Ann', 'Bob'])])(
    'the file of a plugin with several skins is not one source: %.20j',
    async (text) => {
      const problem = problemOf(await onlyOf({ args: ['-'] }, rootsIn('/', text)));
      expect(problem).toMatchObject({ code: 'several_skins', message: expect.stringContaining('2 skins') });
    },
  );

  test.each(['everything else', '[x', '\u0089PNG'])(
    'content that is no skin data is left to the check: %j',
    async (text) => {
      expect((await onlyOf({ args: ['-'] }, rootsIn('/', text))).content.kind).toBe('bytes');
    },
  );
});

test('Each item of a JSON list is labelled with its number, also if it is not a skin', async () => {
  const given = { value: VALUE, signature: SIGNATURE };
  const cwd = await folderOf({ 'all.json': JSON.stringify([given, 7]), 'one.json': JSON.stringify([given]) });
  const labels = async (arg: string) =>
    (await allOf({ args: [arg] }, rootsIn(cwd))).map(({ label }) => label);
  expect(await labels('all.json')).toEqual(['all.json:1', 'all.json:2']);
  expect(await labels('one.json')).toEqual(['one.json']);
});
