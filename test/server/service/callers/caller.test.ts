import { describe, expect, test } from 'vitest';
import { anonymousCaller } from '../../../../src/server/service/callers.ts';
import { Plans } from '../../../../src/server/service/plans.ts';

const plans = new Plans();
const ownerAt = (address: string) => anonymousCaller({ address, origin: undefined }, plans).owner;

describe('Without a key a caller', () => {
  test.each([
    ['however an IPv4 address is written', '192.0.2.7', '::ffff:192.0.2.7'],
    ['in hexadecimal as well', '192.0.2.7', '::ffff:c000:207'],
    ['whatever port a proxy adds', '192.0.2.7', '192.0.2.7:50123'],
    ['whatever port it adds to an IPv6 address', '2001:db8:0:1::5', '[2001:db8:0:1::5]:50123'],
    ['wherever in an IPv6 /64 it calls from', '2001:db8:0:1::5', '2001:DB8:0:1:ffff:1:2:3'],
    ['on whatever link', 'fe80::1%eth0', 'fe80::2'],
  ])('is the same %s', (_, one, other) => {
    expect(ownerAt(other)).toBe(ownerAt(one));
  });

  test.each([
    ['192.0.2.7', '192.0.2.8'],
    ['2001:db8:0:1::5', '2001:db8:0:2::5'],
    ['2001:db8::1:0:0:0:5', '2001:db8::2:0:0:0:5'],
    ['::1', '1::'],
  ])('is a different one at a different address: %s and %s', (one, other) => {
    expect(ownerAt(other)).not.toBe(ownerAt(one));
  });

  test('has an owner that does not reveal its address', () => {
    expect(ownerAt('192.0.2.7')).toMatch(/^address:[0-9a-f]{32}$/);
  });
});
