import { describe, expect, test } from 'vitest';
import { apiKeyBodySchema } from '../../../../src/protocol/api-key.ts';
import { brokenBinding, type CallerKey } from '../../../../src/server/service/callers.ts';

const KEY: CallerKey = {
  id: 'k',
  name: 'key',
  createdAt: 0,
  allowedIps: [],
  allowedOrigins: [],
  allowedAgents: [],
  scopes: [],
  v2Compat: false,
  hash: '',
};

/** What a request is refused with; undefined when it may go on. */
function refusal(
  bound: Partial<CallerKey>,
  { address = '192.0.2.1', origin, agents = [] }: { address?: string; origin?: string; agents?: string[] },
): string | undefined {
  return brokenBinding({ ...KEY, ...bound }, { address, origin, agents });
}

describe('A key bound to addresses', () => {
  const inside: [network: string, address: string][] = [
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.0/24', '203.0.113.255'],
    ['203.0.113.77/24', '203.0.113.1'],
    ['203.0.113.0/25', '203.0.113.127'],
    ['0.0.0.0/0', '198.51.100.1'],
    ['203.0.113.7', '::ffff:203.0.113.7'],
    ['203.0.113.0/24', '::ffff:cb00:7109'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.0/120', '203.0.113.9'],
    ['2001:db8::1', '2001:0DB8:0:0:0:0:0:1'],
    ['2001:db8::/32', '2001:db8:ffff::1'],
    ['2001:db8:8000::/33', '2001:db8:8000::1'],
    ['fe80::/10', 'fe80::1%eth0'],
    ['::/0', '2001:db8::1'],
  ];
  test.each(inside)('%s lets %s in', (network, address) => {
    expect(refusal({ allowedIps: ['198.18.0.1', network] }, { address })).toBeUndefined();
  });

  const outside: [network: string, address: string][] = [
    ['203.0.113.7', '203.0.113.8'],
    ['203.0.113.0/25', '203.0.113.128'],
    ['203.0.113.0/24', '::ffff:203.0.114.1'],
    ['::ffff:203.0.113.0/120', '203.0.114.9'],
    ['2001:db8::/32', '2001:db9::1'],
    ['2001:db8:8000::/33', '2001:db8:7fff::1'],
    ['0.0.0.0/0', '2001:db8::1'],
    ['::/0', '203.0.113.7'],
    ['203.0.113.7', 'unknown'],
    ['0.0.0.0/0', '203.0.113'],
    ['0.0.0.0/0', ''],
  ];
  test.each(outside)('%s keeps "%s" out', (network, address) => {
    expect(refusal({ allowedIps: [network] }, { address })).toBe('Client not allowed');
  });
});

describe('A key bound to origins', () => {
  const allowedOrigins = ['https://skins.example.org', 'http://localhost:3000'];

  test.each(allowedOrigins)('lets %s in', (origin) => {
    expect(refusal({ allowedOrigins }, { origin })).toBeUndefined();
  });

  test.each([
    'http://skins.example.org',
    'https://skins.example.org:8443',
    'https://skins.example.org.evil.example',
    'https://evil.example',
    'null',
    '',
  ])('keeps "%s" out', (origin) => {
    expect(refusal({ allowedOrigins }, { origin })).toBe('Origin not allowed');
  });

  test('refuses requests without an origin', () => {
    expect(refusal({ allowedOrigins }, {})).toBe('Origin not allowed');
  });
});

describe('A key bound to agents', () => {
  const allowedAgents = ['MyApp', 'bot-2'];

  test.each([
    ['MyApp'],
    ['MyApp/1.0'],
    ['MyApp/1.0 (+https://example.org) undici'],
    ['bot-2 (test)'],
    ['Mozilla/5.0', 'MyApp/2'],
  ])('lets %s in', (...agents) => {
    expect(refusal({ allowedAgents }, { agents })).toBeUndefined();
  });

  test.each([
    ['myapp/1.0'],
    ['MyApps/1.0'],
    ['Mozilla/5.0 MyApp/1.0'],
    ['/MyApp'],
    [''],
    ['Mozilla/5.0', 'curl/8'],
  ])('keeps "%s" out', (...agents) => {
    expect(refusal({ allowedAgents }, { agents })).toBe('Agent not allowed');
  });
});

test('A key that is bound to several kinds of places must be in one of each', () => {
  const bound = {
    allowedIps: ['192.0.2.1'],
    allowedOrigins: ['https://a.example'],
    allowedAgents: ['MyApp'],
  };
  const fits = { address: '192.0.2.1', origin: 'https://a.example', agents: ['MyApp/1'] };
  expect(refusal(bound, fits)).toBeUndefined();
  expect(refusal(bound, { ...fits, address: '192.0.2.2' })).toBe('Client not allowed');
  expect(refusal(bound, { ...fits, origin: 'https://b.example' })).toBe('Origin not allowed');
  expect(refusal(bound, { ...fits, agents: ['Other/1'] })).toBe('Agent not allowed');
});

describe('A binding of a key', () => {
  test('is stored once, and an origin as browsers send it', () => {
    const parsed = apiKeyBodySchema.parse({
      allowedIps: [' 203.0.113.0/24 ', '203.0.113.0/24'],
      allowedOrigins: [
        'HTTPS://Skins.Example.org/',
        'https://skins.example.org:443',
        'http://localhost:3000',
      ],
      allowedAgents: ['MyApp'],
    });
    expect(parsed).toMatchObject({
      allowedIps: ['203.0.113.0/24'],
      allowedOrigins: ['https://skins.example.org', 'http://localhost:3000'],
      allowedAgents: ['MyApp'],
    });
  });

  const refused: [what: string, content: object][] = [
    ['half an address', { allowedIps: ['203.0.113'] }],
    ['an octal address', { allowedIps: ['0203.0.113.1'] }],
    ['a host name', { allowedIps: ['example.org'] }],
    ['too narrow a network', { allowedIps: ['203.0.113.0/33'] }],
    ['too narrow an IPv6 network', { allowedIps: ['2001:db8::/129'] }],
    ['a network without a width', { allowedIps: ['203.0.113.0/'] }],
    ['a network of two widths', { allowedIps: ['203.0.113.0/24/8'] }],
    ['an interface', { allowedIps: ['fe80::1%eth0'] }],
    ['a page', { allowedOrigins: ['https://skins.example.org/page'] }],
    ['an origin with a password', { allowedOrigins: ['https://a:b@skins.example.org'] }],
    ['no origin', { allowedOrigins: ['skins.example.org'] }],
    ['another scheme', { allowedOrigins: ['ftp://skins.example.org'] }],
    ['an agent with its version', { allowedAgents: ['MyApp/1.0'] }],
    ['an agent of two words', { allowedAgents: ['My App'] }],
    ['an empty agent', { allowedAgents: [''] }],
    ['an agent too long', { allowedAgents: ['a'.repeat(65)] }],
    ['an origin too long', { allowedOrigins: [`https://${'a'.repeat(250)}.example`] }],
    ['too many', { allowedIps: Array.from({ length: 51 }, (_, at) => `10.0.0.${at}`) }],
    ['a text where a list belongs', { allowedIps: '203.0.113.7' }],
    ['a misspelt field', { allowedIPs: ['203.0.113.7'] }],
  ];
  test.each(refused)('cannot be %s', (_, content) => {
    expect(apiKeyBodySchema.safeParse(content).success).toBe(false);
  });
});
