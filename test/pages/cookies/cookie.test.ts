import { describe, expect, test } from 'vitest';
import { readCookie, readSessionCookie } from '../../../src/pages/cookies.ts';

const URL = 'https://skins.example.org';
const HOST = { host: 'skins.example.org' };
const [ONE, OTHER] = ['a'.repeat(43), 'b'.repeat(43)];

const session = (cookie: string | undefined, publicUrl = 'http://127.0.0.1:1') =>
  readSessionCookie({ headers: { ...HOST, ...(cookie !== undefined && { cookie }) } }, publicUrl);

describe('The session of a browser', () => {
  test('is found among other cookies, even with similar names', () => {
    const others = `theme=dark; skinsmith-sign-in=${OTHER}; xskinsmith=${OTHER}`;
    expect(session(`${others};skinsmith=${ONE}; a=b=c`)).toBe(ONE);
    expect(session(others)).toBeUndefined();
    expect(session(undefined)).toBeUndefined();
  });

  test.each([
    ['another', OTHER],
    ['the same', ONE],
    ['one that is no secret', 'x'],
    ['an empty one', ''],
  ])('is ignored if there are two: whoever set %s might be signed in by it', (_, second) => {
    expect(session(`skinsmith=${ONE}; skinsmith=${second}`)).toBeUndefined();
    expect(session(`skinsmith=${second}; skinsmith=${ONE}`)).toBeUndefined();
  });

  test.each(['', 'x', `${ONE}x`, ONE.replace('a', '.')])('is not %j', (value) => {
    expect(session(`skinsmith=${value}`)).toBeUndefined();
  });

  test('over an encrypted connection is a cookie that only this host can set', () => {
    expect(session(`skinsmith=${OTHER}; __Host-skinsmith=${ONE}`, URL)).toBe(ONE);
    expect(session(`skinsmith=${OTHER}`, URL)).toBeUndefined();
  });
});

test('The cookie of a sign-in under way is not a session, and vice versa', () => {
  const request = { headers: { cookie: `skinsmith=${ONE}` } };
  expect(readCookie('skinsmith-sign-in', request, 'http://127.0.0.1:1')).toBeUndefined();
  expect(session(`skinsmith-sign-in=${ONE}`)).toBeUndefined();
});
