import { expect, test } from 'vitest';
import { addressWarnings } from '../../../../src/cli/serve/server-options.ts';

const LOCAL = 'http://localhost:7546';

test.each([
  ['all addresses', { host: '0.0.0.0' }],
  ['all addresses of IPv6', { host: '::' }],
])(
  'The operator is warned of a service that listens on %s and signs an address of this machine',
  (_, options) => {
    expect(addressWarnings(LOCAL, options, {})).toEqual([
      expect.stringMatching(
        /^Texture URLs of new skins start with http:\/\/localhost:7546 permanently; .* --public-url https:\/\/skins\.example\.org$/,
      ),
    ]);
  },
);

test.each([
  ['with an address for players', LOCAL, { host: '0.0.0.0', publicUrl: 'https://skins.example.org' }, {}],
  ['for this machine only', LOCAL, {}, {}],
  ['on the loopback', 'http://127.0.0.1:7546', { host: '127.0.0.1' }, {}],
  ['on an address of its own', 'http://192.0.2.1:7546', { host: '192.0.2.1' }, {}],
  ['with game accounts', LOCAL, { host: '0.0.0.0', generator: 'accounts' as const }, {}],
  ['with another service', LOCAL, { host: '0.0.0.0' }, { SKINSMITH_GENERATOR: 'upstream' }],
])('The operator is not warned of a service %s', (_, url, options, env) => {
  expect(addressWarnings(url, options, env)).toEqual([]);
});

test('The operator is warned of a pack that only players on this machine reach', () => {
  const pack = 'server.zip';
  expect(addressWarnings(LOCAL, { pack }, {})).toEqual([
    expect.stringMatching(/^Only players on this machine reach the pack\. .* --host 0\.0\.0\.0 --public-url/),
  ]);
  expect(addressWarnings(LOCAL, { pack, publicUrl: 'https://skins.example.org' }, {})).toEqual([]);
  expect(addressWarnings('http://192.0.2.1:7546', { pack, host: '192.0.2.1' }, {})).toEqual([]);
});

test('The operator is warned that pages do not work below a path', () => {
  const options = { host: '0.0.0.0', publicUrl: 'https://example.org/skins' };
  expect(addressWarnings(LOCAL, options, {})).toEqual([
    expect.stringMatching(/^The pages do not work below a path, as in https:\/\/example\.org\/skins;/),
  ]);
});
