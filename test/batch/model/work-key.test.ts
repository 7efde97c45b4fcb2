import { describe, expect, test } from 'vitest';
import { optionsOf, workKey } from '../../../src/batch/model.ts';

const PIXELS = `${'0123456789abcdef'.repeat(2)}${'f'.repeat(32)}`;
const URL = 'https://skins.example/s.png';
const PLAYER = '61699b2ed3274a019f1e0ea8c3f06bc6';
const asked = { variant: 'auto', visibility: 'public' } as const;

describe('workKey', () => {
  test('is the first half of the pixel hash and a letter for each option', () => {
    expect(workKey({ content: { pixels: PIXELS }, ...asked })).toBe('0123456789abcdef0123456789abcdefap');
  });

  test('is 34 ASCII characters even for links and players', () => {
    expect(workKey({ content: { url: URL }, ...asked })).toMatch(/^[0-9a-f]{32}ap$/);
    expect(workKey({ content: { user: PLAYER }, ...asked })).toMatch(/^[0-9a-f]{32}ap$/);
  });

  test('is the same in all versions, because lockfiles and journals are looked up by it', () => {
    expect(workKey({ content: { url: URL }, ...asked })).toBe('d7d40aec164631b9bc9939e1fc0b230aap');
    expect(workKey({ content: { user: PLAYER }, ...asked })).toBe('9251f3bf2de2cec14f65532bdc0d8947ap');
  });

  test('distinguishes a link from a player of the same name', () => {
    const keys = [{ url: PLAYER }, { user: PLAYER }].map((content) => workKey({ content, ...asked }));
    expect(new Set(keys).size).toBe(2);
  });

  test('differs for each combination of options', () => {
    const keys = (['auto', 'classic', 'slim'] as const).flatMap((variant) =>
      (['public', 'unlisted', 'private'] as const).map((visibility) =>
        workKey({ content: { pixels: PIXELS }, variant, visibility }).slice(32),
      ),
    );
    expect(keys).toEqual(['ap', 'au', 'av', 'cp', 'cu', 'cv', 'sp', 'su', 'sv']);
  });

  test('differs with each cape, for pictures, links and players', () => {
    const capes = [undefined, 'ab'.repeat(16), 'cd'.repeat(16)];
    const contents = [{ pixels: PIXELS }, { url: URL }, { user: PLAYER }];
    const keys = contents.flatMap((content) => capes.map((cape) => workKey({ content, ...asked, cape })));
    expect(new Set(keys).size).toBe(9);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}ap$/);
    expect(optionsOf(keys[1] ?? '')).toEqual(asked);
  });

  test('treats a missing visibility as public', () => {
    expect(workKey({ content: { pixels: PIXELS }, variant: 'slim', visibility: undefined })).toBe(
      workKey({ content: { pixels: PIXELS }, variant: 'slim', visibility: 'public' }),
    );
  });
});

describe('optionsOf', () => {
  test.each(['auto', 'classic', 'slim'] as const)('reads back the requested options: %s', (variant) => {
    for (const visibility of ['public', 'unlisted', 'private'] as const) {
      const key = workKey({ content: { pixels: PIXELS }, variant, visibility });
      expect(optionsOf(key)).toEqual({ variant, visibility });
    }
  });

  test('refuses a letter without a meaning', () => {
    expect(() => optionsOf(`${'0'.repeat(32)}xp`)).toThrow('letter x');
  });
});
