import { describe, expect, test } from 'vitest';
import { YamlEdits } from '../../../src/cli/plugins/yaml-edits.ts';

const NPCS = `# mine, do not touch
npcs:
  one:   # at the gate
    name: 'Guard'
    skin:
      identifier: "old" # from the shop
      variant: SLIM

  # the second
  two:
    name: &n Smith
    lore:
    - a: 1
      b: 2
    equipment: {}
  three: { name: Cook, skin: {} }
  four:
    name: *n
    skin: {}
    text: |
      two
      lines
`;

function edited(text: string, ...sets: [path: string[], values: Parameters<YamlEdits['set']>[1]][]): string {
  const edits = new YamlEdits(text, 'npcs.yml');
  for (const [path, values] of sets) edits.set(path, values);
  return edits.result();
}

describe('Values are set in a document', () => {
  test('in place, and everything else stays byte for byte', () => {
    const text = edited(NPCS, [['npcs', 'one'], { skin: { identifier: 'http://a/b', variant: 'AUTO' } }]);
    expect(text).toBe(NPCS.replace('"old"', '"http://a/b"').replace('SLIM', 'AUTO'));
  });

  test('after the existing keys, if their keys are missing', () => {
    const skin = { skin: { identifier: 'x y', list: ['p', 'q'] }, on: false };
    const text = edited(NPCS, [['npcs', 'two'], skin]);
    const added = `    skin:\n      identifier: "x y"\n      list:\n      - "p"\n      - "q"\n    "on": false\n`;
    expect(text).toBe(NPCS.replace('    equipment: {}\n', `    equipment: {}\n${added}`));
  });

  test('where a section is empty, and after a text of several lines', () => {
    const text = edited(NPCS, [['npcs', 'four'], { skin: { variant: 'AUTO' }, mirror: 'no' }]);
    expect(text).toBe(
      `${NPCS.replace('    skin: {}\n    text', '    skin:\n      variant: AUTO\n    text')}    mirror: "no"\n`,
    );
  });

  test('with the line endings of the document, even after a byte order mark', () => {
    const windows = `\uFEFF${NPCS.replaceAll('\n', '\r\n')}`;
    const text = edited(windows, [['npcs', 'one'], { glow: 'red', skin: { variant: 'AUTO' } }]);
    expect(text).toBe(windows.replace('SLIM', 'AUTO').replace('AUTO\r\n', 'AUTO\r\n    glow: red\r\n'));
  });

  test('under one new key for several edits, in a document without this key', () => {
    const sets = [
      [['players'], { 'Sir "A"': ['v', 's'] }],
      [['players'], { 騎士: ['w', 't'] }],
    ] as [string[], Record<string, string[]>][];
    const added = 'players:\n  "Sir \\"A\\"":\n  - "v"\n  - "s"\n  "騎士":\n  - "w"\n  - "t"\n';
    for (const before of ['', '# nothing yet\n', 'mineskin:\n  a:\n  - b\n'])
      expect(edited(before, ...sets)).toBe(before + added);
    expect(edited(added, [['players'], { 騎士: ['n', 't'] }])).toBe(added.replace('"w"', '"n"'));
    expect(edited(`${added.trimEnd()}`, [['players'], { x: ['1', '2'] }])).toBe(
      `${added}  "x":\n  - "1"\n  - "2"\n`,
    );
  });

  test('and nothing is written if they are already set', () => {
    expect(edited(NPCS, [['npcs', 'one'], { skin: { identifier: 'old' } }])).toBe(NPCS);
    expect(edited('# empty')).toBe('# empty');
  });
});

describe('A place is refused', () => {
  test.each([
    ['in braces', ['npcs', 'three'], { name: 'x' }, /npcs\.yml has keys in braces in line 16/],
    ['with an anchor', ['npcs', 'two'], { name: 'x' }, /has an anchor or alias in line 11/],
    ['with an alias', ['npcs', 'four'], { name: 'x' }, /has an anchor or alias|has an alias/],
    ['of several lines', ['npcs', 'four'], { text: 'x' }, /a text of several lines/],
    ['that is no text', ['npcs', 'two'], { lore: 'x' }, /something unexpected|no text/],
    ['below a text', ['npcs', 'one', 'name'], { x: 'y' }, /something other than keys/],
  ] as const)('%s, and other places are still set', (_kind, path, values, message) => {
    const edits = new YamlEdits(NPCS, 'npcs.yml');
    expect(() => edits.set(path, values)).toThrow(message);
    edits.set(['npcs', 'one'], { skin: { variant: 'AUTO' } });
    expect(edits.result()).toBe(NPCS.replace('SLIM', 'AUTO'));
  });

  test.each([
    ['tabs', 'npcs:\n\tone: a\n', /is not valid YAML/],
    ['a fault', 'npcs: [\n', /is not valid YAML/],
    ['a key twice', 'npcs:\n  one: a\n  one: b\n', /has one twice, in line 3/],
    ['merged keys', 'a: &a {b: c}\nnpcs:\n  <<: *a\n  one: d\n', /anchor or alias/],
    ['a tag', 'npcs:\n  one: !!str a\n', /tag/],
    ['a key after a dash', '- npcs:\n', /something other than keys/],
  ])('in a document with %s', (_kind, text, message) => {
    expect(() => edited(text, [['npcs'], { one: 'new' }])).toThrow(message);
  });
});
