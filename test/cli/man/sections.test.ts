import { expect, test } from 'vitest';
import { headingOf } from '../../../src/cli/man/sections.ts';

test.each([
  ['Output formats (--format)', 'OUTPUT FORMATS (--format)'],
  ['skins.lock', 'skins.lock'],
  ['.skinsmithignore', '.skinsmithignore'],
  ['Exit status', 'EXIT STATUS'],
])('A heading leaves names as they are written: %s', (title, heading) => {
  expect(headingOf(title)).toBe(heading);
});
