import { expect, test } from 'vitest';
import { headingOf } from '../../../src/cli/man/sections.ts';

test.each([
  ['Output formats (--format)', 'OUTPUT FORMATS (--format)'],
  ['skins.lock', 'skins.lock'],
  ['.skinsmithignore', '.skinsmithignore'],
  ['Exit status', 'EXIT STATUS'],
])('A heading is in capitals except for the names in it: %s', (title, heading) => {
  expect(headingOf(title)).toBe(heading);
});
