import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { finishedSkin } from '../../../../src/batch/model.ts';
import { documentCheckFor } from '../../../../src/cli/output/document-check.ts';
import { FORMATS, type Format, formatOf } from '../../../../src/cli/output/formats.ts';
import { TEMPLATES } from '../../../../src/cli/output/plugin-templates.ts';
import { openFormats, ResultPrinter, resultView } from '../../../../src/cli/output/results.ts';
import { fillAll, fillTemplate, isFilled, parseTemplate } from '../../../../src/cli/output/templates.ts';
import { testIo } from '../../../support/cli/test-io.ts';
import { makeSkin } from '../../../support/client/answers.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

const FIELDS = [
  'name',
  'value',
  'signature',
  'texture',
  'texture.url',
  'duplicate',
  'warnings',
  'warnings.code',
];
const filled = (text: string, skin: object) => fillTemplate(parseTemplate(text, FIELDS), { ...skin });
const DATA = { value: 'dmFs'.repeat(50), signature: 'c2ln'.repeat(171) };
const view = resultView({ source: 'a.png', job: 'j1', skin: finishedSkin(makeSkin({ uuid: 'uu1' })) });

function opened(choice: `template:${string}`): Format {
  const [format] = openFormats([choice]) ?? [];
  return formatOf(format!);
}

describe('A template', () => {
  test.each([
    ['{{name}};{{value}};{{signature}}', 'Zoë "Z" <b>;dmFsdWU=;c2ln\n'],
    ['{{ name }}\n', 'Zoë "Z" <b>\n'],
    ['{"a":{"b":{{value|json}}}}', '{"a":{"b":"dmFsdWU="}}\n'],
    ['{{{name}}} {{}} {{ a b }} {name} }}', '{Zoë "Z" <b>} {{}} {{ a b }} {name} }}\n'],
    ['{{name|json}}', '"Zoë \\"Z\\" <b>"\n'],
    ['n: {{name|yaml}}', 'n: "Zoë \\"Z\\" <b>"\n'],
    ['{n:{{name|snbt}}}', '{n:"Zoë \\"Z\\" <b>"}\n'],
    ['echo {{name|shell}}', 'echo \'Zoë "Z" <b>\'\n'],
    ['<b>{{name|html}}</b>', '<b>Zoë &#34;Z&#34; &#60;b&#62;</b>\n'],
    ['{{name | json | shell}}', '\'"Zoë \\"Z\\" <b>"\'\n'],
    ['{{texture.url}}', 'http://a\n'],
    ['{{texture|json}}', '{"url":"http://a"}\n'],
    ['{{duplicate|json}} {{duplicate}}', 'false false\n'],
    ['{{warnings|json}} {{warnings.code}}', '[{"code":"c"}] ["c"]\n'],
  ])('fills in the fields of a skin and leaves other text unchanged: %s', (text, expected) => {
    const texture = { url: 'http://a' };
    const skin = { name: 'Zoë "Z" <b>', value: 'dmFsdWU=', signature: 'c2ln', texture, duplicate: false };
    expect(filled(text, { ...skin, warnings: [{ code: 'c' }] })).toBe(expected);
  });

  test('leaves an absent field empty, in quotes where a filter quotes it', () => {
    expect(filled('[{{name}}] {{name|json}} {{texture.url|shell}}', {})).toBe('[] "" \'\'\n');
  });

  test('lets no text from outside end a line, a string or a word', () => {
    const name = 'a\n\u001b[31mb\u2028c\u202e\'";$(id)\\';
    expect(filled('{{name}}', { name })).toBe('a b c\'";$(id)\\\n');
    expect(filled('{{name|shell}}', { name })).toBe("'a b c'\\''\";$(id)\\'\n");
    expect(filled('{{name|snbt}}', { name })).toBe('"a b c\'\\";$(id)\\\\"\n');
  });

  test('takes no skin data that is not base64', () => {
    expect(() => opened('template:say {{value}}').render({ value: 'a;b', signature: '' })).toThrow('base64');
  });

  test.each([
    ['{{valeu}}', /field \{\{valeu\}\} does not exist/, /^Did you mean value\? Fields: name, value/],
    ['{{skin-name}}', /field \{\{skin-name\}\}/, /^Fields: /],
    [
      '{{value|jsom}}',
      /filter jsom does not exist/,
      /^Did you mean json\? Filters: json, yaml, snbt, shell, html/,
    ],
    ['nothing', /has no fields/, /^Fields: /],
  ])('is refused with the nearest name: %s', (text, message, hint) => {
    expect(() => parseTemplate(text, FIELDS)).toThrow(
      expect.objectContaining({
        code: 'invalid_template',
        exit: 'usage',
        message: expect.stringMatching(message),
      }),
    );
    expect(() => parseTemplate(text, FIELDS)).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(hint) }),
    );
  });

  test('recognizes only files that were written with it, once or several times', () => {
    const template = parseTemplate('skin {{name|json}}\n  {{value}};{{signature}};', FIELDS);
    const one = fillTemplate(template, { ...DATA, name: 'A' });
    const two = fillTemplate(template, { ...DATA, name: 'B; C' });
    for (const text of [one, two, one + two]) expect(isFilled(template, text)).toBe(true);
    const others = ['', 'skin', one.trim(), `${one}mine\n`, `# mine\n${one}`, one.replace(';', '\n;')];
    for (const text of [...others, one.replace(DATA.value, 'short')])
      expect(isFilled(template, text)).toBe(false);
    const noData = parseTemplate('{{name}}', FIELDS);
    expect(isFilled(noData, 'my own text\n')).toBe(false);
  });
});

const UUID = '0123456789abcdeffedcba9876543210';
const FRAMED =
  '{"n":{{count}},"skins":[\n---8<---\n{"name":{{name|json}},"data":{{value|json}}}{{separator:,}}\n---8<---\n]}';

describe('A template with a head and a foot', () => {
  const skins = ['A', 'B "b"', 'C'].map((name) => ({ ...DATA, name, uuid: UUID, variant: 'slim' }));

  test('makes one document of all skins, with a text between two of them', () => {
    const template = parseTemplate(FRAMED, FIELDS);
    const read = JSON.parse(fillAll(template, skins));
    expect(read.n).toBe(3);
    expect(read.skins.map(({ name }: { name: string }) => name)).toEqual(['A', 'B "b"', 'C']);
    expect(JSON.parse(fillTemplate(template, skins[0]!)).skins).toHaveLength(1);
  });

  test('numbers the skins, and writes UUIDs and arms as files want them', () => {
    const text =
      'all: {{count}}\n---8<---\n{{number}} {{number|from:0}} {{uuid|dashed}} [I;{{uuid|ints}}] {{variant|words:WIDE, THIN}}\n---8<---\n';
    const template = parseTemplate(text, [...FIELDS, 'uuid', 'variant']);
    const row = '01234567-89ab-cdef-fedc-ba9876543210 [I;19088743,-1985229329,-19088744,1985229328]';
    const [slim, classic] = [skins[0]!, { ...skins[1]!, variant: 'classic' }];
    expect(fillAll(template, [slim, classic])).toBe(`all: 2\n1 0 ${row} THIN\n2 1 ${row} WIDE\n`);
  });

  test('recognizes its documents, with any number of skins', () => {
    const template = parseTemplate(FRAMED, FIELDS);
    for (const some of [skins.slice(0, 1), skins]) {
      const text = fillAll(template, some);
      expect(isFilled(template, text)).toBe(true);
      for (const other of [
        text.slice(1),
        `${text}mine\n`,
        text.replace('{"n"', '{"m"'),
        text.replace(DATA.value, 'short'),
      ])
        expect(isFilled(template, other)).toBe(false);
    }
    const hashes = parseTemplate('a:\n---8<---\n- {{texture.hash|yaml}}\n---8<---\n', ['texture.hash']);
    expect(isFilled(hashes, fillAll(hashes, [{ texture: { hash: 'ab'.repeat(32) } }]))).toBe(true);
    expect(isFilled(hashes, 'a:\n- "mine"\n')).toBe(false);
  });

  test.each([
    ['{{name}}\n---8<---\n{{name}}', /has 1 line ---8<---/, /Use two of them/],
    ['a\n---8<---\n{{name}}\n---8<---\n---8<---\n', /has 3 lines/, /Use two of them/],
    ['{{name}}\n---8<---\n{{value}}\n---8<---\n', /field \{\{name\}\} does not exist/, /^Fields: count/],
    ['a\n---8<---\nb\n---8<---\n', /has no fields/, /^Fields: /],
    ['{{name|words:CLASSIC}}', /filter words:CLASSIC is not complete/, /words:CLASSIC,SLIM/],
    ['{{number|from:a}}', /filter from:a/, /from:0/],
    ['{{name|json:2}}', /filter json:2/, /^Write json/],
  ])('is refused if it is invalid: %j', (text, message, hint) => {
    const refusal = { message: expect.stringMatching(message), hint: expect.stringMatching(hint) };
    expect(() => parseTemplate(text, FIELDS)).toThrow(expect.objectContaining(refusal));
  });

  test('goes to stdout as one document, in the order of the sources', async () => {
    const { io, out } = testIo();
    const text = '[\n---8<---\n{{name|json}}{{separator:,}}\n---8<---\n]' as const;
    const formats = openFormats([`template:${text}`]);
    const printer = new ResultPrinter(io, { json: false, ndjson: false, formats, isList: true });
    for (const [index, name] of [
      [1, 'b'],
      [0, 'a'],
    ] as const)
      await printer.add({ ...view, name }, index);
    expect(out()).toBe('');
    printer.end();
    expect(JSON.parse(out())).toEqual(['a', 'b']);
  });
});

describe('A document that a template makes', () => {
  test.each([
    ['.json', '{"a":[1]}', '{"a":[1,]}', /not valid JSON/],
    ['.geyser.yml', 'a: "b"\n', 'a: "b\n', /not valid YAML in line/],
    ['.yml', 'a:\n  b: 1\n  c: 2\n', 'a:\n  b: 1\n  b: 2\n', /has b twice/],
    ['.snbt', '[{a:"b"},{a:[I;1,2]}]\n', '[{a:"b"},{a:1}]]', /not valid SNBT/],
    ['.snbt', '{a:"b"}', '{a:"b"},x:{}', /not valid SNBT/],
  ])('is checked as %s', async (extension, good, bad, fault) => {
    const check = await documentCheckFor(extension);
    expect(check?.(good)).toBeUndefined();
    expect(check?.(bad)).toMatch(fault);
  });

  test('is not checked in any other notation', async () => {
    expect(await documentCheckFor('.txt')).toBeUndefined();
  });
});

describe('The format template:', () => {
  test('reads a file and gives the output the extension before .tmpl', async () => {
    const folder = await ownFolder();
    for (const [name, extension] of [
      ['npc.yml.tmpl', '.yml'],
      ['npc.JSON', '.json'],
      ['npc.tmpl', '.txt'],
    ] as const) {
      await writeFile(join(folder, name), '\uFEFF{{source}}: {{uuid}}\r\n');
      const format = opened(`template:${join(folder, name)}`);
      expect([format.extension, format.render(view as never)]).toEqual([extension, 'a.png: uu1\r\n']);
    }
    expect(opened('template:{{uuid}}.json').extension).toBe('.txt');
    expect(() => opened(`template:${join(folder, 'absent')}`)).toThrow('cannot be read');
    expect(() => opened(`template:${folder}`)).toThrow('is not a file');
    expect(() => opened('template:a.png.tmpl')).toThrow('end in .png');
  });

  test('has every field of the JSON output', () => {
    const text = opened(
      'template:{{source}} {{status}} {{job}} {{uuid}} {{variant}} {{visibility}} {{texture.hash}} {{signer}}',
    ).render(view as never);
    expect(text).toBe('a.png completed j1 uu1 classic public aa11 \n');
  });

  test('goes to stdout as it is, line by line', async () => {
    const { io, out } = testIo();
    const formats = openFormats(['template:# {{source}}\n{{value}}']);
    const printer = new ResultPrinter(io, { json: false, ndjson: false, formats, isList: true });
    for (const source of ['a.png', 'b.png']) await printer.add({ ...view, source });
    expect(out()).toBe('# a.png\ndmFsdWU=\n# b.png\ndmFsdWU=\n');
  });
});

describe('The templates in examples/formats', () => {
  test.each(Object.entries(TEMPLATES))(
    'are those that the program has under the same names: %s',
    (name, text) => {
      const extension = FORMATS[name as keyof typeof TEMPLATES].extension.split('.').at(-1);
      const path = `examples/formats/${name}.${extension}.tmpl`;
      expect(readFileSync(path, 'utf8')).toBe(text);
      expect(opened(`template:${path}`).extension).toBe(`.${extension}`);
    },
  );

  test('write what each plugin reads', () => {
    const data = { value: 'dmFsdWU=', signature: 'c2lnbmF0dXJl' };
    const skin = { ...view, ...data, name: 'Sir "A"', uuid: 'ab'.repeat(16) };
    expect(FORMATS.denizen.render(skin)).toBe('- adjust <npc> skin_blob:dmFsdWU=;c2lnbmF0dXJl\n');
    expect(FORMATS.fancynpcs.render(skin)).toBe(
      'skin:\n  identifier: "http://textures.example/texture/aa11"\n  variant: AUTO\n  value: "dmFsdWU="\n  signature: "c2lnbmF0dXJl"\n',
    );
    expect(FORMATS.znpcs.render(skin)).toBe(
      'properties:\n  skin: prefetched;textures;dmFsdWU=;c2lnbmF0dXJl;\n',
    );
    expect(FORMATS.profile.render(skin)).toEqual({
      id: 'ab'.repeat(16),
      name: 'Sir "A"',
      properties: [{ name: 'textures', value: 'dmFsdWU=', signature: 'c2lnbmF0dXJl' }],
    });
    const [value, signature] = [DATA.value, DATA.signature];
    const real = {
      ...skin,
      value,
      signature,
      variant: 'classic',
      texture: { url: '', hash: 'ab'.repeat(32) },
    };
    const read = (name: 'geyser' | 'tab' | 'deluxemenus' | 'shopguiplus') =>
      parseYaml(String(FORMATS[name].render(real)));
    expect(read('geyser')).toEqual({ 'skin-hashes': ['ab'.repeat(32)] });
    expect(read('tab')).toEqual({ players: { 'Sir "A"': [value, signature] } });
    expect(read('deluxemenus').items).toEqual({
      head_1: { material: `basehead-${value}`, slot: 0, display_name: 'Sir "A"' },
    });
    expect(read('shopguiplus').heads.items[1]).toMatchObject({
      item: { material: 'PLAYER_HEAD', name: 'Sir "A"', skin: value },
      slot: 0,
    });
    const [entry] = JSON.parse(String(FORMATS['loot-table'].render(real))).pools[0].entries;
    expect(entry.functions[0].components).toEqual({
      'minecraft:profile': {
        id: [-1414812757, -1414812757, -1414812757, -1414812757],
        properties: [{ name: 'textures', value, signature }],
      },
      'minecraft:custom_name': { text: 'Sir "A"', italic: false },
    });
    expect(FORMATS.html.render(skin)).toContain('<figcaption>Sir &#34;A&#34;</figcaption>');
  });
});
