import fc from 'fast-check';
import { expect, test } from 'vitest';
import { legalName, namespaceProblem, PackNames } from '../../src/pack/names.ts';
import { anyCharacter } from '../support/fuzz/any-character.ts';

test.each([
  ['Town Guard', 'town_guard'],
  ['guards/Zoë', 'guards/zoe'],
  ['jeb_', 'jeb_'],
  ['A+B (2)', 'a_b_2_'],
  ['.hidden', 'hidden'],
  ['v1.2.', 'v1.2'],
  ['../../etc/passwd', 'etc/passwd'],
  ['a//b/./c', 'a/b/c'],
  ['C:\\skins\\x', 'c_skins_x'],
  ['con', '_con'],
  ['LPT1.old', '_lpt1.old'],
  ['騎士', 'skin'],
  ['', 'skin'],
  ['/', 'skin'],
  ['ＦＵＬＬ', 'full'],
  ['x'.repeat(300), 'x'.repeat(48)],
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

test('Of sources whose names are equal in the pack, all but the first get a number', () => {
  const names = new PackNames();
  const taken = ['Guard', 'guard', 'GUARD!', 'guard-2', 'guard_'].map((stem) => names.take(stem));
  expect(taken).toEqual([
    { name: 'guard', isOthers: false },
    { name: 'guard-2', isOthers: true },
    { name: 'guard_', isOthers: false },
    { name: 'guard-2-2', isOthers: true },
    { name: 'guard_-2', isOthers: true },
  ]);
});

test.each([
  ['npc', undefined],
  ['my-server_2.0', undefined],
  ['Npc', /only the characters/],
  ['', /only the characters/],
  ['a/b', /only the characters/],
  ['..', /only the characters/],
  ['minecraft', /the game's own/],
  ['con', /Windows/],
  ['x'.repeat(33), /at most 32/],
])('The namespace %j is judged', (text, problem) => {
  const found = namespaceProblem(text);
  if (problem) expect(found).toMatch(problem);
  else expect(found).toBeUndefined();
});
