import { expect, test } from 'vitest';
import { exitAfterFailures } from '../../../../src/cli/batch/summary.ts';

test.each([
  [['game_unreachable'], 'tryLater'],
  [['game_unreachable', 'unreachable'], 'tryLater'],
  [['insufficient_grants'], 'notAllowed'],
  [['invalid_image'], 'failed'],
  [['game_unreachable', 'invalid_image'], 'failed'],
  [['game_unreachable', 'insufficient_grants'], 'failed'],
  [['constructor'], 'failed'],
  [[], 'failed'],
])('After failures with the codes %j the command has %s', (codes, exit) => {
  expect(exitAfterFailures(new Set(codes))).toBe(exit);
});
