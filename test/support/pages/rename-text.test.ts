// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources are what is tested here
import { expect, test } from 'vitest';
import { sampled } from '../setup/extent.ts';
import { renamedInCatalogue, renamedInSource, renameText } from './rename-text.ts';
import { sayingsOf } from './texts.ts';

const PLACE = { part: 'pages', file: 'a.ts' } as const;

/** Gives all texts of a source the same new one. */
function renamed(source: string, to: string): string {
  return renamedInSource(source, sayingsOf(source, PLACE), to);
}

test('A text is replaced in its place, and keeps its values', () => {
  expect(renamed('const a = 1;\nuse(say`Signed by ${name.of(a)}, 2 of 3`);', 'By {0}')).toBe(
    'const a = 1;\nuse(say`By ${name.of(a)}`);',
  );
  expect(renamed('say`é 😀`; say`One\n  two`;', 'Three')).toBe('say`Three`; say`Three`;');
  expect(renamed("say('Saved {0}', 1);", "It's saved: {0}")).toBe('say("It\'s saved: {0}", 1);');
  expect(renamed('say`${n} a`', 'A `b` for ${0}, \\n')).toBe('say`A \\`b\\` for \\$${n}, \\\\n`');
});

test('A rename of a counted text replaces only the form that catalogues name', () => {
  const source = 'counted(n, { one: say`one job`, other: say`${count(n)} jobs` })';
  expect(renamed(source, '{0} tasks')).toBe(
    'counted(n, { one: say`one job`, other: say`${count(n)} tasks` })',
  );
});

test('A catalogue keeps its translation and its order', () => {
  const catalogue = { pages: { A: 'a', B: { one: 'b', other: 'bs' }, C: 'c' }, scripts: { B: 'b2' } };
  const after = renamedInCatalogue(catalogue, { from: 'B', to: 'Z' });
  expect(after).toEqual({
    pages: { A: 'a', C: 'c', Z: { one: 'b', other: 'bs' } },
    scripts: { Z: 'b2' },
  });
  expect(Object.keys(after.pages)).toEqual(['A', 'C', 'Z']);
});

const REFUSED = [
  ['No page says this.', 'Something', /^No page says: No page says this\.$/],
  ['No such skin.', 'No such job.', /^Another text of the pages is: No such job\.$/],
  ['No such skin.', 'No skin {0}.', /same values in the same order: none/],
] as const;

test.each(sampled(REFUSED, 3, 1))('%s is not renamed to %s', (from, to, message) => {
  expect(() => renameText({ from, to })).toThrow(message);
});
