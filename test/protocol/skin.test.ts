import { describe, expect, test } from 'vitest';
import { skinListQuerySchema, uuidSchema } from '../../src/protocol/skin.ts';

describe('uuidSchema', () => {
  const taken: [text: string, read: string][] = [
    ['0123456789abcdef0123456789abcdef', '0123456789abcdef0123456789abcdef'],
    ['01234567-89ab-cdef-0123-456789abcdef', '0123456789abcdef0123456789abcdef'],
    ['01234567-89AB-CDEF-0123-456789ABCDEF', '0123456789abcdef0123456789abcdef'],
  ];
  test.each(taken)('reads %s without dashes and in small letters', (text, read) => {
    expect(uuidSchema.parse(text)).toBe(read);
  });

  test.each([
    '',
    '0123456789abcdef0123456789abcde',
    '0123456789abcdef0123456789abcdef0',
    'g123456789abcdef0123456789abcdef',
    '0123456-789ab-cdef-0123-456789abcdef',
    '01234567-89abcdef-0123-456789abcdef',
    ' 0123456789abcdef0123456789abcdef',
    '0123456789abcdef0123456789abcdef\n',
    '{01234567-89ab-cdef-0123-456789abcdef}',
  ])('refuses %j', (text) => {
    expect(uuidSchema.safeParse(text).error?.issues[0]?.message).toBe('not a UUID');
  });
});

describe('skinListQuerySchema', () => {
  const taken: [sent: Record<string, string>, read: Record<string, unknown>][] = [
    [{}, { size: 16 }],
    [{ size: '1' }, { size: 1 }],
    [
      { size: '128', after: '1024', filter: 'my' },
      { size: 128, after: '1024', filter: 'my' },
    ],
  ];
  test.each(taken)('reads %j as %j', (sent, read) => {
    expect(skinListQuerySchema.parse(sent)).toEqual(read);
  });

  test.each([
    { size: '0' },
    { size: '129' },
    { size: '1.5' },
    { size: 'all' },
    { after: 'abc' },
    { after: '9'.repeat(16) },
    { filter: 'x'.repeat(65) },
  ])('refuses %j', (sent) => {
    const { error } = skinListQuerySchema.safeParse(sent);
    expect(error?.issues.map((issue) => issue.path)).toEqual([Object.keys(sent)]);
  });
});
