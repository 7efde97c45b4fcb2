import { expect, test } from 'vitest';
import { faultOf } from '../../../src/pages/browser/picture-check.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';

/** The start of a PNG of this size. */
function pngOf(width: number, height: number, length = 100): Uint8Array {
  const bytes = Buffer.alloc(length);
  skinPng(1).copy(bytes, 0, 0, 16);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

test('A skin of either format passes the check of pictures', () => {
  for (const bytes of [skinPng(1), pngOf(64, 64), pngOf(64, 32), pngOf(64, 64, 20_000)]) {
    expect(faultOf(bytes)).toBeUndefined();
  }
});

test.each([
  ['nothing', new Uint8Array(), { kind: 'not-png' }],
  ['a GIF', Buffer.from('GIF89a and more than twenty-four bytes'), { kind: 'not-png' }],
  ['a cut PNG', skinPng(1).subarray(0, 20), { kind: 'not-png' }],
  ['an HD skin', pngOf(128, 128), { kind: 'hd', width: 128, height: 128 }],
  ['a photograph', pngOf(4_000, 3_000), { kind: 'other-size', width: 4_000, height: 3_000 }],
  ['a large file', pngOf(64, 64, 20_001), { kind: 'large', bytes: 20_001 }],
])('%s is reported before it is sent', (_what, bytes, fault) => {
  expect(faultOf(bytes)).toEqual(fault);
});
