import { describe, expect, test } from 'vitest';
import { parseBaseUrl } from '../../../src/client/requester.ts';

describe('parseBaseUrl', () => {
  const taken: [text: string, origin: string, path: string][] = [
    ['https://api.example.org', 'https://api.example.org', ''],
    ['https://api.example.org/', 'https://api.example.org', ''],
    ['https://api.example.org/v2', 'https://api.example.org', ''],
    ['https://api.example.org/v2/', 'https://api.example.org', ''],
    ['https://api.example.org//', 'https://api.example.org', ''],
    ['HTTPS://API.Example.org:443/v2', 'https://api.example.org', ''],
    ['http://127.0.0.1:7546', 'http://127.0.0.1:7546', ''],
    ['http://[::1]:7546/v2', 'http://[::1]:7546', ''],
    ['https://example.org/skins', 'https://example.org', '/skins'],
    ['https://example.org/skins/v2/', 'https://example.org', '/skins'],
    ['https://example.org/myv2', 'https://example.org', '/myv2'],
    ['https://example.org/v2/skins', 'https://example.org', '/v2/skins'],
  ];
  test.each(taken)('reads %s', (text, origin, path) => {
    expect(parseBaseUrl(text)).toEqual({ baseUrl: origin + path, origin, path });
  });

  test.each(taken)('reads its own result for %s unchanged', (text) => {
    const read = parseBaseUrl(text);
    expect(parseBaseUrl(read.baseUrl)).toEqual(read);
  });

  const refused: [text: string, message: RegExp][] = [
    ['', /is not a URL; use a form like https:/],
    ['api.example.org', /is not a URL/],
    ['//api.example.org', /is not a URL/],
    ['https://', /is not a URL/],
    ['localhost:7546', /must start with http:\/\/ or https:\/\//],
    ['ftp://api.example.org', /must start with http/],
    ['file:///etc', /must start with http/],
    ['https://me:secret@api.example.org', /must not contain a user name or password/],
    ['https://me@api.example.org', /must not contain a user name or password/],
    ['https://api.example.org/v2?key=secret', /must not contain a query or a fragment/],
    ['https://api.example.org/#v2', /must not contain a query or a fragment/],
  ];
  test.each(refused)('refuses %j and says why', (text, message) => {
    expect(() => parseBaseUrl(text)).toThrow(TypeError);
    expect(() => parseBaseUrl(text)).toThrow(message);
  });

  test.each([
    'https://me:secret@api.example.org',
    'https://me:se@cret@api.example.org',
    'https://me:1/secret@api.example.org',
    'https:me:secret@api.example.org',
    'me:secret@api.example.org',
    'https://me:secret/@[',
    'https://api.example.org/?key=secret',
  ])('refuses %s without repeating its secret', (text) => {
    expect(() => parseBaseUrl(text)).toThrow(
      /must not contain a (user name or password|query or a fragment)$/,
    );
    expect(() => parseBaseUrl(text)).not.toThrow(/secret|cret/);
  });
});
