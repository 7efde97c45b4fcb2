import { expect, test } from 'vitest';
import { profileId } from '../../../src/textures/property.ts';

test('The profile id is the same for the same value, and differs for another value', () => {
  expect(profileId('dmFsdWU=')).toEqual({
    uuid: '854ffff4-811d-8d47-a7b4-09f7ca606a75',
    parts: [-2058354700, -2128769721, -1481373193, -899650955],
  });
  expect(profileId('eyJ0ZXh0dXJlcyI6e319')).toEqual({
    uuid: '2eb3d4a5-de8a-85a4-ae36-c6553028aa01',
    parts: [783537317, -561347164, -1372141995, 807971329],
  });
});
