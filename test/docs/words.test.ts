/** Words that users read: Mojang signs, Minecraft is the program, and "the game" is neither. CONTRIBUTING.md has the list. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findSayings } from '../support/pages/texts.ts';

const ROOT = join(import.meta.dirname, '../..');
/** `docs/internals/specification.md` quotes the hosted service. */
const TEXTS = [
  'README.md',
  'CONTRIBUTING.md',
  ...globSync(['docs/*.md', 'docs/internals/*.md', 'test/e2e/help/*.txt'], { cwd: ROOT }).filter(
    (path) => !path.endsWith('specification.md'),
  ),
];

const AVOIDED: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\bthe game\b(?! (?:server|account))/i, 'Mojang (signs, has services), Minecraft (the program)'],
  [/\bis told\b|\bwhat of\b|(?<!terms )\bof use\b|\bfrom which on\b/i, 'who tells, says or uses it'],
];

test.each(TEXTS)('%s has no word that means two things', (path) => {
  const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
  const found = lines.flatMap((line, index) =>
    AVOIDED.flatMap(([word, instead]) =>
      word.test(line) ? [`${index + 1}: ${line.trim()} → ${instead}`] : [],
    ),
  );
  expect(found).toEqual([]);
});

/** Pages have one word for what people give, and none for the program but its name. */
const AVOIDED_ON_PAGES = [...AVOIDED.map(([word]) => word), /\bimages?\b/i, /\bwhose game\b|\ba game trust/i];

test('The texts of pages have none either', () => {
  const texts = findSayings().map(({ english }) => english);
  expect(texts.length).toBeGreaterThan(500);
  expect(texts.filter((text) => AVOIDED_ON_PAGES.some((word) => word.test(text)))).toEqual([]);
});
