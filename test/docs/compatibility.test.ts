import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDocument } from '../../docs/internals/compatibility/document.ts';
import {
  DIFFERENCES,
  HOSTED_CODES,
  UNPROVOKED_CODES,
  UNSEEN_STATEMENTS,
  WIDER_DIFFERENCES,
} from '../../docs/internals/compatibility/hosted.ts';
import { CHECKS } from '../../src/conformance/run.ts';
import { ERRORS } from '../../src/protocol/errors.ts';

const ROOT = join(import.meta.dirname, '../..');

test('docs/internals/compatibility.md is as `npm run compatibility` makes it', async () => {
  const text = await readFile(join(ROOT, 'docs/internals/compatibility.md'), 'utf8');
  expect(text).toBe(await writeDocument());
});

test.each(Object.entries({ ...WIDER_DIFFERENCES, ...DIFFERENCES }))(
  'The difference of %s is shown by a test',
  async (_, { shown }) => {
    const [file, title] = shown;
    const text = await readFile(join(ROOT, file), 'utf8');
    expect([`${title}'`, `${title}"`].some((quoted) => text.includes(quoted))).toBe(true);
  },
);

const ALL_CHECKS = Object.values(CHECKS).flat();

test('Each statement of the specification is judged by a check or listed as unobservable', async () => {
  const text = await readFile(join(ROOT, 'docs/internals/specification.md'), 'utf8');
  const statements = [...text.matchAll(/^\| (\d\.\w+) \|/gm)].map(([, number]) => number);
  expect(statements.length).toBeGreaterThan(50);
  const judged = new Set(ALL_CHECKS.flatMap(({ statements: numbers = [] }) => numbers));
  expect([...judged, ...Object.keys(UNSEEN_STATEMENTS)].toSorted()).toEqual(statements.toSorted());
});

test('Each error code of both services is provoked by a check or listed as impossible for careful clients', () => {
  const shared = HOSTED_CODES.filter((code) => Object.hasOwn(ERRORS, code));
  const provoked = new Set<string>(ALL_CHECKS.flatMap(({ codes = [] }) => codes));
  expect([...provoked, ...UNPROVOKED_CODES].toSorted()).toEqual(shared.toSorted());
});
