import { describe, expect, test } from 'vitest';
import { checkAddress, parseNetwork } from '../../../../src/server/outbound/target.ts';

const why = (address: string) => {
  const verdict = checkAddress(address, []);
  return verdict.allowed ? 'allowed' : verdict.why;
};

/** First and last address of each block, by what is said of it. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'a private address': [
    ...['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
    ...['100.64.0.0', '100.127.255.255', '100.100.100.200'],
    ...['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fd00:ec2::254'],
    ...['::ffff:10.0.0.1', '64:ff9b::192.168.1.1', '64:ff9b::a00:1'],
  ],
  'a loopback address': ['127.0.0.0', '127.0.0.1', '127.255.255.255', '::1', '::ffff:127.0.0.1'],
  'a link-local address': [
    ...['169.254.0.0', '169.254.169.254', '169.254.255.255', '::ffff:169.254.169.254', '168.63.129.16'],
    ...['fe80::', 'febf:ffff::1', 'fec0::1', 'feff::1', '64:ff9b::169.254.169.254'],
  ],
  'a multicast address': ['224.0.0.0', '239.255.255.255', '255.255.255.255', 'ff00::', 'ff02::1', 'ffff::1'],
  'a reserved address': [
    ...['0.0.0.0', '0.255.255.255', '192.0.0.0', '192.0.0.192', '192.0.2.1', '192.88.99.1', '198.18.0.0'],
    ...['198.19.255.255', '198.51.100.7', '203.0.113.9', '240.0.0.0', '255.255.255.254'],
    ...['192.31.196.1', '192.175.48.1', '192.52.193.1', '2001:4:112::1', '2620:4f:8000::1', '2001:3::1'],
    ...['::', '::127.0.0.1', '::8.8.8.8', '::2', '100::', '100::1', '64:ff9b:1::8.8.8.8', '64:ff9b:2::1'],
    ...['2001:2::1', '2001:10::1', '2001:1f:ffff::1', '2001:20::1', '2001:30::1', '2001:1::1', '2001:1ff::1'],
    ...[
      '2001:db8::',
      '2001:db8:ffff::1',
      '3fff::1',
      '3fff:fff::1',
      '4000::1',
      '5f00::1',
      '1fff::1',
      'e000::1',
    ],
  ],
  'a translated address': [
    ...['2002:7f00:1::', '2002:808:808::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '::ffff:0:8.8.8.8'],
  ],
};

const ALLOWED = [
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...['128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255'],
  ...['192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255', '168.63.129.15'],
  ...['2000::1', '2001:200::1', '2001:4860:4860::8888', '2606:4700::1111', '2a00::1', '3ffe:ffff::1'],
  ...['::ffff:8.8.8.8', '64:ff9b::8.8.8.8'],
];

describe('Addresses', () => {
  test.each(Object.entries(REFUSED))('that are %s are refused as such', (kind, addresses) => {
    expect(addresses.map((address) => [address, why(address)])).toEqual(
      addresses.map((address) => [address, kind]),
    );
  });

  test('of the internet are allowed, up to the last before a special block', () => {
    expect(ALLOWED.map((address) => [address, why(address)])).toEqual(
      ALLOWED.map((address) => [address, 'allowed']),
    );
  });

  test.each([
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '[::1]',
    '::1%lo',
    '2606::1%eth0',
    '1.1.1',
  ])('that no socket accepts are refused: %j', (text) => expect(why(text)).toBe('a reserved address'));
});

describe("The operator's networks", () => {
  const networks = ['10.1.0.0/16', '127.0.0.1', 'fd12::/16'].map(parseNetwork);
  const judge = (address: string) => checkAddress(address, networks);

  test('are allowed and distinguished from the internet; addresses just outside them are refused', () => {
    const own = ['10.1.0.0', '10.1.255.255', '127.0.0.1', 'fd12::1', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3'];
    expect(own.map(judge)).toEqual(own.map(() => ({ allowed: true, isOwn: true })));
    const others = ['10.0.255.255', '10.2.0.0', '127.0.0.2', 'fd13::1', '::ffff:10.2.0.0', '::10.1.2.3'];
    expect(others.map((address) => judge(address).allowed)).toEqual(others.map(() => false));
    expect(judge('1.1.1.1')).toEqual({ allowed: true, isOwn: false });
  });

  test.each([
    ...['', '10.0.0.0/', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/8', '10.0.0.0/8.5', '10.0.0/8', '10/8'],
    ...[
      '::1/129',
      'fe80::1%eth0/64',
      'localhost',
      'localhost/8',
      '10.0.0.0/ 8',
      '0x0a.0.0.0/8',
      '10.0.0.0/08x',
    ],
  ])('cannot be %j', (text) => {
    expect(() => parseNetwork(text)).toThrow(`"${text}" is not a network like 10.0.0.0/8 or fd00::/8.`);
  });
});
