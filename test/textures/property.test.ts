import { describe, expect, test } from 'vitest';
import {
  buildTexturesValue,
  InvalidTexturesError,
  parseTexturesValue,
  type Textures,
} from '../../src/textures/property.ts';
import published from '../fixtures/textures/published.json' with { type: 'json' };

const SKIN_URL = 'http://textures.minecraft.net/texture/aa11';
const CAPE_URL = 'https://textures.minecraft.net/texture/cc33';

function makeTextures(overrides: Partial<Textures> = {}): Textures {
  return {
    timestamp: 1_700_000_000_123,
    profileId: '0123456789abcdef0123456789abcdef',
    profileName: 'Someone',
    skin: { url: SKIN_URL, variant: 'classic' },
    ...overrides,
  };
}

function decode(value: string): { textures: Record<string, unknown> } & Record<string, unknown> {
  return JSON.parse(Buffer.from(value, 'base64').toString('utf8'));
}

/** A value of any content, as a stranger might send it. */
function encode(document: unknown): string {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return Buffer.from(text).toString('base64');
}

/** The document of a good value, with some of its parts replaced. */
function documentWith(parts: Record<string, unknown>): string {
  return encode({ ...decode(buildTexturesValue(makeTextures())), ...parts });
}

function skinWith(skin: unknown): string {
  return documentWith({ textures: { SKIN: skin } });
}

describe('buildTexturesValue', () => {
  const roundTrips: [what: string, textures: Textures][] = [
    ['a classic skin', makeTextures()],
    ['a slim skin', makeTextures({ skin: { url: SKIN_URL, variant: 'slim' } })],
    ['a skin and a cape', makeTextures({ cape: { url: CAPE_URL } })],
    ['a name outside ASCII', makeTextures({ profileName: 'Zoë 🙂' })],
    ['a profile without a skin', { timestamp: 1, profileId: 'f'.repeat(32), profileName: 'Nobody' }],
  ];

  test.each(roundTrips)('writes %s so that it reads the same again', (_, textures) => {
    expect(parseTexturesValue(buildTexturesValue(textures))).toEqual(textures);
  });

  test('writes the document that game servers read, and asks for its signature', () => {
    expect(decode(buildTexturesValue(makeTextures({ cape: { url: CAPE_URL } })))).toEqual({
      timestamp: 1_700_000_000_123,
      profileId: '0123456789abcdef0123456789abcdef',
      profileName: 'Someone',
      signatureRequired: true,
      textures: { SKIN: { url: SKIN_URL }, CAPE: { url: CAPE_URL } },
    });
  });

  test('writes metadata for a slim skin', () => {
    const value = buildTexturesValue(makeTextures({ skin: { url: SKIN_URL, variant: 'slim' } }));
    expect(decode(value).textures).toEqual({ SKIN: { url: SKIN_URL, metadata: { model: 'slim' } } });
  });

  test('writes no metadata for a classic skin, because some readers take any for slim', () => {
    expect(decode(buildTexturesValue(makeTextures())).textures['SKIN']).not.toHaveProperty('metadata');
  });

  test('writes padded base64 on one line', () => {
    for (const profileName of ['a', 'ab', 'abc']) {
      const value = buildTexturesValue(makeTextures({ profileName }));
      expect(value).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
      expect(value.length % 4).toBe(0);
    }
  });
});

describe('parseTexturesValue', () => {
  const refused: [what: string, value: string, message: RegExp][] = [
    ['an empty text', '', /not base64/],
    ['a text that is not base64', 'not base64!!', /not base64/],
    ['base64 that was cut', buildTexturesValue(makeTextures()).slice(0, -1), /not base64/],
    ['base64 with a line break', `${buildTexturesValue(makeTextures()).slice(0, -4)}\nabc`, /not base64/],
    ['the URL alphabet of base64', encode('{"a":"???>>>"}').replace(/[+/]/g, '_'), /not base64/],
    ['base64 of no JSON', encode('hello there'), /does not contain JSON/],
    ['base64 of JSON that was cut', encode('{"timestamp": 1'), /does not contain JSON/],
    ['a list', encode([1, 2]), /value is not an object/],
    ['null', encode('null'), /value is not an object/],
    ['no timestamp', documentWith({ timestamp: undefined }), /timestamp is not a number/],
    [
      'the value of a head',
      encode({ textures: { SKIN: { url: SKIN_URL } } }),
      /no profile: it is meant for a head/,
    ],
    ['a profile alone, without textures', encode({ profileId: 'x' }), /timestamp is not a number/],
    ['a timestamp in words', documentWith({ timestamp: 'now' }), /timestamp is not a number/],
    ['no profileId', documentWith({ profileId: undefined }), /profileId is not a string/],
    ['a profileId that is a number', documentWith({ profileId: 7 }), /profileId is not a string/],
    ['no profileName', documentWith({ profileName: undefined }), /profileName is not a string/],
    ['no textures', documentWith({ textures: undefined }), /textures is not an object/],
    ['textures that are a list', documentWith({ textures: [] }), /textures is not an object/],
    ['a skin that is only a URL', skinWith(SKIN_URL), /textures\.SKIN is not an object/],
    ['a skin that is null', skinWith(null), /textures\.SKIN is not an object/],
    ['a skin without a URL', skinWith({}), /textures\.SKIN\.url is not a string/],
    ['a URL that is a number', skinWith({ url: 1 }), /textures\.SKIN\.url is not a string/],
    ['an empty URL', skinWith({ url: '' }), /not an http URL/],
    ['a relative URL', skinWith({ url: '/texture/aa11' }), /not an http URL/],
    ['a URL without a host', skinWith({ url: 'http://' }), /not an http URL/],
    ['a javascript: URL', skinWith({ url: 'javascript:alert(1)' }), /not an http URL/],
    ['a file: URL', skinWith({ url: 'file:///etc/passwd' }), /not an http URL/],
    ['an ftp: URL', skinWith({ url: 'ftp://a.example/b' }), /not an http URL/],
    ['a URL that only holds http in it', skinWith({ url: 'xhttp://a.example/' }), /not an http URL/],
    ['metadata that is a word', skinWith({ url: SKIN_URL, metadata: 'slim' }), /metadata is not an object/],
    ['a cape without a URL', documentWith({ textures: { CAPE: {} } }), /textures\.CAPE\.url is not a string/],
    ['more characters than any value has', 'A'.repeat(32_772), /32772 characters long/],
  ];

  test.each(refused)('refuses %s and says what is wrong', (_, value, message) => {
    const parse = () => parseTexturesValue(value);
    expect(parse).toThrow(InvalidTexturesError);
    expect(parse).toThrow(message);
    expect(parse).toThrow(expect.objectContaining({ code: 'invalid_skin_data' }));
  });

  const models: [what: string, metadata: unknown, variant: string][] = [
    ['no metadata', undefined, 'classic'],
    ['metadata without a model', {}, 'classic'],
    ['the model slim', { model: 'slim' }, 'slim'],
    ['the model SLIM', { model: 'SLIM' }, 'slim'],
    ['the model classic', { model: 'classic' }, 'classic'],
    ['a model that is a number', { model: 1 }, 'classic'],
  ];

  test.each(models)('treats a skin with %s as Minecraft does', (_, metadata, variant) => {
    expect(parseTexturesValue(skinWith({ url: SKIN_URL, metadata })).skin).toEqual({
      url: SKIN_URL,
      variant,
    });
  });

  test('reads a value just under the longest', () => {
    const room = 32_768 - buildTexturesValue(makeTextures({ profileName: '' })).length;
    const long = makeTextures({ profileName: 'x'.repeat(Math.floor((room * 3) / 4) - 3) });
    expect(buildTexturesValue(long).length).toBeGreaterThan(32_700);
    expect(parseTexturesValue(buildTexturesValue(long))).toEqual(long);
  });

  test('reads a value that Mojang published', () => {
    expect(parseTexturesValue(published.value)).toEqual({
      timestamp: 1_607_464_994_061,
      profileId: 'a2f834595c894a27add3049716ca910c',
      profileName: 'bPunch',
      skin: {
        url: expect.stringMatching(/^http:\/\/textures\.minecraft\.net\/texture\/[0-9a-f]+$/),
        variant: 'classic',
      },
    });
  });
});
