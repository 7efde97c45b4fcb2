import { expect, test } from 'vitest';
import { textureName } from '../../../src/textures/property.ts';

test('A texture is named by the last part of its URL, on any host', () => {
  expect(textureName('http://textures.minecraft.net/texture/ab12')).toBe('ab12');
  expect(textureName('no URL')).toBeUndefined();
});
