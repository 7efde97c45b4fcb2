import { describe, expect, test } from 'vitest';
import { defaultNameOf, drawDefaultSkin } from '../../../../src/server/pictures/player-looks.ts';
import { decodePng } from '../../../../src/skin/png/decode.ts';
import { pixelHash } from '../../../../src/skin/read-skin.ts';
import { detectVariant } from '../../../../src/skin/variant.ts';

/** As Java's UUID.hashCode() has it, whose lowest bit decides in the game. */
function hashCodeBit(id: string): bigint {
  const [high, low] = [BigInt(`0x${id.slice(0, 16)}`), BigInt(`0x${id.slice(16)}`)];
  const both = high ^ low;
  return ((both >> 32n) ^ both) & 1n;
}

describe('the default skin', () => {
  test('is Alex for an odd hash code of the UUID', () => {
    for (let at = 0; at < 64; at++) {
      const id = (BigInt(at + 1) * 0x9e3779b97f4a7c15f39cc0605cedc835n)
        .toString(16)
        .slice(-32)
        .padStart(32, '0');
      expect(defaultNameOf(id)).toBe(hashCodeBit(id) === 1n ? 'alex' : 'steve');
    }
  });

  test.each(['steve', 'alex'] as const)(
    '%s is a skin of its variant, under the hash of its pixels',
    (name) => {
      const { texture, variant } = drawDefaultSkin(name);
      const picture = decodePng(texture.png);
      expect(pixelHash(picture)).toBe(texture.hash);
      expect(detectVariant(picture).variant).toBe(variant);
    },
  );
});
