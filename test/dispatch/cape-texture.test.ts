import { expect, test } from 'vitest';
import { bareUuid, textureName } from '../../src/dispatch/cape-texture.ts';

test('A UUID is the same with dashes and capitals', () => {
  expect(bareUuid('853C80EF-3C37-49FD-AA49-938B674ADAE6')).toBe('853c80ef3c3749fdaa49938b674adae6');
});

test('A texture is named by the last part of its address, on any host', () => {
  expect(textureName('http://textures.minecraft.net/texture/ab12')).toBe('ab12');
  expect(textureName('no address')).toBeUndefined();
});
