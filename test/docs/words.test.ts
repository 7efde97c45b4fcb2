/** Words that users read: Mojang signs, Minecraft is the program, and "the game" is neither. CONTRIBUTING.md has the list. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findSayings, sentencesIn } from '../support/pages/texts.ts';
import { isWhole } from '../support/setup/whole-run.ts';

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
  [/\b(?:every|some|any)body\b/i, 'everyone, someone, anyone'],
  [/\bvanilla\b/i, 'unmodified'],
  [/\bas an operator\b/i, 'you must be op (the rank in Minecraft)'],
  // A value of JSON fields keeps this word: it stands after "or" or a comma.
  [/(?<!(?:\bor|,) )\bunproved\b/i, 'unknown signer (no known key)'],
  [/\bunproven\b/i, 'unverified (the content could not be confirmed)'],
];
/** Where people read of what they give, or what Minecraft loads. CONTRIBUTING.md has the word in its list of words. */
const IMAGE: (typeof AVOIDED)[number] = [
  /(?<![-.])\bimages?\b(?!-)/i,
  'picture (what you give), texture (what Minecraft loads)',
];

/** Without what is typed and where links lead: those are names. */
function readable(line: string): string {
  return line.replaceAll(/`[^`]*`|\]\([^)]*\)|<!--.*?-->|\S*\/\S*/g, '');
}

function avoidedIn(text: string, avoided: typeof AVOIDED): string[] {
  return avoided.flatMap(([word, instead]) =>
    word.test(text) ? [`${text.trim().slice(0, 200)} → ${instead}`] : [],
  );
}

test.each(TEXTS)('%s avoids words that mean two things', (path) => {
  const prose = readFileSync(join(ROOT, path), 'utf8').replaceAll(/^ *```.*?^ *```/gms, '');
  const avoided = path === 'CONTRIBUTING.md' ? AVOIDED : [...AVOIDED, IMAGE];
  expect(prose.split('\n').flatMap((line) => avoidedIn(readable(line), avoided))).toEqual([]);
});

/** Errors, hints, help and descriptions of the API, but neither markup nor paths. */
const SOURCES = globSync('src/**/*.ts', { cwd: ROOT }).filter((path) => !path.startsWith('src/pages/'));

test('The texts of the program avoid words that mean two things', () => {
  const avoided = [...AVOIDED, IMAGE];
  const sources = SOURCES.map((path) => readFileSync(join(ROOT, path), 'utf8'));
  // What no source has, no text of it has. A word that is torn apart by a value is seen by the whole run.
  const suspicious = sources.filter((source) => isWhole || avoided.some(([word]) => word.test(source)));
  const texts = suspicious.flatMap(sentencesIn);
  expect(texts.length).toBeGreaterThan(isWhole ? 2_000 : 100);
  const found = texts.map((text) => text.replaceAll(/<[^>]*>|\S*\/\S*/g, ''));
  expect(found.flatMap((text) => avoidedIn(text, avoided))).toEqual([]);
});

/** Pages have one word for what people give, and none for the program but its name. */
const AVOIDED_ON_PAGES = [...AVOIDED.map(([word]) => word), IMAGE[0], /\bwhose game\b|\ba game trust/i];

test('The texts of pages avoid words that mean two things', () => {
  const texts = findSayings().map(({ english }) => english);
  expect(texts.length).toBeGreaterThan(500);
  expect(texts.filter((text) => AVOIDED_ON_PAGES.some((word) => word.test(text)))).toEqual([]);
});
