import { describe, expect, test } from 'vitest';
import { skinNameFrom } from '../../src/protocol/skin-name.ts';

describe('skinNameFrom', () => {
  const names: [stem: string, name: string | undefined][] = [
    ['My Skin', 'My Skin'],
    ['a.b-c_d', 'a.b-c_d'],
    ['Zoë', 'Zoe'],
    ['Ünïcödé', 'Unicode'],
    ['a/b:c*d', 'a_b_c_d'],
    ['ﬁle', 'file'],
    [' padded ', 'padded'],
    ['x'.repeat(60), 'x'.repeat(48)],
    [`${'x'.repeat(47)} y`, 'x'.repeat(47)],
    ['a\nb', 'a_b'],
    ['___', undefined],
    ['皮肤', undefined],
    ['', undefined],
  ];
  test.each(names)('makes, of %j, %j', (stem, name) => {
    expect(skinNameFrom(stem)).toBe(name);
  });
});
