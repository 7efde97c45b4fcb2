import { expect, test } from 'vitest';
import { capeIn, verifyUuids } from '../../../src/cli/nouns.ts';

const BASE_URL = 'https://skins.example.org';

/** What a user who typed that address is told. */
function hintOf(step: (context: Parameters<typeof verifyUuids>[1]) => unknown): unknown {
  try {
    return step({ flags: { baseUrl: BASE_URL }, env: {} });
  } catch (error) {
    return (error as { hint?: unknown }).hint;
  }
}

test('An error about a UUID or cape names the command that finds the right one at the typed service', () => {
  expect(hintOf((context) => verifyUuids(['none'], context))).toBe(
    `List yours: skinsmith skins list --base-url ${BASE_URL}`,
  );
  expect(hintOf((context) => capeIn([], 'none', context))).toBe(
    `List the capes: skinsmith capes list --base-url ${BASE_URL}`,
  );
});
