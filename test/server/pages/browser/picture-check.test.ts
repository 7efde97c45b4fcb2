import { expect, test } from 'vitest';
import { problemOf } from '../../../../src/server/pages/browser/picture-check.ts';
import { skinPng } from '../../../support/server/drawn-skins.ts';

/** The start of a PNG of this size. */
function pngOf(width: number, height: number, length = 100): Uint8Array {
  const bytes = Buffer.alloc(length);
  skinPng(1).copy(bytes, 0, 0, 16);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

test('A skin has no problem, of either format', () => {
  for (const bytes of [skinPng(1), pngOf(64, 64), pngOf(64, 32), pngOf(64, 64, 20_000)]) {
    expect(problemOf(bytes)).toBeUndefined();
  }
});

test.each([
  ['nothing', new Uint8Array(), 'not a PNG'],
  ['a GIF', Buffer.from('GIF89a and more than twenty-four bytes'), 'not a PNG'],
  ['a cut PNG', skinPng(1).subarray(0, 20), 'not a PNG'],
  ['an HD skin', pngOf(128, 128), '128×128 pixels'],
  ['a photograph', pngOf(4_000, 3_000), '4000×3000 pixels'],
  ['a large file', pngOf(64, 64, 20_001), '20,001 bytes'],
])('%s is reported before it is sent', (_what, bytes, told) => {
  expect(problemOf(bytes)?.message).toContain(told);
});
