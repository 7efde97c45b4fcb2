import { expect, test } from 'vitest';
import { receivedSkinSchema } from '../../../src/protocol/skin.ts';

const URL = 'http://textures.minecraft.net/texture/aa11';
const value = (textures: object) => Buffer.from(JSON.stringify({ textures })).toString('base64');
const bare = (textures: object) => ({
  uuid: 'ab',
  texture: { data: { value: value(textures), signature: 's' } },
});

test('If a skin has only value and signature, the rest is read from the value', () => {
  const textures = {
    SKIN: { url: URL, metadata: { model: 'slim' } },
    CAPE: { url: 'http://a.example/bb22' },
  };
  const skin = bare(textures);
  expect(receivedSkinSchema.parse(skin)).toEqual({
    uuid: 'ab',
    visibility: 'public',
    variant: 'slim',
    texture: {
      data: skin.texture.data,
      hash: { skin: 'aa11', cape: 'bb22' },
      url: { skin: URL, cape: 'http://a.example/bb22' },
    },
    views: 0,
    duplicate: false,
  });
});

test('Nulls and other types around value and signature count as absent', () => {
  const skin = {
    ...bare({ SKIN: { url: URL } }),
    name: null,
    variant: 4,
    visibility: null,
    tags: 'x',
    views: null,
    generator: null,
  };
  expect(receivedSkinSchema.parse(skin)).toMatchObject({
    variant: 'classic',
    visibility: 'public',
    views: 0,
  });
});

test('An invalid value is accepted here, because the later check detects it', () => {
  const skin = { uuid: 'ab', texture: { data: { value: '?', signature: 's' } } };
  expect(receivedSkinSchema.parse(skin).texture.url.skin).toBe('');
});

test('UUID, value and signature are essential', () => {
  for (const broken of [{}, { uuid: 'ab' }, { uuid: 'ab', texture: { data: { value: 'v' } } }])
    expect(receivedSkinSchema.safeParse(broken).success).toBe(false);
});
