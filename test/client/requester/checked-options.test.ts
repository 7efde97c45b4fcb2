import { describe, expect, test } from 'vitest';
import { checkedOptions } from '../../../src/client/requester.ts';
import { SkinClient } from '../../../src/client/skin-client.ts';
import type { SkinClientOptions } from '../../../src/client/types.ts';

const baseUrl = 'http://127.0.0.1:9';
const key = 'k'.repeat(64);

describe('the API key', () => {
  test.each([`${key}\n`, ` ${key}\r\n`])('%j is read without its surrounding white space', (apiKey) => {
    expect(checkedOptions({ baseUrl, apiKey }).apiKey).toBe(key);
    expect(new SkinClient({ baseUrl, apiKey }).caller).toBe(new SkinClient({ baseUrl, apiKey: key }).caller);
  });

  test.each(['', ' \n'])('%j is refused', (apiKey) => {
    expect(new SkinClient({ baseUrl, apiKey }).caller).toBe('anonymous');
  });
});

describe('a client is not made with', () => {
  const rows: [what: string, options: Partial<SkinClientOptions>, error: new (text: string) => Error][] = [
    ['a key of two lines', { apiKey: `${key}\n${key}` }, TypeError],
    ['a key that is no header', { apiKey: `${key}→` }, TypeError],
    ['a user agent that is no header', { userAgent: 'Skins → Bot' }, TypeError],
    ['a dispatcher that sends nothing', { dispatcher: {} as never }, TypeError],
    ['no time for an answer', { timeout: 0 }, RangeError],
    ['less than no time', { timeout: -1 }, RangeError],
    ['a timeout that is no number', { timeout: Number.NaN }, RangeError],
  ];
  test.each(rows)('%s', (_, options, error) => {
    const make = () => new SkinClient({ baseUrl, ...options });
    expect(make).toThrow(error);
    expect(make).toThrow(new RegExp(`^${Object.keys(options)[0]}: `));
    expect(make).not.toThrow(key);
  });
});
