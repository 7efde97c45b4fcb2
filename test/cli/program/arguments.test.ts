import { expect, test } from 'vitest';
import { typeLine } from '../../support/cli/type-line.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

test.each([
  [['reports', 'close', 'foo'], 'foo is not the number of a report.', /reports list$/],
  [['reports', 'close', '1', '1.5'], '1.5 is not the number of a report.', /reports list$/],
  [['moderation', 'unblock', 'foo'], '"foo" is not the hash of a texture.', /moderation blocked$/],
  [
    ['moderation', 'block', 'foo'],
    '"foo" is neither the hash of a texture nor the UUID of a skin.',
    undefined,
  ],
])('%j is a usage error without a request', async (words, message, hint) => {
  const folder = await ownFolder();
  const { status, told } = await typeLine(words, { env: { SKINSMITH_DATA_DIR: folder } });
  expect([status, told]).toEqual([undefined, expect.objectContaining({ exit: 'usage', message })]);
  if (hint) expect(told?.hint).toMatch(hint);
});
