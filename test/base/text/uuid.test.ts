import { expect, test } from 'vitest';
import { bareUuid, isUuid } from '../../../src/base/text.ts';

const UUID = '853c80ef3c3749fdaa49938b674adae6';
const DASHED = '853C80EF-3C37-49FD-AA49-938B674ADAE6';

test('A UUID is the same with dashes and capitals', () => {
  expect(bareUuid(DASHED)).toBe(UUID);
});

test.each([UUID, UUID.toUpperCase(), DASHED])('%s is a UUID', (text) => {
  expect(isUuid(text)).toBe(true);
});

test.each(['', UUID.slice(1), `${UUID}0`, DASHED.replace('-', ''), UUID.replace('8', 'g'), ` ${UUID}`])(
  '%j is not a UUID',
  (text) => {
    expect(isUuid(text)).toBe(false);
  },
);
