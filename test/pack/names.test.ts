import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { idsOf, legalName, namespaceProblem } from '../../src/pack/names.ts';
import { anyCharacter } from '../support/fuzz/any-character.ts';
import { sampled } from '../support/setup/extent.ts';

const GOLDEN: Record<string, string> = JSON.parse(
  readFileSync(new URL('golden-names.json', import.meta.url), 'utf8'),
);

test('Names in all scripts keep their published ids, because commands in worlds use them', () => {
  expect(Object.keys(GOLDEN).length).toBeGreaterThan(200);
  expect(Object.fromEntries(Object.keys(GOLDEN).map((name) => [name, legalName(name)]))).toEqual(GOLDEN);
});

test('A name has the same id however a system stores its accents', () => {
  for (const name of Object.keys(GOLDEN))
    expect([name, legalName(name.normalize('NFD'))]).toEqual([name, legalName(name.normalize('NFC'))]);
});

test.each(sampled(['.', '_', '/', 'é_', '-'], 3, 1))(
  'A long name is read in one pass: %s again and again',
  (part) => {
    const name = `a${part.repeat(500_000)}b你`;
    expect(legalName(name).length).toBeLessThan(250);
  },
);

test.each([
  ['', 'n-e3b0c4'],
  ['/', 'n-8a5eda'],
  ['x'.repeat(300), `${'x'.repeat(36)}-0d4e2c-${'x'.repeat(36)}`],
])('The name %j is %j in a pack', (stem, name) => {
  expect(legalName(stem)).toBe(name);
});

test('Whatever a source is called, its name in a pack is a legal path that is not too long', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 99 }), (stem) => {
      const name = legalName(stem);
      expect(name).toMatch(/^[a-z0-9_-][a-z0-9_.-]*(?:\/[a-z0-9_-][a-z0-9_.-]*)*$/);
      expect(name.length).toBeLessThanOrEqual(80);
      expect(name).not.toMatch(/(?:^|\/)\.|\.(?:\/|$)|(?:^|\/)(?:con|nul|aux|prn)(?:\.|\/|$)/);
      expect(legalName(name)).toBe(name);
    }),
    { numRuns: 50 },
  );
});

describe('Of sources with equal names', () => {
  const guards = [
    { stem: 'Guard', key: 'skins/Guard.png' },
    { stem: 'guard', key: 'a/guard.png' },
    { stem: 'guard', key: 'b/guard.png' },
    { stem: 'smith', key: 'skins/smith.png' },
  ];
  const firstIds = ['guard-c8d3fc', 'guard-783711', 'guard-bdd327', 'smith'];

  test('all get digits of their own path the first time, whatever their order', () => {
    expect(idsOf(guards)).toEqual(firstIds);
    expect(idsOf(guards.toReversed())).toEqual(firstIds.toReversed());
  });

  test('old ones keep their ids, and only new ones get digits', () => {
    const [first, ...others] = guards;
    expect(idsOf([...others, { ...first!, id: 'guard' }])).toEqual([...firstIds.slice(1), 'guard']);
    expect(idsOf([first!])).toEqual(['guard']);
    expect(idsOf([first!], ['guard'])).toEqual([firstIds[0]]);
    expect(idsOf([first!], ['guard', firstIds[0]!])).toEqual(['guard-7e77e3']);
  });

  test('no two have the same id, even if there are thousands', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => ({
      stem: 'skin',
      key: `https://a.test/${at}/skin.png`,
    }));
    const ids = idsOf(many);
    expect(new Set(ids).size).toBe(many.length);
    expect(
      ids.filter((id) => !/^skin-[0-9a-f]{6}$/.test(id)).every((id) => /^skin-[0-9a-f]{12}$/.test(id)),
    ).toBe(true);
    expect(idsOf(many.toReversed()).toReversed()).toEqual(ids);
  });

  test('an id with digits is not too long', () => {
    const stem = 'x'.repeat(80);
    const ids = idsOf([
      { stem, key: 'a' },
      { stem, key: 'b' },
    ]);
    expect(ids.map((id) => [id.length, legalName(id) === id])).toEqual([
      [80, true],
      [80, true],
    ]);
  });

  test('two with one key are refused', () => {
    expect(() => idsOf([guards[0]!, guards[0]!])).toThrow('Two sources have the same key.');
  });
});

test.each([
  ['npc', undefined],
  ['my-server_2.0', undefined],
  ['Npc', /only the characters/],
  ['', /only the characters/],
  ['a/b', /only the characters/],
  ['..', /only the characters/],
  ['minecraft', /Minecraft's own/],
  ['con', /Windows/],
  ['x'.repeat(33), /at most 32/],
])('The namespace %j is judged', (text, problem) => {
  const found = namespaceProblem(text);
  if (problem) expect(found).toMatch(problem);
  else expect(found).toBeUndefined();
});
