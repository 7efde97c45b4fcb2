import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** A line of the document's tables. */
interface Row {
  readonly number: string;
  readonly statement: string;
  readonly files: readonly string[];
  readonly tests: readonly { readonly file: string; readonly title: string }[];
  readonly embedded: string;
}

function readRows(): Row[] {
  const text = readFileSync(join(ROOT, 'docs/internals/specification.md'), 'utf8');
  return text.split('\n').flatMap((line) => {
    const [, number, statement = '', where = '', shown = '', embedded = ''] = line
      .split('|')
      .map((cell) => cell.trim());
    if (!number || !/^\d\.n?\d[a-e]?$/.test(number)) return [];
    const files = [...where.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
    const tests = [...shown.matchAll(/`([^`]+)` “([^”]+)”/g)].map(([, file = '', title = '']) => ({
      file,
      title,
    }));
    return [{ number, statement, files, tests, embedded }];
  });
}

const ROWS = readRows();

/** Whether a test, or a table of tests, is called that: the title begins and ends where its quotes do. */
function hasTest(file: string, title: string): boolean {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${title}${quote}`));
}

test('The specification document covers every section and numbers each statement once', () => {
  expect(new Set(ROWS.map(({ number }) => number[0])).size).toBe(9);
  expect(new Set(ROWS.map(({ number }) => number)).size).toBe(ROWS.length);
  expect(ROWS.length).toBeGreaterThanOrEqual(63);
});

test.each(ROWS)('$number. $statement', ({ files, tests, embedded }) => {
  expect(files.length).toBeGreaterThan(0);
  expect(tests.length).toBeGreaterThan(0);
  for (const file of files) expect(existsSync(join(ROOT, file)), `${file} is there`).toBe(true);
  for (const { file, title } of tests) {
    expect(existsSync(join(ROOT, file)), `${file} is there`).toBe(true);
    expect(hasTest(file, title), `${file} has “${title}”`).toBe(true);
  }
  expect(embedded).toMatch(/\S/);
});
