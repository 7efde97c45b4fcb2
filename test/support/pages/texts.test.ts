import { expect, test } from 'vitest';
import { describeUntranslated, sayingsOf, untranslated } from './texts.ts';

test('A text that no catalogue has is reported with its languages and its file', () => {
  const [saying] = sayingsOf('say`A text that no page will ever have`', { part: 'pages', file: 'a.ts' });
  const report = describeUntranslated(untranslated([saying!]));
  expect(report).toBe(
    'Not translated yet, so readers see English:\n' +
      '  de, es, fr, ja, pl, pt-BR, ru, zh-Hans: "A text that no page will ever have" (a.ts)\n',
  );
});

test('A translated text is not reported', () => {
  const sayings = sayingsOf('say`No such skin.`', { part: 'pages', file: 'a.ts' });
  expect(sayings).toHaveLength(1);
  expect(describeUntranslated(untranslated(sayings))).toBe('');
});

test('The same words count as another text in scripts', () => {
  const sayings = sayingsOf("say('No such skin.')", { part: 'scripts', file: 'a.ts' });
  expect([...untranslated(sayings).values()].flat()).toContain('de');
});
