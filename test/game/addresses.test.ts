import { describe, expect, test } from 'vitest';
import { GAME_ADDRESSES, gameAddressesSchema } from '../../src/game/addresses.ts';

describe("The addresses of the game's services", () => {
  test("are Mojang's own if none is set", () => {
    expect(gameAddressesSchema.parse({})).toEqual(GAME_ADDRESSES);
    expect(gameAddressesSchema.parse(GAME_ADDRESSES)).toEqual(GAME_ADDRESSES);
  });

  test.each([
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
    ['https://Proxy.Example/session//', 'https://proxy.example/session'],
  ])('may be others: %s', (text, sessionServer) => {
    expect(gameAddressesSchema.parse({ sessionServer: text })).toEqual({ ...GAME_ADDRESSES, sessionServer });
  });

  test.each([
    ['sessionserver.mojang.com', 'not an address'],
    ['ftp://a.example', 'not an http address'],
    ['https://me:secret@a.example', 'user name or password'],
    ['https://me:1/secret@a.example', 'user name or password'],
    ['https://a.example/?x', 'query'],
    [`https://${'a'.repeat(300)}.example`, '256'],
  ])('cannot be %s', (services, reason) => {
    const parsed = gameAddressesSchema.safeParse({ services });
    expect(parsed.error?.issues[0]?.message).toContain(reason);
    expect(JSON.stringify(parsed)).not.toContain('secret');
  });

  test('may not include an unknown service', () => {
    expect(gameAddressesSchema.safeParse({ authServer: 'https://a.example' }).success).toBe(false);
  });
});
